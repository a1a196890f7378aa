"""One worker as the judge holds it: that it does not start, and how it ended, is told."""

from __future__ import annotations

import os
import signal
import socket
import struct

import pytest

from learning.judge import child


@pytest.fixture
def no_gpu_after_all(tmp_path):
    """A worker that is to open a CUDA context and cannot: the judge's end of its line."""
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("the GPU here opens")
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        from learning.judge import worker

        try:
            worker.main(theirs, folder=str(tmp_path), device="cuda", printed=100)
        finally:
            os._exit(72)
    theirs.close()
    yield child.Worker(ours, None)
    os.waitpid(pid, 0)
    ours.close()


def test_a_worker_that_does_not_start_says_why(no_gpu_after_all):
    with pytest.raises(child.ServerLost, match=r"a worker did not start: \w+Error: .*(CUDA|NVIDIA)"):
        no_gpu_after_all.wait_ready()


@pytest.mark.parametrize(
    ("code", "out_of_memory", "words"),
    [
        (0, 0, "it ended itself with exit status 0"),
        (3, 0, "it ended itself with exit status 3"),
        (-signal.SIGSEGV, 0, "segmentation fault"),
        (-signal.SIGXCPU, 0, "it used up its processor time"),
        (-signal.SIGUSR1, 0, "it was ended by SIGUSR1"),
        (-300, 0, "it was ended by signal 300"),
        (-signal.SIGKILL, 1, "it used more memory than a check may"),
    ],
)
def test_how_a_worker_ended_is_told_by_what_its_server_saw(code, out_of_memory, words):
    (ours, theirs), (status, server) = socket.socketpair(), socket.socketpair()
    worker = child.Worker(ours, status)
    socket.send_fds(server, [b"pidf"], [os.pidfd_open(os.getpid())])
    server.send(struct.pack("<ib", code, out_of_memory))
    assert words in worker.ending()
    server.close()
    theirs.close()
    status.close()
    ours.close()
    os.close(worker._pidfd)


def test_a_worker_whose_server_is_gone_is_the_judges_loss_and_nobodys_fault():
    (ours, theirs), (status, server) = socket.socketpair(), socket.socketpair()
    server.close()
    with pytest.raises(child.ServerLost, match="server that held the worker is gone"):
        child.Worker(ours, status).ending(0.1)
    for line in (ours, theirs, status):
        line.close()
