"""Colab and nbgrader are told by one sign each, wherever they are asked for."""

from __future__ import annotations

import subprocess
import sys
import types

import pytest

from learning import companions, course, host
from learning.doctor import facts

NBGRADER = {
    "a learner's own run": ({}, False, False),
    "the Validate button": ({"NBGRADER_VALIDATING": "1"}, True, True),
    "nbgrader validate": ({"NBGRADER_EXECUTION": "validate"}, True, True),
    "nbgrader autograde": ({"NBGRADER_EXECUTION": "autograde"}, False, True),
    "variables left empty": ({"NBGRADER_EXECUTION": "", "NBGRADER_VALIDATING": ""}, False, False),
}
COLAB = {
    "another machine": ({}, False, False, False),
    "Colab": ({"COLAB_RELEASE_TAG": "release-colab"}, False, True, True),
    "a kernel of Colab's without the variable": ({}, True, True, True),
    "Colab with Drive in use": (
        {"COLAB_RELEASE_TAG": "r", "LEARNING_WORK": "/content/drive/MyDrive/k"},
        True,
        True,
        False,
    ),
    "another machine whose work lies elsewhere": ({"LEARNING_WORK": "/data/work"}, False, False, False),
}


@pytest.fixture
def surroundings(monkeypatch):
    """Sets what a story says of the environment, and nothing else of it."""

    def story(variables, module=False):
        for name in ("NBGRADER_EXECUTION", "NBGRADER_VALIDATING", "COLAB_RELEASE_TAG", "LEARNING_WORK"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.delitem(sys.modules, "google.colab", raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        if module:
            monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))

    return story


@pytest.mark.parametrize("story", NBGRADER)
def test_nbgrader_is_told_by_its_variables(surroundings, story):
    variables, validating, graded = NBGRADER[story]
    surroundings(variables)
    assert (host.validating(), host.graded()) == (validating, graded)


@pytest.mark.parametrize("story", COLAB)
def test_the_doctor_and_the_companions_see_the_same_colab(surroundings, monkeypatch, tmp_path, story):
    variables, module, colab, lost = COLAB[story]
    surroundings(variables, module)
    assert (host.on_colab(), host.ends_with_runtime()) == (colab, lost)
    monkeypatch.setattr(facts, "refusal", lambda folder: "")
    assert facts.gather().colab is colab
    monkeypatch.chdir(tmp_path)
    assert ("this disk ends with the runtime" in companions.begin("glossary").markdown) is lost


def test_a_package_is_told_by_its_version_without_being_imported():
    assert host.installed("pytest") == pytest.__version__ and host.installed("no-such-package") == ""
    code = "import sys; from learning import host; host.installed('torch'); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=course.ROOT).returncode == 0
