"""Processes that end with this one, not with the thread that asked for them. Standard library only."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import Any

_starters: dict[int, ThreadPoolExecutor] = {}


def popen(command: list[str], **options: Any) -> subprocess.Popen:
    """``Popen`` from a thread that lasts as long as this process: bubblewrap's ``--die-with-parent`` means the thread."""
    if os.getpid() not in _starters:
        _starters.clear()
        _starters[os.getpid()] = ThreadPoolExecutor(1, "judge-starter")
    return _starters[os.getpid()].submit(subprocess.Popen, command, **options).result()
