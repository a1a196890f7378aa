"""Files that several append to are opened in one way: made where missing, locked, and nothing but regular files."""

from __future__ import annotations

import os
import threading

import pytest

from learning.gates import carry, lock, log, records


class Refused(ValueError):
    pass


def test_it_is_made_locked_and_closed_again(tmp_path):
    path = tmp_path / "kept"
    with lock.appending(path, Refused) as handle:
        lock.write(handle, b"one\n")
    with lock.appending(path, Refused) as handle:
        os.lseek(handle, 0, os.SEEK_SET)
        assert os.read(handle, 100) == b"one\n"
        lock.write(handle, b"two\n")  # at the end, wherever it was read
    assert path.read_bytes() == b"one\ntwo\n"
    with pytest.raises(OSError):
        os.fstat(handle)


def test_all_is_written_where_the_system_takes_a_part_at_a_time(tmp_path, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, data[:3]))
    with lock.appending(tmp_path / "kept", Refused) as handle:
        lock.write(handle, b"0123456789")
    assert (tmp_path / "kept").read_bytes() == b"0123456789"


def test_writers_take_turns(tmp_path):
    path, writers = tmp_path / "kept", 8

    def add(letter):
        for _ in range(5):
            with lock.appending(path, Refused) as handle:
                size = os.fstat(handle).st_size
                lock.write(handle, letter * 4)
                assert os.fstat(handle).st_size == size + 4

    threads = [threading.Thread(target=add, args=(bytes([97 + k]),)) for k in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(path.read_bytes()) == writers * 20


def test_one_that_stays_locked_is_told_in_the_callers_own_error(tmp_path, monkeypatch):
    path, patient = tmp_path / "kept", lock.locked
    monkeypatch.setattr(lock, "locked", lambda handle: patient(handle, wait=0.02))
    with (
        lock.appending(path, Refused),
        pytest.raises(Refused, match="kept stayed locked by another process"),
        lock.appending(path, Refused),
    ):
        pass


def test_what_the_block_raises_is_let_through(tmp_path):
    with pytest.raises(KeyError), lock.appending(tmp_path / "kept", Refused):
        raise KeyError("mine")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe by name")
@pytest.mark.parametrize(
    ("name", "append", "error"),
    [
        (records.FILE, lambda path: records.append(path, "reference", "vector_add"), records.RecordError),
        (records.FILE, lambda path: carry.merge(path, b""), carry.CarryError),
        ("logs.txt", lambda path: carry._log(path, b"entry\n", carry.Taken("vector_add")), carry.CarryError),
        ("logs.txt", lambda path: log.append(path, "entry\n"), log.LogError),
    ],
    ids=["a record", "a carried log of records", "a carried logs.txt", "an entry"],
)
def test_a_pipe_in_its_place_is_refused_and_nobody_waits_for_it(tmp_path, name, append, error):
    os.mkfifo(tmp_path / name)
    with pytest.raises(error, match="is not a regular file, so nothing can be kept in it"):
        append(tmp_path / name)
