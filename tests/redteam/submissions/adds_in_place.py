# class 10
"""Returns the right sum, made in its first argument's memory."""


def add(x, y):
    x += y
    return x
