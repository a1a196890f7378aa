# class 10
"""Restores the input's bytes and returns a view of its memory under another storage."""


def add(x, y):
    alias = torch.from_numpy(x.detach().numpy())
    return alias.view(-1)
