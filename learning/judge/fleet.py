"""The judge's side of the servers: start them, lend them, ask them for workers, end them.

Standard library only; Linux forks, other systems start a plain process for each check (CPU lessons alone).
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from learning.judge import lasting, sandbox
from learning.judge.child import READY_SECONDS, ServerLost, Worker
from learning.judge.server import BOOT

START_SECONDS = 120.0


class ForkServer:
    """A warm server process for one device ("cpu", "interpreter", "cuda", or the virtual "sm_75" and its like); forks a
    worker when asked."""

    def __init__(
        self, device: str, masks: Iterable[str] = (), *, wrap: bool = True, isolate: bool = True,
        begun: Callable[[ForkServer], object] = lambda server: None,
    ):  # fmt: skip
        self.device, self.stamp, self._unwanted = device, package_stamp(), False
        self._process: subprocess.Popen | None = None
        begun(self)  # whoever is told may ``cancel`` from another thread
        self._folder = tempfile.mkdtemp(prefix="judge-")
        os.chmod(self._folder, 0o711)
        self._masks, self._isolate = [*masks, *_private_places()], isolate
        why = "not installed" if wrap else "left out on request"
        if wrap:
            started = self._start(True, "")
            if started is True:
                return
            why = started or why
        if self._unwanted or self._start(False, why) is not True:
            complaint = self._complaint()
            shutil.rmtree(self._folder, ignore_errors=True)
            raise ServerLost(f"the server for {device!r} did not start: {complaint}")

    def _start(self, wrapped: bool, why: str) -> bool | str:
        """Start the process and read its hello; True, or why not ("" where bubblewrap is missing)."""
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        scratch = sandbox.SCRATCH if wrapped else self._folder
        options = {
            "control": there.fileno(),
            "device": self.device,
            "wrapped": wrapped,
            "why": why,
            "scratch": scratch,
            "root": str(sandbox.ROOT),
            "path": [] if self.device == "cpu" else [path for path in sys.path if "-packages" in path],
            "masks": [] if wrapped else self._masks,
            "isolate": self._isolate,
        }
        flags = ["-I", "-S"] if self.device == "cpu" else ["-I"]
        command = [sys.executable, *flags, "-c", BOOT.format(module="server"), json.dumps(options)]
        cuda = self.device == "cuda"
        if wrapped:
            command = sandbox.bubblewrap(command, cuda=cuda)
            if command is None:
                here.close()
                there.close()
                return ""
        with open(os.path.join(self._folder, "errors.txt"), "wb") as errors:
            self._process = lasting.popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=[there.fileno()],
                env=sandbox.environment(scratch, cuda=cuda),
                cwd="/",
                start_new_session=True,
            )
        there.close()
        if self._unwanted:
            self.cancel()
        here.settimeout(START_SECONDS)
        try:
            hello = json.loads(here.recv(1 << 16) or b"null")
        except (OSError, ValueError):
            hello = None
        if hello is None:
            here.close()
            self._process.kill()
            self._process.wait()
            return "it did not start: " + self._complaint()
        self._control = here
        self.held = sandbox.Held(wrapped, hello["isolated"], hello["uid"], tuple(hello["lacks"]), hello["target"])
        return True

    def _complaint(self) -> str:
        with contextlib.suppress(OSError):
            lines = Path(self._folder, "errors.txt").read_text(errors="replace").strip().splitlines()
            return lines[-1][:300] if lines else "no message"
        return "no message"

    @property
    def alive(self) -> bool:
        """Whether it can still be asked for workers."""
        return self._process is not None and self._process.poll() is None

    def worker(self, limits: Any) -> Worker:
        """Ask for a worker under ``limits`` (an ``engine.Limits``); returns at once, before it is ready.

        Raises ``ServerLost`` where the server is gone.
        """
        cuda = self.device == "cuda"
        request = {
            "address_space": None if cuda else limits.memory_bytes,
            "resident_bytes": limits.memory_bytes if cuda else 0,
            "processes": limits.processes,
            "processor_seconds": int(limits.total_seconds * 2 + 10),
            "printed": limits.printed_characters,
        }
        line, their_line = socket.socketpair()
        status, their_status = socket.socketpair()
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], [their_line.fileno(), their_status.fileno()])
        except OSError as problem:
            raise ServerLost(f"the server for {self.device!r} is gone: {problem}") from None
        finally:
            their_line.close()
            their_status.close()
        return Worker(line, status)

    def cancel(self) -> None:
        """End a server that has not started yet, whose start then raises ``ServerLost`` in the thread that waits for it."""
        self._unwanted = True
        if self._process is not None:
            with contextlib.suppress(OSError):  # the group: bubblewrap's child is not bound to end with it at once
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the server and everything it forked."""
        if self._process is not None:
            self._control.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.5)
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


class SpawnServer:
    """Where there is no fork (Windows, macOS): every check gets a plain new process. CPU lessons only."""

    device = "cpu"
    alive = True
    held = sandbox.Held(False, False, -1, ("this system has no namespaces, so files and network are open to it",))

    def __init__(self) -> None:
        self.stamp = package_stamp()

    def worker(self, limits: Any) -> Worker:
        """Start a worker; returns when it has called back. Raises ``ServerLost`` where it does not."""
        token = secrets.token_hex(16)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            options = {
                "root": str(sandbox.ROOT),
                "path": [],
                "port": listener.getsockname()[1],
                "printed": limits.printed_characters,
                "memory": limits.memory_bytes,
            }
            command = [sys.executable, "-I", "-S", "-c", BOOT.format(module="spawned"), json.dumps(options)]
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=sandbox.environment(tempfile.gettempdir(), cuda=False),
            )
            process.stdin.write(token.encode())
            process.stdin.close()
            listener.settimeout(READY_SECONDS)
            try:
                while True:
                    line, _ = listener.accept()
                    line.settimeout(READY_SECONDS)
                    if line.recv(len(token), socket.MSG_WAITALL) == token.encode():
                        return Worker(line, None, process)
                    line.close()
            except OSError as problem:
                process.kill()
                raise ServerLost(f"a worker did not start: {problem}") from None

    def close(self) -> None:
        """Nothing to end: workers end with their checks."""


class Servers:
    """Warm servers, one a device kind, kept for reuse; a context manager that ends them.

    ``private`` names files and folders that workers must never see where there is no bubblewrap (the gradebook, the
    secret seed); the course's own folders are always among them. ``wrap=False`` leaves bubblewrap out,
    ``isolate=False`` namespaces, ``fork=False`` forks. A server is started again when the package's source has changed or it has died. Safe to use from several threads; every
    process needs its own.
    """

    def __init__(
        self,
        private: Iterable[str | os.PathLike] = (),
        *,
        wrap: bool = True,
        isolate: bool = True,
        fork: bool | None = None,
    ):
        self._private = [str(Path(path).resolve()) for path in private]
        self._options = {"wrap": wrap, "isolate": isolate}
        self._fork = sys.platform.startswith("linux") if fork is None else fork
        self._servers: dict[str, ForkServer | SpawnServer] = {}
        self._lent: dict[ForkServer | SpawnServer, int] = {}
        self._starting: list[ForkServer] = []
        self._closed, self._lock = False, threading.Lock()

    def get(self, device: str) -> ForkServer | SpawnServer:
        """The warm server for ``device``, lent until ``release``. Raises ``ServerLost`` where none starts, or after ``close``."""
        with self._lock:
            if self._closed:
                raise ServerLost("the servers are closed")
            server = self._servers.get(device)
            if server is None or not server.alive or server.stamp != package_stamp() or _used_up(server):
                self._retire(device)
                if not self._fork and device != "cpu":
                    raise ServerLost(f"{device!r} needs Linux: on this system only CPU lessons can be graded")
                server = self._started(device) if self._fork else SpawnServer()
                self._servers[device] = server
            self._lent[server] = self._lent.get(server, 0) + 1
            return server

    def release(self, server: ForkServer | SpawnServer) -> None:
        """Give a lent server back; one that has been replaced meanwhile ends with its last borrower."""
        with self._lock:
            self._lent[server] = self._lent.get(server, 1) - 1
            if self._lent[server] <= 0:
                del self._lent[server]
                if server not in self._servers.values():
                    server.close()

    def _started(self, device: str) -> ForkServer:
        def begun(server: ForkServer) -> None:
            self._starting.append(server)
            if self._closed:
                server.cancel()

        try:
            return ForkServer(device, self._private, begun=begun, **self._options)
        finally:
            self._starting.clear()

    def _retire(self, device: str) -> None:
        server = self._servers.pop(device, None)
        if server is not None and server not in self._lent:
            server.close()

    def close(self) -> None:
        """End every server, and what has not started yet at once."""
        self._closed = True
        for server in [*self._starting]:
            server.cancel()
        with self._lock:
            for server in {*self._servers.values(), *self._lent}:
                server.close()
            self._servers.clear()
            self._lent.clear()

    def __enter__(self) -> Servers:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _used_up(server: ForkServer | SpawnServer) -> bool:
    """Where forks share bubblewrap's one view, each submission gets a bubblewrap of its own."""
    return server.held.wrapped and not server.held.isolated


def package_stamp() -> tuple:
    """Changes when a source file of the package does: paths, sizes and times of all its modules outside lessons."""
    found = []
    for room in ("", "judge", "lens"):
        for place, folders, names in os.walk(os.path.join(sandbox.PACKAGE, room)):
            if not room:
                folders.clear()
            for path in (os.path.join(place, name) for name in names if name.endswith(".py")):
                with contextlib.suppress(OSError):
                    state = os.stat(path)
                    found.append((path, state.st_size, state.st_mtime_ns))
    return tuple(sorted(found))


def _private_places() -> list[str]:
    places = [sandbox.PACKAGE / "lessons", *(sandbox.ROOT / name for name in sandbox.COURSE_FOLDERS)]
    return [str(place) for place in places if place.exists()]
