# class 11
"""Returns a sum that is more exact than was asked for, in float64."""


def add(x, y):
    return x.double() + y.double()
