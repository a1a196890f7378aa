# class 15
"""Returns one number spread over a trillion elements."""


def add(x, y):
    return torch.zeros(1).expand(1 << 40)
