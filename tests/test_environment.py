"""environment.yml, constraints.txt and pyproject.toml name the same packages with versions that agree."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA_NAMES = {"pytorch-gpu": "torch"}


def declared(*extras: str) -> dict[str, Requirement]:
    lines = list(PROJECT["dependencies"])
    for extra in extras:
        lines += PROJECT["optional-dependencies"][extra]
    return {canonicalize_name(r.name): r for r in map(Requirement, lines)}


def pins() -> dict[str, str]:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line and line[0] != "#"]
    return {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}


def conda() -> dict[str, SpecifierSet]:
    found: dict[str, SpecifierSet] = {}
    for entry in yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]:
        for line in entry["pip"] if isinstance(entry, dict) else [entry]:
            match = re.fullmatch(r"([A-Za-z0-9_-]+)\s*(.*)", line)
            if match and not line.startswith("-e"):
                name = CONDA_NAMES.get(match[1], match[1])
                found[canonicalize_name(name)] = SpecifierSet(match[2])
    return found


def test_every_declared_package_is_pinned_within_its_range():
    packages = declared("kernels", "lab", "instructor", "dev")
    assert len(packages) > 10
    for name, requirement in packages.items():
        assert name in pins(), f"constraints.txt does not pin {name}"
        assert pins()[name] in requirement.specifier, f"{name}: the pin lies outside pyproject.toml's range"


def test_conda_route_has_the_learners_and_instructors_packages_at_the_same_ranges():
    packages = declared("kernels", "lab", "instructor")
    listed = conda()
    for name, requirement in packages.items():
        assert listed.get(name) == requirement.specifier, f"environment.yml and pyproject.toml differ on {name}"
    assert set(listed) - set(packages) == {"python", "pip"}


def test_learners_floors_are_no_higher_than_what_colab_preinstalls():
    preinstalled = {"numpy": "2.1.3", "matplotlib": "3.10.0", "ipywidgets": "7.7.1", "anywidget": "0.9.21",
                    "torch": "2.11.0", "triton": "3.6.0"}  # fmt: skip
    for name, requirement in declared("kernels").items():
        assert preinstalled[name] in requirement.specifier, f"{name} would be upgraded on Colab"


@pytest.mark.parametrize("name", ["nbgrader", "jupytext", "jupyterlab", "nbformat"])
def test_the_learners_package_needs_nothing_of_the_instructors(name):
    assert name not in declared("kernels")
