# class 15
"""Returns an integer that takes minutes to print."""


def add(x, y):
    return 1 << 4_000_000
