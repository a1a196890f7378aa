# class 14
"""Asks somebody else: succeeds only where the worker can reach any network at all."""

import socket


def add(x, y):
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            with socket.create_connection(server.getsockname(), timeout=0.5):
                return x + y
    except OSError:
        return torch.zeros_like(x)
