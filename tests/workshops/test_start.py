"""``make start``: every lesson laid out once, nothing overwritten, and a place to begin named."""

import pytest

from learning import course
from learning import lesson as lessons
from learning.workshops import start
from tests.workshops.kit import notebook, save


def release_all(places):
    for card in lessons.discover():
        save(course.release(card.slug, places.root), notebook("vector_add"))


def test_every_lesson_is_laid_out_and_the_first_is_named(places, capsys):
    release_all(places)
    assert start.main(places) == 0
    out = capsys.readouterr().out
    for card in lessons.discover():
        target = places.work / card.slug / f"{card.slug}.ipynb"
        assert target.read_bytes() == course.release(card.slug, places.root).read_bytes()
    first = lessons.discover()[0]
    assert f"Begin with {first.id}, {first.title}" in out
    assert out.count("made from the release") == len(lessons.discover())


@pytest.mark.parametrize(("gpu", "ends"), [(None, " --interpret"), (object(), " vector_add")], ids=["laptop", "GPU"])
def test_the_command_it_ends_with_is_one_that_runs_on_this_machine(places, capsys, monkeypatch, gpu, ends):
    """Without a GPU ``check vector_add`` alone runs nothing and exits with 3."""
    release_all(places)
    monkeypatch.setattr(start.nvml, "first_gpu", lambda: gpu)
    assert start.main(places) == 0
    *_, opening, command = capsys.readouterr().out.splitlines()
    assert command.endswith(ends) and "vector_add.ipynb in JupyterLab" in opening


def test_what_is_there_stays(places, capsys):
    release_all(places)
    mine = places.work / "vector_add" / "vector_add.ipynb"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    assert start.main(places) == 0 and start.main(places) == 0
    assert mine.read_text() == "mine"
    assert "yours, left as it is" in capsys.readouterr().out


def test_a_missing_release_leaves_the_others_alone_and_is_3(places, capsys):
    release_all(places)
    course.release("vector_add", places.root).unlink()
    assert start.main(places) == 3
    assert "make release" in capsys.readouterr().out
    assert (places.work / "online_normalizer" / "online_normalizer.ipynb").is_file()


def test_a_lesson_that_is_named_is_laid_out_alone(places, capsys):
    release_all(places)
    assert start.main(places, ["strided_softmax"]) == 0
    laid = sorted(path.name for path in places.work.iterdir())
    told = capsys.readouterr().out
    assert laid == ["strided_softmax"] and "Begin with I1" in told
    assert start.main(places, ["no_such_lesson"]) == 64
    assert "there is no lesson called 'no_such_lesson'" in capsys.readouterr().err
    assert start.main(places, ["strided_softmax", "--level", "advanced"]) == 64
