# class 15
"""Reads address 0 and takes its process down with it."""

import ctypes


def add(x, y):
    ctypes.string_at(0)
    return torch.zeros_like(x)
