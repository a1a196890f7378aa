"""Fixtures of the judge's tests: warm servers kept for a module, and grading of the tiny lessons."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from learning.judge import engine, fleet
from learning.lens import device

_spec = importlib.util.spec_from_file_location("tiny_lessons", Path(__file__).with_name("tiny.py"))
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


@pytest.fixture
def grade_add(servers):
    """Grade sources against the adding lesson: ``grade_add(source, …, limits=…, servers=…)``."""
    kind = device.current().place

    def run(*sources, **options):
        options = {"notebook": _tiny.adding_notebook(), "servers": servers, "device": kind, **options}
        return engine.grade(_tiny.ADDING, _tiny.submission(*sources), **options)

    return run


@pytest.fixture
def grade_echo(servers):
    """Grade sources against the plain lesson."""

    def run(*sources, **options):
        options = {"notebook": _tiny.echo_notebook(), "servers": servers, **options}
        return engine.grade(_tiny.PLAIN, _tiny.submission(*sources), **options)

    return run
