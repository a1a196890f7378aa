"""What a long command is doing, told while it does it. Standard library only."""

from __future__ import annotations

import os
import sys
from typing import Any

from learning.workshops.console import complain


class Progress:
    """Tells what is being done: one line that changes on a terminal, a line a stage elsewhere; on standard error."""

    def __init__(self, stream: Any = None):
        self.stream = stream or sys.stderr
        self.live = hasattr(self.stream, "isatty") and self.stream.isatty() and os.name != "nt"
        self.stage = ""

    def __call__(self, text: str) -> None:
        if self.live:
            self.stream.write(f"\r\x1b[K  {text}")
            self.stream.flush()
        elif text.rsplit(", ", 1)[0] != self.stage:
            self.stage = text.rsplit(", ", 1)[0]
            complain(f"  {self.stage}")

    def done(self) -> None:
        """Clear the line."""
        if self.live:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
