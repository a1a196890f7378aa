"""environment.yml, constraints.txt and pyproject.toml name the same packages with versions that agree."""

import importlib.util
import json
import re
import sys
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


# ---- the container


CONTAINER = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / ".devcontainer" / CONTAINER["build"]["dockerfile"]).read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def script(name: str, folder: str):
    """A script of the repository as a module."""
    spec = importlib.util.spec_from_file_location(f"environment_{name}", ROOT / folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_container_begins_with_the_readmes_first_command():
    first = re.search(r"^```\n(make [a-z]+)", README, re.MULTILINE)[1]
    assert CONTAINER["postCreateCommand"] == first and first.split()[1] in TARGETS


def test_the_container_takes_a_gpu_where_there_is_one_and_needs_none():
    assert CONTAINER["hostRequirements"]["gpu"] == "optional" and "runArgs" not in CONTAINER
    assert CONTAINER["forwardPorts"] == [8888] and "8888" in CONTAINER["portsAttributes"]
    settings = CONTAINER["customizations"]["vscode"]["settings"]
    assert settings["python.defaultInterpreterPath"].endswith("/.venv/bin/python")


def test_the_containers_python_is_the_one_that_was_tested_and_its_user_is_not_root():
    version = re.search(r"^FROM python:(\d+\.\d+)", DOCKERFILE, re.MULTILINE)[1]
    assert version in SpecifierSet(PROJECT["requires-python"])
    assert version in SpecifierSet(str(conda()["python"]))
    assert f"Python {version}" in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()[0]
    assert re.search(rf"^USER {CONTAINER['remoteUser']}$", DOCKERFILE, re.MULTILINE)
    assert f" {CONTAINER['remoteUser']}\n" in DOCKERFILE.split("useradd")[1]


def test_the_container_holds_what_make_would_install_as_root():
    environment = script("make_environment", "tools")
    for package, _ in environment.SYSTEM.values():
        assert re.search(rf"\b{package}\b", DOCKERFILE), package


# ---- the routes of the README


def test_the_readmes_routes_name_what_there_is():
    uv = re.search(r'`uv venv && uv pip install [^`]*-e "\.\[([a-z,]+)\]"`', README)[1]
    assert set(uv.split(",")) <= set(PROJECT["optional-dependencies"]) and {"kernels", "lab"} <= set(uv.split(","))
    name = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["name"]
    assert f"conda activate {name}`" in README and "conda env create -f environment.yml" in README
    for command in set(re.findall(r"(?:^|`)make ([a-z]+)", README, re.MULTILINE)):
        assert command in TARGETS, f"make {command}"
    for module in set(re.findall(r"python -m (learning[\w.]+)", README)):
        assert importlib.util.find_spec(module.rstrip(".")), module


def test_conda_says_how_its_environment_is_made_and_what_to_take_without_a_gpu():
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    assert f"conda activate {yaml.safe_load(text)['name']}" in text and "pytorch-cpu" in text
    floor = next(line for line in PROJECT["optional-dependencies"]["kernels"] if line.startswith("torch"))
    assert f"pytorch-cpu{floor.removeprefix('torch')} " in text


@pytest.mark.parametrize(
    ("requires", "demanded"),
    [
        ("Requires-Dist: triton==3.7.1; platform_system == 'Linux'", "triton==3.7.1"),
        ("Requires-Dist: triton (==3.7.1) ; sys_platform == 'linux'", "triton==3.7.1"),
        ("Requires-Dist: filelock", ""),
        ("", ""),
    ],
)
def test_a_torch_that_demands_another_triton_gets_it(tmp_path, monkeypatch, requires, demanded):
    """A CUDA build pins its Triton: with the pin of constraints.txt beside it, pip can install neither."""
    environment = script("make_environment", "tools")
    folder = tmp_path / "torch-2.13.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0\n{requires}".strip() + "\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(environment, "PYTHON", sys.executable)
    assert environment.torchs_triton() == demanded
    made = environment.constraints(demanded).splitlines()
    kept = (ROOT / "constraints.txt").read_text().splitlines()
    changed = [(old, new) for old, new in zip(kept, made, strict=True) if old != new]
    assert changed == ([(environment.pinned("triton"), "triton==3.7.1")] if demanded else [])
    (pin,) = [line for line in made if line.startswith("triton==")]
    assert pin.split("==")[1] in declared("kernels")["triton"].specifier


def test_what_the_readme_says_of_a_gpu_is_what_the_records_hold():
    from learning import lesson

    checks, sanitized = (
        json.loads((ROOT / "benchmarks" / "results" / name).read_text(encoding="utf-8"))
        for name in ("gpu-checks.json", "sanitizer.json")
    )
    words = " ".join(README.split())
    assert "graded: every answer, variant and mutant of all lessons and capstones" in words
    for card in [*lesson.discover(), *lesson.discover("capstone")]:
        assert checks[card.slug]["as_expected"] is True, card.slug
    assert "compute-sanitizer found nothing in any GPU lesson's or capstone's answer" in words
    for card in [*lesson.discover(), *lesson.discover("capstone")]:
        if card.kind == "gpu":
            runs = sanitized["runs"][card.slug]
            assert set(runs) == {"memcheck", "initcheck", "racecheck"} and all(run["clean"] for run in runs.values()), (
                card.slug
            )


# ---- the first five minutes


def test_what_the_readme_says_of_the_first_five_minutes_is_what_was_measured():
    clock = script("first_five_minutes", "benchmarks")
    found = json.loads(clock.RECORD.read_text(encoding="utf-8"))
    words = " ".join(README.split())
    assert clock.sentence(found) in words, f"the record gives: {clock.sentence(found)}"
    assert found["date"] in words and found["runs"]
    assert all(set(one["seconds"]) == {*clock.STEPS, clock.TERMINAL} for one in found["runs"])
    assert all(spent > 0 for one in found["runs"] for spent in one["seconds"].values())


def test_the_sentence_adds_up_the_medians_of_the_runs():
    clock = script("first_five_minutes", "benchmarks")
    runs = [{"seconds": dict(zip((*clock.STEPS, clock.TERMINAL), row, strict=True)), "load": 0.1}
            for row in ((1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6), (9, 9, 9, 9, 9, 9))]  # fmt: skip
    found = {"runs": runs, "machine": {"cores": 4, "gpu": ""}}
    told = clock.sentence(found)
    assert (
        "On 4 cores and no GPU you wait 15 s in all: 6 s until" in told
        and "4 s to run it as it comes, 5 s from" in told
    )
    busy = clock.sentence(found | {"runs": [one | {"load": 3.2} for one in runs]})
    assert "On 4 cores that were busy with other work (load 3) and no GPU you wait 15 s" in busy


def test_the_front_page_shows_pictures_that_exist_are_small_and_have_words():
    shots = script("screenshots", "tools")
    shown = dict(re.findall(r"!?\[([^\]]+)\]\(docs/pictures/([a-z-]+)\.png\)", README))
    assert set(shown.values()) == set(shots.NAMES) and all(len(words) > 15 for words in shown)
    for name in shots.NAMES:
        data = (shots.PICTURES / f"{name}.png").read_bytes()
        width, height = int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
        assert data.startswith(b"\x89PNG") and len(data) <= shots.MOST
        assert (width, height) == (shots.WIDTH * shots.SCALE, shots.HEIGHT * shots.SCALE)
