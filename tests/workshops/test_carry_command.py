"""The command and the notebook's side of carrying progress: export, import, a folder of one's own, Colab's Drive."""

import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from learning import session
from learning.gates import records
from learning.gates.carry import CarryError
from learning.judge import setting as settings
from learning.workshops import carry

ROOT = Path(carry.__file__).parents[2]


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A work folder with one record, which ``LEARNING_WORK`` names."""
    monkeypatch.setenv("LEARNING_WORK", str(tmp_path / "work"))
    records.append(tmp_path / "work" / "vector_add" / records.FILE, "tick", "vector_add")
    return tmp_path / "work"


def test_exported_here_and_imported_there_with_nothing_installed(work, tmp_path):
    def command(*words, folder):
        return subprocess.run(
            [sys.executable, "-S", "-m", "learning.workshops.carry", *words], cwd=ROOT, capture_output=True, text=True,
            env=os.environ | {"LEARNING_WORK": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip

    file = str(tmp_path / "mine.zip")
    assert command("export", file, folder=work).returncode == 0
    again = command("export", file, folder=work)
    assert again.returncode == 3 and "exists already" in again.stderr
    done = command("import", file, folder=tmp_path / "other")
    assert done.returncode == 0 and "1 records added" in done.stdout
    assert len(records.read(tmp_path / "other" / "vector_add" / records.FILE)) == 1


@pytest.mark.parametrize("words", [[], ["import"], ["export", "--help"], ["take", "x"], ["export", "a", "b"]])
def test_a_usage_error_says_how(words, capsys):
    assert carry.main(words) == 64
    assert "export [FILE.zip] | import FILE.zip" in capsys.readouterr().err


def test_a_missing_file_is_named(capsys, tmp_path):
    assert carry.main(["import", str(tmp_path / "none.zip")]) == 3
    assert "none.zip" in capsys.readouterr().err


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """A session of the CPU lesson whose notebook lies in a folder of its own, outside any work folder."""
    monkeypatch.setattr(session, "_session", None)
    before = settings._default
    yield session.begin("online_normalizer", folder=tmp_path / "content")
    settings.install(before)


def test_a_folder_of_ones_own_takes_over_what_was_kept_before(work, opened, tmp_path):
    opened.note("tick", {"gate": "log"})
    told = carry.use_folder(tmp_path / "synced")
    assert os.environ["LEARNING_WORK"] == str(tmp_path / "synced")
    assert len(records.read(tmp_path / "synced" / "vector_add" / records.FILE)) == 1
    assert opened.log == tmp_path / "synced" / "online_normalizer" / records.FILE and len(opened.evidence()) == 1
    opened.note("tick", {"gate": "kernel"})
    assert len(opened.evidence()) == 2 and "online_normalizer: 1 records added" in told.markdown.replace("\\_", "_")
    assert carry.use_folder(tmp_path / "synced").markdown.count("- ") == 0  # nothing to bring a second time


def test_outside_colab_the_drive_is_refused_in_words(monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab.drive", None)
    with pytest.raises(CarryError, match=r"only Colab .* use_folder"):
        carry.use_drive()


def test_in_colab_the_learner_is_asked_and_may_say_no(monkeypatch, work, tmp_path):
    asked = []

    def mount(place):
        asked.append(place)
        if len(asked) == 1:
            raise ValueError("mount failed")

    monkeypatch.setattr(carry, "DRIVE", tmp_path / "drive")
    monkeypatch.setattr(session, "_session", None)
    monkeypatch.setitem(sys.modules, "google.colab.drive", types.SimpleNamespace(mount=mount))
    monkeypatch.setattr(carry.importlib, "import_module", lambda name: sys.modules[name])
    with pytest.raises(CarryError, match="not mounted: mount failed"):
        carry.use_drive()
    assert os.environ["LEARNING_WORK"] == str(work)
    carry.use_drive()
    kept = tmp_path / "drive" / "MyDrive" / "triton-kernel-course"
    assert os.environ["LEARNING_WORK"] == str(kept) and asked == [str(tmp_path / "drive")] * 2
    assert len(records.read(kept / "vector_add" / records.FILE)) == 1


def test_a_notebook_elsewhere_keeps_its_evidence_where_learning_work_says(monkeypatch, tmp_path):
    monkeypatch.setattr(session, "_session", None)
    monkeypatch.setenv("LEARNING_WORK", str(tmp_path / "mine"))
    monkeypatch.setenv("COLAB_RELEASE_TAG", "release-colab")
    before, here = settings._default, tmp_path / "content"
    here.mkdir()
    for folder, log in (
        (here, tmp_path / "mine" / "online_normalizer" / records.FILE),
        (tmp_path / "mine" / "online_normalizer", tmp_path / "mine" / "online_normalizer" / records.FILE),
        (tmp_path / "mine" / "aside", tmp_path / "mine" / "aside" / records.FILE),
    ):
        monkeypatch.setattr(session.History, "folder", lambda self, folder=folder: folder)
        opened = session.begin("online_normalizer")
        assert opened.log == log and "Drive" not in repr(opened)
    monkeypatch.delenv("LEARNING_WORK")
    monkeypatch.setattr(session.History, "folder", lambda self: here)
    assert "use_drive()" in repr(session.begin("online_normalizer"))
    settings.install(before)
