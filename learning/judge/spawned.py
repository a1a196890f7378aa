"""A worker as a plain process of its own, for systems without fork: it calls back to the judge on the loopback."""

from __future__ import annotations

import os
import socket
import sys
import tempfile

from learning.judge import worker


def main(options: dict) -> None:
    """Connect to ``options["port"]``, show the token read from stdin, and serve calls as ``worker.main`` does."""
    token = sys.stdin.read()
    sys.stdin = open(os.devnull)  # noqa: SIM115  (the learner's code sees no token and waits for no input)
    line = socket.create_connection(("127.0.0.1", options["port"]))
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    line.sendall(token.encode())
    del token
    if sys.platform != "win32":
        from learning.judge import sandbox

        sandbox.limit(address_space=options["memory"], processes=None, seconds=60)
    with tempfile.TemporaryDirectory(prefix="worker-", ignore_cleanup_errors=True) as folder:
        os.chdir(folder)
        try:
            worker.main(line, folder=folder, device="cpu", printed=options["printed"])
        finally:
            os.chdir(os.path.dirname(folder))
