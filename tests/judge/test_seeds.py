"""The secret seed: made once by whoever comes first, readable by its owner alone, clear about what is wrong with it."""

from __future__ import annotations

import multiprocessing
import os
import stat

import pytest

from learning.judge import seeds


@pytest.fixture
def place(tmp_path):
    return tmp_path / "data" / "seed"


def test_the_first_grading_makes_32_random_bytes_for_the_owner_alone(place, tmp_path):
    key = seeds.read(place)
    assert len(key) == 32 and seeds.read(place) == key
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) & 0o077 == 0 or os.name == "nt"
    assert [p.name for p in place.parent.iterdir()] == ["seed"]
    assert seeds.read(tmp_path / "other") != key


def test_the_mode_does_not_hang_on_the_umask(place):
    before = os.umask(0)
    try:
        seeds.read(place)
    finally:
        os.umask(before)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def _race(path, start, answers):
    start.wait()
    answers.put(seeds.read(path))


def test_processes_that_race_all_get_one_secret(place):
    context = multiprocessing.get_context("fork")
    start, answers = context.Event(), context.Queue()
    racers = [context.Process(target=_race, args=(place, start, answers)) for _ in range(6)]
    for racer in racers:
        racer.start()
    start.set()
    keys = {answers.get(timeout=60) for _ in racers}
    for racer in racers:
        racer.join(60)
    assert keys == {seeds.read(place)}
    assert [p.name for p in place.parent.iterdir()] == ["seed"]


def test_a_file_system_without_hard_links_works_too(place, monkeypatch):
    def refuses(*args, **kwargs):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuses)
    key = seeds.read(place)
    assert len(key) == 32 and seeds.read(place) == key
    assert stat.S_IMODE(place.stat().st_mode) == 0o600 and len(list(place.parent.iterdir())) == 1


@pytest.mark.parametrize("size", [0, 31, 33, 4096])
def test_another_size_is_refused_and_the_file_kept(place, size):
    place.parent.mkdir()
    place.write_bytes(bytes(size))
    place.chmod(0o600)
    with pytest.raises(seeds.SeedError, match="must hold 32"):
        seeds.read(place)
    assert place.stat().st_size == size


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666, 0o610])
def test_a_file_others_may_open_is_refused_with_the_remedy(place, mode):
    seeds.read(place)
    place.chmod(mode)
    with pytest.raises(seeds.SeedError, match=f"{mode:04o}.*chmod 600"):
        seeds.read(place)


def test_a_folder_and_a_link_are_no_secret(place, tmp_path):
    place.mkdir(parents=True)
    with pytest.raises(seeds.SeedError, match="plain file"):
        seeds.read(place)
    seeds.read(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(seeds.SeedError, match="plain file"):
        seeds.read(tmp_path / "link")


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(seeds.SeedError, match="grader_config"):
        seeds.read(tmp_path / "file" / "seed")


def test_rotation_keeps_the_old_secret_beside_the_new(place):
    assert seeds.rotate(place) is None
    first = seeds.read(place)
    backups = [seeds.rotate(place) for _ in range(3)]
    assert len({seeds.read(b) for b in backups}) == 3 and seeds.read(backups[0]) == first
    assert seeds.read(place) not in {seeds.read(b) for b in backups}
    assert all(stat.S_IMODE(p.stat().st_mode) == 0o600 for p in place.parent.iterdir())
    assert len(list(place.parent.iterdir())) == 4


def test_a_case_seed_is_a_function_of_secret_lesson_check_and_case(place):
    seed = seeds.secret(place)
    assert (
        seed("a", "b", "c") == seeds.secret(place)("a", "b", "c") == seeds.case_seed(seeds.read(place), "a", "b", "c")
    )
    others = {seed("a", "b", ""), seed("ab", "", "c"), seed("a", "bc", ""), seed("", "ab", "c"), seed("a", "b", "c")}
    assert len(others) == 5 and all(0 <= s < 2**63 for s in others)
    seeds.rotate(place)
    assert seeds.secret(place)("a", "b", "c") != seed("a", "b", "c")


def test_grades_can_be_replayed_by_later_versions():
    """HMAC-SHA256 over length-prefixed parts, first 8 bytes little-endian, one bit dropped; computed once by hand."""
    assert seeds.case_seed(bytes(range(32)), "vector_add", "adds", "1 element") == 3243655535522632529
