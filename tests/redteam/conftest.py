"""The red team's range: real servers, the tiny adding lesson and ``vector_add``."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from learning.judge import engine, fleet
from learning.lens import device

_spec = importlib.util.spec_from_file_location("tiny_lessons", Path(__file__).parents[1] / "judge" / "tiny.py")
_tiny = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_tiny)


@pytest.fixture(scope="session")
def tiny():
    """The module with the tiny lessons."""
    return _tiny


@pytest.fixture(scope="session")
def servers():
    """Warm servers, behind bubblewrap where it is installed."""
    with fleet.Servers() as kept:
        yield kept


@pytest.fixture(scope="session")
def plain_servers():
    """Warm servers whose workers are plain forks: no bubblewrap, no namespaces."""
    with fleet.Servers(wrap=False, isolate=False) as kept:
        yield kept


@pytest.fixture
def attack(servers):
    """Grade a submission's text against the tiny adding lesson."""
    kind = device.current().place
    limits = engine.Limits(call_seconds=1.5, after_timeout_seconds=0.4) if kind != "cuda" else engine.Limits.on(kind)

    def run(*sources, **options):
        options = {"notebook": _tiny.adding_notebook(), "servers": servers, "device": kind, "limits": limits, **options}
        return engine.grade(_tiny.ADDING, _tiny.submission(*sources), **options)

    run.servers, run.device = servers, kind
    return run
