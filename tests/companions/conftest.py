"""A learner's work in a folder of the test's own."""

import pytest

from learning import lesson as lessons
from learning.gates import records


class Work:
    """A work folder: ``keep`` appends a record to a lesson's log."""

    def __init__(self, root):
        self.root = root

    def log(self, slug):
        return self.root / slug / records.FILE

    def keep(self, slug, event, payload, *, device="", source=""):
        return records.append(self.log(slug), event, slug, device=device, source=source, payload=payload)

    def passed(self, slug, *, device="cuda", card="Tesla T4"):
        """Every public check passed for one answer."""
        names = ["a_check", "another"]
        checks = [{"check": name, "state": "passed", "device": device} for name in names]
        return self.keep(
            slug, "parity", {"checks": checks, "public": names, "card": card}, device=device, source="a" * 64
        )

    def timed(self, slug, times, *, case="large", card="Tesla T4", peers=None):
        """A benchmark on a GPU: ``times`` are the graph's samples in microseconds."""
        one = {
            "case": case,
            "card": card,
            "microseconds": {"graph": times[0]},
            "samples": {"graph": times},
            "peers": peers or {},
        }
        return self.keep(slug, "benchmark", {"cases": [one]}, device="cuda", source="b" * 64)

    def rewritten(self, slug):
        """A blank page that passed."""
        checks = [{"check": "agrees", "state": "passed"}]
        payload = {"page": 1, "variation": "subtract", "state": "passed", "checks": checks, "card": "virtual Tesla T4"}
        return self.keep(slug, "attempt", payload, device="interpreter", source="c" * 64)


@pytest.fixture
def work(tmp_path, monkeypatch):
    """An empty work folder, which ``LEARNING_WORK`` names."""
    for name in ("NBGRADER_EXECUTION", "NBGRADER_VALIDATING", "COLAB_RELEASE_TAG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LEARNING_WORK", str(tmp_path / "work"))
    return Work(tmp_path / "work")


@pytest.fixture
def card():
    """The card of a lesson by slug."""
    return lessons.load
