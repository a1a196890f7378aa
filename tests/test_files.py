"""Files are written whole or not at all: content, mode, links, a folder that refuses, a death on the way, many at once."""

from __future__ import annotations

import errno
import multiprocessing
import os
import pickle
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from learning import files

WRITERS = (files.replace, files.create)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask_027():
    before = os.umask(0o027)
    yield
    os.umask(before)


@pytest.fixture
def no_hard_links(monkeypatch):
    def refuses(*_args, **_kwargs):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuses)


@pytest.mark.parametrize("write", WRITERS)
@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary() | st.text(st.characters(codec="utf-8")))
def test_what_is_written_is_read_back_to_the_byte(tmp_path, write, data):
    target = tmp_path / "page"
    target.unlink(missing_ok=True)
    assert write(target, data) is True
    assert target.read_bytes() == (data if isinstance(data, bytes) else data.encode()) and os.listdir(tmp_path) == [
        "page"
    ]


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=st.binary(), after=st.binary())
def test_replace_tells_whether_anything_changed_and_create_never_changes(tmp_path, before, after):
    target = tmp_path / "page"
    target.write_bytes(before)
    assert files.create(target, after) is False and target.read_bytes() == before
    assert files.replace(target, after) is (before != after) and target.read_bytes() == after


def test_line_breaks_stay_as_they_are(tmp_path):
    files.replace(tmp_path / "page", "a\r\nb\nc\r")
    assert (tmp_path / "page").read_bytes() == b"a\r\nb\nc\r"


def test_text_that_is_no_utf_8_touches_nothing(tmp_path):
    target = tmp_path / "deep" / "page"
    for write in WRITERS:
        with pytest.raises(UnicodeEncodeError):
            write(target, "half a pair: \ud800")
    assert os.listdir(tmp_path) == []


def test_the_same_bytes_again_leave_the_file_its_time_and_mode(tmp_path):
    target = tmp_path / "page"
    target.write_bytes(b"same")
    target.chmod(0o640)
    os.utime(target, ns=(1, 1))
    number = target.stat().st_ino
    assert files.replace(target, "same") is False
    now = target.stat()
    assert (now.st_mtime_ns, now.st_ino, mode(target)) == (1, number, 0o640)


@pytest.mark.parametrize("now", [b"saved meanwhile", b"new", None])
def test_a_file_that_holds_anything_but_what_was_read_is_left_as_it_is(tmp_path, now):
    path = tmp_path / "file"
    if now is not None:
        path.write_bytes(now)
    with pytest.raises(files.Changed, match="file"):
        files.replace(path, b"new", held=b"old")
    assert [one.name for one in tmp_path.iterdir()] == ([] if now is None else ["file"])
    assert now is None or path.read_bytes() == now
    path.write_bytes(b"old")
    assert files.replace(path, b"new", held=b"old") and path.read_bytes() == b"new"
    assert not files.replace(path, b"new", held=b"new")


def test_missing_folders_are_made_by_replace_and_wanted_by_create(tmp_path):
    assert files.replace(tmp_path / "a" / "b" / "page", "x")
    with pytest.raises(files.WriteError, match=r"missing/page cannot be written \(No such file or directory\)"):
        files.create(tmp_path / "missing" / "page", "x")


@pytest.mark.parametrize("kept", [0o600, 0o644, 0o664, 0o755, 0o444])
def test_a_file_that_is_there_keeps_its_mode(tmp_path, umask_027, kept):
    target = tmp_path / "page"
    target.write_text("old")
    target.chmod(kept)
    assert files.replace(target, "new") and mode(target) == kept


@pytest.mark.parametrize("write", WRITERS)
def test_a_new_file_has_what_the_umask_leaves_or_what_is_named(tmp_path, umask_027, write):
    assert write(tmp_path / "page", "x") and mode(tmp_path / "page") == 0o640
    assert write(tmp_path / "secret", "x", mode=0o600) and mode(tmp_path / "secret") == 0o600
    assert write(tmp_path / "open", "x", mode=0o666) and mode(tmp_path / "open") == 0o666


def test_a_mode_that_is_named_goes_before_that_of_the_file(tmp_path):
    target = tmp_path / "secret"
    target.write_text("old")
    target.chmod(0o644)
    assert files.replace(target, "new", mode=0o600) and mode(target) == 0o600


def test_the_umask_is_never_set(tmp_path, monkeypatch):
    """Setting it, if for a moment, opens what other threads make in that moment."""
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("the umask was set"))
    assert files.replace(tmp_path / "a", "x") and files.create(tmp_path / "b", "x")


def test_a_link_stays_and_the_file_it_names_is_written(tmp_path):
    synced, work = tmp_path / "synced", tmp_path / "work"
    synced.mkdir(), work.mkdir()
    real, link = synced / "real", work / "page"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    assert files.replace(link, "new") and link.is_symlink()
    assert (real.read_text(), mode(real), os.listdir(synced), os.listdir(work)) == ("new", 0o640, ["real"], ["page"])
    assert files.replace(link, "new") is False


def test_a_link_that_names_nothing_yet_is_followed_by_replace_and_left_by_create(tmp_path):
    link = tmp_path / "page"
    link.symlink_to(tmp_path / "later" / "real")
    assert files.create(link, "x") is False and not link.exists()
    assert files.replace(link, "x") and link.is_symlink() and (tmp_path / "later" / "real").read_text() == "x"


def _write_as_nobody(folder: Path, write: str, answers) -> None:
    """From inside the folder, since nobody may not pass through pytest's; root must become nobody to be refused."""
    os.chdir(folder)
    if os.geteuid() == 0:
        os.setgroups([]), os.setgid(65534), os.setuid(65534)
    try:
        getattr(files, write)("page", "x")
    except files.WriteError as told:
        answers.put((str(told), told.errno))
    else:
        answers.put(("it was written", 0))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such bits")
@pytest.mark.parametrize("write", ["replace", "create"])
def test_a_folder_that_refuses_is_named_with_the_file_that_was_meant(tmp_path, write):
    tmp_path.chmod(0o555)
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    writer = context.Process(target=_write_as_nobody, args=(tmp_path, write, answers))
    writer.start()
    told, number = answers.get(timeout=60)
    writer.join(60)
    tmp_path.chmod(0o755)
    assert told.startswith("page cannot be written (Permission denied): it wants a folder that can be written")
    assert number == errno.EACCES and os.listdir(tmp_path) == []


@pytest.mark.parametrize("write", WRITERS)
def test_a_file_where_a_folder_should_be_is_named(tmp_path, write):
    (tmp_path / "page").write_text("")
    with pytest.raises(files.WriteError, match="page/inside cannot be written"):
        write(tmp_path / "page" / "inside", "x")


def test_a_folder_in_the_files_place_is_left(tmp_path):
    (tmp_path / "page").mkdir()
    with pytest.raises(files.WriteError, match="page cannot be written"):
        files.replace(tmp_path / "page", "x")
    assert files.create(tmp_path / "page", "x") is False and os.listdir(tmp_path) == ["page"]


def test_the_error_is_an_oserror_that_travels_between_processes(tmp_path):
    (tmp_path / "page").mkdir()
    with pytest.raises(OSError) as caught:
        files.replace(tmp_path / "page", "x")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is files.WriteError and str(again) == str(caught.value) and again.strerror == "Is a directory"


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    target = tmp_path / "page"
    files.replace(target, "old")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(files.WriteError, match=r"page cannot be written \(No space left on device\)"):
        files.replace(target, "new")
    assert target.read_text() == "old" and os.listdir(tmp_path) == ["page"]


def test_an_interrupt_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    target = tmp_path / "page"
    files.replace(target, "old")
    monkeypatch.setattr(os, "fsync", lambda _: signal.raise_signal(signal.SIGINT))
    for write, path in ((files.replace, target), (files.create, tmp_path / "new")):
        with pytest.raises(KeyboardInterrupt):
            write(path, "new")
    assert target.read_text() == "old" and os.listdir(tmp_path) == ["page"]


def test_a_file_system_that_cannot_sync_is_written_to_all_the_same(tmp_path, monkeypatch):
    def refuses(_):
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", refuses)
    assert files.replace(tmp_path / "page", "x") and (tmp_path / "page").read_text() == "x"


DIES = """
import os, signal, sys
from learning import files

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

setattr(os, sys.argv[2], die)
getattr(files, sys.argv[3])(sys.argv[1], "new")
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
@pytest.mark.parametrize("write, step", [("replace", "fsync"), ("replace", "replace"), ("create", "link")])
def test_a_process_killed_on_the_way_leaves_the_old_file_whole(tmp_path, write, step):
    target = tmp_path / "page"
    if write == "replace":
        target.write_text("old")
    done = subprocess.run([sys.executable, "-c", DIES, str(target), step, write], cwd=Path(__file__).parents[1])
    assert done.returncode == -signal.SIGKILL
    assert (target.read_text() == "old") if write == "replace" else not target.exists()
    (left,) = [name for name in os.listdir(tmp_path) if name != "page"]
    assert left.startswith(".page.") and left.endswith(".part")
    assert files.replace(target, "newer") and target.read_text() == "newer"


def _write_often(target: Path, letter: str, start) -> None:
    start.wait()
    for number in range(40):
        files.replace(target, letter * (1000 + 997 * (number % 7)))


def test_writers_at_once_never_leave_halves(tmp_path):
    target = tmp_path / "page"
    target.write_text("a")
    context = multiprocessing.get_context("fork")
    start = context.Event()
    writers = [context.Process(target=_write_often, args=(target, letter, start)) for letter in "abc"]
    for writer in writers:
        writer.start()
    start.set()
    seen = set()
    while any(writer.is_alive() for writer in writers):
        text = target.read_text()
        assert len(set(text)) == 1 and (len(text) == 1 or (len(text) - 1000) % 997 == 0)
        seen.add(text[0])
    for writer in writers:
        writer.join(60)
    assert seen and [writer.exitcode for writer in writers] == [0, 0, 0] and os.listdir(tmp_path) == ["page"]


def _make(target: Path, letter: str, start, answers) -> None:
    start.wait()
    answers.put((letter, files.create(target, letter * 10_000)))


def test_of_several_that_create_one_is_first_and_all_know(tmp_path):
    context = multiprocessing.get_context("fork")
    start, answers = context.Event(), context.Queue()
    makers = [context.Process(target=_make, args=(tmp_path / "page", letter, start, answers)) for letter in "abcdef"]
    for maker in makers:
        maker.start()
    start.set()
    told = dict(answers.get(timeout=60) for _ in makers)
    for maker in makers:
        maker.join(60)
    (first,) = [letter for letter, made in told.items() if made]
    assert (tmp_path / "page").read_text() == first * 10_000 and os.listdir(tmp_path) == ["page"]


def test_without_hard_links_create_still_never_replaces(tmp_path, no_hard_links, umask_027):
    target = tmp_path / "page"
    assert files.create(target, "first") and mode(target) == 0o640
    assert (
        files.create(target, "second") is False and target.read_text() == "first" and os.listdir(tmp_path) == ["page"]
    )


def test_without_hard_links_a_disk_that_fills_leaves_no_half(tmp_path, no_hard_links, monkeypatch):
    synced = []

    def fills(handle):
        synced.append(handle)
        if len(synced) == 2:  # the temporary file went well, its copy in place does not
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fills)
    with pytest.raises(files.WriteError, match="No space left"):
        files.create(tmp_path / "page", "x")
    assert os.listdir(tmp_path) == []
