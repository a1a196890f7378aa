# class 15
"""Prints two hundred megabytes before it answers."""


def add(x, y):
    for _ in range(200):
        print("x" * (1 << 20))
    return torch.zeros_like(x)
