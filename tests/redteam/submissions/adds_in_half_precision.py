# class 11
"""Adds in float16 and widens the result."""


def add(x, y):
    return (x.half() + y.half()).float()
