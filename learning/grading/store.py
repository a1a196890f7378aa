"""Finished work kept by content hash, and instructor notebooks kept by version. Standard library only.

A result is found again only where everything it depends on is the same: the submitted bytes, the instructor's
notebook, the judge's and the lesson's code, the installed packages, the device and the secret seed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
from pathlib import Path

from learning import host, imported
from learning.files import replace
from learning.grading.outcome import FAILED, Outcome
from learning.lens import device as lens

PACKAGE = Path(__file__).parents[1]
FOLDER = ".grading"
"""The store's folder in a course's root, unless ``Grading.store`` names another."""
PACKAGES = ("torch", "triton", "numpy")


def sha(*parts: str | bytes) -> str:
    """SHA-256 over length-prefixed parts, as hexadecimal digits."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def package_hash(lesson: str) -> str:
    """A hash of every file of this package that can change a result of ``lesson``; of any lesson's where it is ""."""
    return imported.sha256(sorted({*imported.files("learning.grading.slot"), *imported.judging(lesson)}))


def environment() -> str:
    """Python and the packages that compute, with their versions, as one line."""
    names = [f"python {platform.python_version()} {platform.machine()}"]
    return ", ".join([*names, *(f"{name} {version}" for name in PACKAGES if (version := host.installed(name)))])


def gpus() -> list[str]:
    """Names of the NVIDIA GPUs this machine shows, without starting a driver."""
    cards = sorted(Path("/proc/driver/nvidia/gpus").glob("*/information"))
    if os.environ.get("CUDA_VISIBLE_DEVICES") == "":
        return []
    names = []
    for card in cards:
        with contextlib.suppress(OSError):
            lines = card.read_text(errors="replace").splitlines()
            names += [line.split(":", 1)[1].strip() for line in lines if line.startswith("Model")]
    return names


def device_key(device: str) -> str:
    """What of this machine's devices a result depends on, the card that kernels are compiled for included."""
    asked = os.environ.get("TRITON_INTERPRET", ""), os.environ.get("CUDA_VISIBLE_DEVICES", "")
    return "|".join([device, *asked, *gpus(), lens.without_gpu()])


class Store:
    """Results under ``folder/results`` and instructor notebooks under ``folder/sources``."""

    def __init__(self, folder: Path):
        self.folder = folder

    def find(self, key: str) -> Outcome | None:
        """The finished outcome under ``key``, or None; a file that does not read counts as absent."""
        try:
            return Outcome.from_dict(json.loads(self._path(key).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None

    def keep(self, key: str, outcome: Outcome) -> None:
        """Keep a finished outcome; one in which the judge itself failed is done again next time."""
        if outcome.state != FAILED and not outcome.broken:
            replace(self._path(key), json.dumps(outcome.as_dict()))

    def _path(self, key: str) -> Path:
        return self.folder / "results" / key[:2] / f"{key}.json"

    def keep_source(self, name: str, version: int, text: str) -> None:
        """Keep an instructor notebook under its version; a later text of the same version replaces it."""
        path = self.folder / "sources" / name / f"{version}.ipynb"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            replace(path, text)

    def sources(self, name: str, lesson: str) -> dict[int, Path]:
        """Kept instructor notebooks by version: those committed with the lesson, and those kept here."""
        found: dict[int, Path] = {}
        for folder in (PACKAGE / "lessons" / lesson / "versions", self.folder / "sources" / name):
            for path in folder.glob("*.ipynb"):
                if path.stem.isdigit():
                    found[int(path.stem)] = path
        return found


def keep_generated(assignment: str, student: str, notebooks: list[str]) -> None:
    """nbgrader's hook before ``generate_assignment``: keeps the sources that are about to be released.

    A version that learners hold is then never lost, also when its lesson moves on before the first grading.
    """
    for name in notebooks:
        path = Path(name)
        text = path.read_text(encoding="utf-8")
        version = json.loads(text).get("metadata", {}).get("learning", {}).get("version")
        if isinstance(version, int) and len(path.parents) > 2:
            Store(path.parents[2] / FOLDER).keep_source(assignment, version, text)
