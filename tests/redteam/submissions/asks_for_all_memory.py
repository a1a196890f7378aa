# class 15
"""Asks for sixty-four gigabytes and for a terabyte, then answers wrongly."""


def add(x, y):
    kept = []
    for size in (1 << 36, 1 << 40):
        try:
            kept.append(bytearray(size))
        except MemoryError:
            pass
    return torch.zeros_like(x)
