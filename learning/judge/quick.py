"""Import much at once without the garbage collector walking through it again and again. Standard library only."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def imports() -> Iterator[None]:
    """Inside the block the collector rests; what there is at its end is never looked at again (``gc.freeze``).

    Modules stay for a process's life: looking for garbage among what torch's import makes costs processor time in each
    import, in each later collection and at the end. A fork of the process, too, leaves their pages alone.
    """
    resting = not gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if not resting:
            gc.enable()
