# class 15
"""Stops its own process, so that it neither answers nor ends."""

import os
import signal


def add(x, y):
    os.kill(os.getpid(), signal.SIGSTOP)
    return torch.zeros_like(x)
