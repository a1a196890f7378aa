# class 15
"""Returns lists nested a hundred thousand deep, for who would walk them."""


def add(x, y):
    value = []
    for _ in range(100_000):
        value = [value]
    return value
