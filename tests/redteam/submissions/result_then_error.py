# class 5
"""Sends a good-looking value first and then raises, hoping the first thing seen counts."""


def add(x, y):
    try:
        return x + y
    finally:
        raise RuntimeError("too late")
