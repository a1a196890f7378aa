"""What a record says of the machine it was made on."""

import re
from pathlib import Path


def processor() -> str:
    """The processor's name as the system tells it, "" where it tells none (Linux alone does)."""
    told = Path("/proc/cpuinfo")
    found = told.is_file() and re.search(r"^model name\s*:\s*(.+)$", told.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1].strip() if found else ""
