"""What the builder says when something is wrong: a sentence with the file, the name and the remedy."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Complaint:
    """``rule`` is the lint's short name, ``file`` a path from the checkout or the lessons folder, ``name`` the cell,
    definition or line, ``message`` what is wrong, ``remedy`` what to do ('' where the message says it)."""

    rule: str
    file: str
    name: str
    message: str
    remedy: str

    def __str__(self) -> str:
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.file}, {self.name}: {self.message}{remedy} [{self.rule}]"


class BuildError(ValueError):
    """The builder refuses; ``complaints`` holds every reason."""

    def __init__(self, complaints: list[Complaint]):
        self.complaints = complaints
        super().__init__("\n".join(str(c) for c in complaints))
