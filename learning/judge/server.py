"""The warm server: imports torch and triton once, then forks a worker for every check. It never initialises CUDA.

What it imports beyond that every fork pays for, twice a check: Python's ``random`` and ``threading`` alone touch 160 pages
of a child's memory after each fork. So neither they nor what needs them is imported at module level.

``python -c BOOT '{json}'`` starts it, inside bubblewrap where there is one. Requests arrive on a control socket with
two sockets attached: one becomes the worker's line to the judge, the other tells how the worker ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import struct
import sys
import traceback
from typing import TYPE_CHECKING

with contextlib.suppress(ImportError):  # every fork sets limits, and would import it for itself
    import resource  # noqa: F401

from learning.judge import quick, sandbox

if TYPE_CHECKING:
    from learning.judge.prepared import Prepared

BOOT = """
import json, sys
options = json.loads(sys.argv[1])
sys.path.insert(0, options["root"])
sys.path += [path for path in options["path"] if path not in sys.path]
from learning.judge import {module}
{module}.main(options)
"""


def main(options: dict) -> None:
    """Warm up, say hello on the control socket, then fork workers until the judge hangs up."""
    control = socket.socket(fileno=options["control"])
    lacks, uid = [], os.getuid()
    if uid == 0 and options["wrapped"]:
        sandbox.plain_proc()
        sandbox.become_nobody(sandbox.NOBODY)
        uid = sandbox.NOBODY
    ready = None
    if options["device"] == "cuda":
        from learning.judge.prepared import Prepared

        ready = Prepared(BOOT, options)
    if not options["wrapped"]:
        import tempfile  # noqa: F401  (forks then use it)
    with quick.imports():
        target, uncompiled = warm(options["device"])
    lacks += [uncompiled] if uncompiled else []
    if uid == 0:
        uid, reason = _plain_user()
        lacks += [reason] if reason else []
    sandbox.hide_memory(True)
    isolated, reason = _try_isolation(options, uid)
    if not options["wrapped"]:
        lacks.append(
            f"there is no bubblewrap ({options['why']}), so the file system is readable as far as its user may"
        )
    if not isolated:
        lacks.append(
            f"the host refuses namespaces of a check's own ({reason}), so checks of one submission share a view"
        )
    if ready is not None and not isolated:
        ready.wait()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    control.send(
        json.dumps({"isolated": isolated, "uid": uid, "lacks": lacks, "target": target, "pid": os.getpid()}).encode()
    )
    while True:
        message, received, _, _ = socket.recv_fds(control, 1 << 16, 2)
        if not message:
            os._exit(0)  # taking torch apart would keep the judge waiting
        request = json.loads(message)
        if ready is not None:
            ready.collect()
        pid = os.fork()
        if pid == 0:
            try:
                control.close()
                _keep(*received, options=options, limits=request, uid=uid, isolated=isolated, ready=ready)
            except BaseException:
                traceback.print_exc()  # to the server's error file, which the judge quotes
            finally:
                os._exit(70)
        for descriptor in received:
            os.close(descriptor)


def warm(device: str) -> tuple[str, str]:
    """Import what workers need: nothing for "cpu"; torch, triton and the course's device door otherwise.

    On a virtual card kernels are compiled as far as the compiler's verdict goes. Returns that card's target or "", and
    as a clause why kernels are only interpreted here although a virtual card was asked for, or "".
    """
    from learning.judge import worker  # noqa: F401

    if device == "cpu":
        return "", ""
    from learning.lens import device as door
    from learning.lens import toolchain

    virtual = device not in ("interpreter", "cuda")
    why = toolchain.complaint() if virtual else ""
    opened = door.open("interpreter" if why else device)
    import torch
    import triton
    import triton.language

    from learning import contract  # noqa: F401  (a worker finds what every check imports)
    from learning.judge import guard, held, holds, intact  # noqa: F401  (bind torch's own methods before any learner's code can patch them)

    torch.set_num_threads(1)
    with contextlib.suppress(ImportError):  # a first launch imports it: 143 against 24 ms in every worker
        import triton.experimental.gluon  # noqa: F401
    if device != "cuda":
        from learning.judge import warmup

        if opened.target:
            from learning.lens import verdict

            verdict.only()
        warmup.launch()  # 24 against 15 ms
    intact.keep()
    return opened.target, f"kernels were interpreted and not compiled: {why}" if why else ""


def _plain_user() -> tuple[int, str]:
    """As host root without bubblewrap: the user that workers become, and what does not hold if it must stay root."""
    pid = os.fork()
    if pid == 0:
        try:
            sandbox.become_nobody(sandbox.NOBODY)
            places = (sandbox.PACKAGE / "judge", os.path.dirname(os.path.realpath(sys.executable)), os.__file__)
            packages = [sys.modules[name].__file__ for name in ("torch", "triton") if name in sys.modules]
            os._exit(0 if all(os.access(place, os.R_OK) for place in (*places, *packages)) else 1)
        finally:
            os._exit(2)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status == 0:
        return sandbox.NOBODY, ""
    why = "cannot read this Python environment" if status == 1 else "is not a user this host allows"
    return 0, f"the worker is root, because nobody {why}"


def _try_isolation(options: dict, uid: int) -> tuple[bool, str]:
    """Whether a fork can have namespaces of its own here, and what the host said if not."""
    if not options["isolate"]:
        return False, "left out on request"
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            folder = _scratch(options, uid)
            if uid != os.getuid():
                sandbox.become_nobody(uid)
            sandbox.unshare()
            child = os.fork()
            if child == 0:
                sandbox.furnish(folder, options["masks"])
                os._exit(0)
            os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) and 71)
        except OSError as problem:
            os.write(writer, str(problem).encode())
        finally:
            os._exit(71)
    os.close(writer)
    status = os.waitpid(pid, 0)[1]
    reason = os.read(reader, 4096).decode(errors="replace")
    os.close(reader)
    return status == 0, reason or "its private folder cannot be mounted"


def _scratch(options: dict, uid: int) -> str:
    """The private folder's mount point: ``/scratch`` inside bubblewrap, else a new temporary folder."""
    if options["wrapped"]:
        return sandbox.SCRATCH
    import tempfile

    folder = tempfile.mkdtemp(prefix="worker-", dir=options["scratch"])
    if uid != os.getuid():
        os.chown(folder, uid, uid)
    return folder


def _keep(
    line: int, status: int, *, options: dict, limits: dict, uid: int, isolated: bool, ready: Prepared | None
) -> None:
    """Between server and worker: set the fork up, wait for it, tell how it ended, kill what it left behind."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sandbox.die_with_parent()
    sandbox.adopt_orphans()
    told = socket.socket(fileno=status)
    folder = _scratch(options, uid)
    if uid != os.getuid():
        sandbox.become_nobody(uid)
    if isolated:
        sandbox.unshare()
    pid = os.fork()
    if pid == 0:
        try:
            told.close()
            _become_worker(line, folder, options, limits, isolated, ready)
            os._exit(0)
        finally:
            os._exit(72)
    os.close(line)
    watched = os.pidfd_open(pid)
    socket.send_fds(told, [b"pid\n"], [watched])
    out_of_memory = _wait(watched, pid, limits)
    code = os.waitpid(pid, 0)[1]
    if not isolated:
        _kill_leftovers(uid)
    if not options["wrapped"]:
        shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):  # a judge that killed the worker does not ask how it ended
        told.sendall(struct.pack("<ib", os.waitstatus_to_exitcode(code), out_of_memory))
    os._exit(0)


def _wait(watched: int, pid: int, limits: dict) -> bool:
    """Wait for the worker; where its address space cannot be capped, watch its resident size. True if it outgrew it."""
    cap = limits["resident_bytes"]
    poll = select.poll()
    poll.register(watched, select.POLLIN)
    while not poll.poll(50 if cap else None):
        try:
            with open(f"/proc/{pid}/statm") as file:
                resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            continue
        if resident > cap:
            signal.pidfd_send_signal(watched, signal.SIGKILL)
            return True
    return False


def _kill_leftovers(uid: int) -> None:
    """Kill the processes a worker without a pid namespace left behind: this process has adopted them."""
    for _ in range(100):
        children = []
        with contextlib.suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children") as file:
            children = [int(child) for child in file.read().split()]
        if not children:
            return
        for child in children:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        with contextlib.suppress(OSError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _become_worker(line: int, folder: str, options: dict, limits: dict, isolated: bool, ready: Prepared | None) -> None:
    from learning.judge import worker

    sock = socket.socket(fileno=line)
    try:
        cells = _furnish(folder, options, limits, isolated, ready)
    except Exception as problem:
        worker.unready(sock, problem)
        raise
    worker.main(sock, folder=cells, device=options["device"], printed=limits["printed"])


def _furnish(folder: str, options: dict, limits: dict, isolated: bool, ready: Prepared | None) -> str:
    """Make this process a worker's, its limits and its private ``folder`` included; returns the folder for cells' files."""
    sandbox.die_with_parent()
    os.setsid()
    mapped = sandbox.mapped_bytes()  # before /proc is furnished away
    if isolated:
        sandbox.furnish(folder, options["masks"])
    else:
        sandbox.hide_memory(True)
    sandbox.drop_capabilities()
    room = limits["address_space"]
    sandbox.limit(
        address_space=None if room is None else mapped + room,
        processes=limits["processes"],
        seconds=limits["processor_seconds"],
    )
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    cells = os.path.join(folder, "cells")
    os.mkdir(cells, 0o700)
    for name in ("HOME", "TMPDIR"):
        os.environ[name] = folder
    os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "triton")
    if ready is not None:
        ready.furnish(os.environ["TRITON_CACHE_DIR"])
    if "tempfile" in sys.modules:  # else it will find TMPDIR
        sys.modules["tempfile"].tempdir = folder
    os.chdir(folder)
    return cells
