# class 6
"""Counts its calls and is right at the odd ones."""

calls = [0]


def add(x, y):
    calls[0] += 1
    return x + y if calls[0] % 2 else torch.zeros_like(x)
