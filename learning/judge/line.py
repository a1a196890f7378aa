"""The engine's line to the workers of one submission: a fresh worker for each check, one kept ready ahead, time kept.

Standard library only.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any

from learning.judge import cells as roles
from learning.judge import child, wire
from learning.judge.between import MOST_VISITS
from learning.judge.call import Called
from learning.judge.finding import Fault
from learning.judge.handle import Handle
from learning.judge.worker import fault_from, unpack

TRAFFIC = 3
"""How many calls more a call counts as whose traffic is counted to the end: one before it, and the counting."""


AGAIN = (0.5, 2.0)
"""Seconds until another worker is taken in place of one that did not start."""
_LEAST = 0.05
"""Seconds that any call gets."""


def arguments(packer: wire.Packer, args: tuple, kwargs: dict) -> dict:
    """A call's arguments as fields of a request."""
    positional, named = packer.tree(args), packer.tree(list(kwargs.values()))
    return {"args": positional, "names": list(kwargs), "named": named, "storages": packer.storages}


class Line:
    """Calls entries in the current check's worker; ``begin`` moves on to the next check.

    ``loads`` are the cells as (name, source, role). ``faults``, ``notes`` and ``sandbox`` fill as workers load them.
    """

    def __init__(self, servers: Any, device: str, loads: list[tuple[str, str, str]], limits: Any, checks: int):
        self._servers, self._device, self._loads, self._limits = servers, device, list(loads), limits
        self._checks_left = checks
        self._server: Any = None
        self._spare: child.Worker | None = None
        self._worker: child.Worker | None = None
        self._over: Fault | None = None
        self._hopeless: Fault | None = None
        self._timed_out, self._spent = False, 0.0
        self._asked = self._forgiven = 0.0  # seconds of the current worker: spent on its requests, and taken back
        self.faults: list[Fault] = []
        self.notes: list[str] = []
        self.sandbox, self.target = "No worker was needed.", ""

    def begin(self, left: int | None = None) -> None:
        """The next check starts: the last one's worker ends, whatever it was doing. ``left`` checks may follow here."""
        self._end()
        self._over = None
        self._checks_left = self._checks_left - 1 if left is None else left

    def close(self) -> None:
        """End the worker and the spare."""
        self._end()
        self._give_back()

    def call(
        self, name: str, args: tuple, kwargs: dict, *, poison: int = 0, repeats: int = 1, look: str = "",
        order: str | int = "", between: tuple[tuple, dict] | None = None,
    ) -> Called:  # fmt: skip
        """One guarded call in the current check's worker; see ``Entry.guarded``."""
        packer = wire.Packer()
        request = {"op": "call", "entry": name, "poison": poison, "repeats": repeats, "look": look, "order": order}
        calls = max(1, repeats) + (TRAFFIC if look == "traffic" else 0)
        if between is not None:
            request["between"] = packer.tree([list(between[0]), list(between[1]), list(between[1].values())])
            calls += MOST_VISITS
        request |= arguments(packer, args, kwargs)
        seconds = self._seconds() * (1 if self._timed_out else calls)
        return self._request(request, packer.blobs, seconds)

    def hold(self, name: str, args: tuple, kwargs: dict, copies: int) -> Handle:
        """Leave sets of arguments in the current check's worker; see ``Entry.hold``."""
        packer = wire.Packer()
        request = {"op": "hold", "copies": copies, **arguments(packer, args, kwargs)}
        held = self._request(request, packer.blobs, self._seconds())

        def put(request: dict) -> Called:
            if held.fault is not None:
                return held
            return self._request({**request, "entry": name}, [], self._seconds())

        return Handle(put)

    def fold(self, name: str, state: Any, items: tuple | list) -> Called:
        """All calls of a fold in the current check's worker, in the time of one; see ``call.fold``."""
        packer = wire.Packer()
        return self._request(
            {"op": "fold", "entry": name, "items": packer.tree(items), **arguments(packer, (state,), {})},
            packer.blobs, self._seconds(),
        )  # fmt: skip

    def _request(self, request: dict, blobs: list, seconds: float) -> Called:
        """Put one request to the current check's worker, which is loaded first where there is none."""
        if self._over is None and self._worker is None:
            self._over = self._hopeless or self._load()
        if self._over is not None:
            return Called(fault=self._over)
        room = self._limits.output_bytes + sum(len(blob) for blob in blobs)
        started = time.perf_counter()
        called = self._ask(request, blobs, room, seconds)
        called.seconds = time.perf_counter() - started
        return called

    def _ask(self, request: dict, blobs: list, room: int, seconds: float) -> Called:
        try:
            answer, data = self._timed(request, blobs, seconds, room)
            return unpack(answer, data)
        except TimeoutError:
            self._over = self._out_of_time(seconds)
        except wire.Closed:
            self._over = Fault("", f"the process ended before it answered: {self._ending()}", kind="died")
        except wire.WireError as problem:
            self._over = Fault("", f"the process sent something that is no answer: {problem}", kind="died")
        self._end()
        return Called(fault=self._over)

    def _timed(self, request: dict, blobs: list, seconds: float, room: int, skip: Any = None) -> tuple:
        started = time.perf_counter()
        try:
            return self._worker.ask(request, blobs, seconds, most_bytes=room, skip=skip)
        finally:
            took = time.perf_counter() - started
            self._spent, self._asked = self._spent + took, self._asked + took

    def _seconds(self) -> float:
        limits = self._limits
        call = limits.after_timeout_seconds if self._timed_out else limits.call_seconds
        if limits.total_seconds - self._spent < call:
            self._forgive()
        self._last = limits.total_seconds - self._spent <= call
        return max(_LEAST, min(call, limits.total_seconds - self._spent))

    def _forgive(self) -> None:
        """Take back from what was spent the time that this check's worker waited for a processor."""
        if self._worker is not None:
            starved = min(self._worker.starved(), self._asked)
            self._spent -= max(0.0, starved - self._forgiven)
            self._forgiven = max(starved, self._forgiven)

    def _out_of_time(self, seconds: float) -> Fault:
        before, self._timed_out = self._timed_out, True
        self._forgive()
        if self._last or self._spent >= self._limits.total_seconds:
            self._hopeless = Fault(
                "", f"the submission's {self._limits.total_seconds:g} s were used up", kind="timeout"
            )
            return self._hopeless
        short = " (all a call gets once one has run out of time)" if before else ""
        return Fault("", f"it did not return within {seconds:g} s{short}", kind="timeout")

    def _load(self) -> Fault | None:
        """Take a worker and load the cells into it; the fault that keeps this check from being called, or None.

        An extra cell that hangs or kills its worker is left out and the rest loaded again: it costs no points.
        """
        while True:
            self._worker = self._take()
            at, due = [""], [load[0] for load in reversed(self._loads)]

            def skip(answer: dict, at: list = at, due: list = due) -> bool:
                if "at" not in answer:
                    return False
                if not due or answer["at"] != due[-1]:  # else a flood of them would keep the judge reading
                    raise wire.WireError("it told of a cell that was not due")
                at[0] = due.pop()
                return True

            try:
                self._wait_ready()
                seconds = self._seconds() + len(self._loads) * 0.02
                answer, _ = self._timed({"op": "load", "cells": self._loads}, [], seconds, 1 << 20, skip)
                self._note(answer)
                return None
            except TimeoutError:
                fault = Fault("", f"it did not finish loading within {seconds:.3g} s", kind="timeout")
            except wire.Closed:
                fault = Fault("", f"the process ended while the cells were loaded: {self._ending()}", kind="died")
            except wire.WireError as problem:
                fault = Fault("", f"the process sent something that is no answer: {problem}", kind="died")
            self._end()
            fault.cell = at[0]
            guilty = [load for load in self._loads if load[0] == at[0] and load[2] == roles.EXTRA]
            if not guilty or (self._last and fault.kind == "timeout") or self._spent >= self._limits.total_seconds:
                self._timed_out = self._timed_out or fault.kind == "timeout"
                self._hopeless = fault
                self._remember(fault)
                return fault
            self._loads.remove(guilty[0])
            self.notes.append(f"{at[0]}: left out, because {fault.message}")
            self._drop_spare()

    def _wait_ready(self) -> None:
        """Wait for the worker. Where it does not start, which nothing in a submission can bring about, another is taken, twice:
        a card may be full for a moment. Then ``child.ServerLost``."""
        for pause in AGAIN:
            try:
                return self._worker.wait_ready()
            except child.ServerLost:
                self._end()
                self._drop_spare()
            time.sleep(pause)
            self._worker = self._take()
        return self._worker.wait_ready()

    def _note(self, answer: dict) -> None:
        with contextlib.suppress(Exception):  # a forged answer tells nothing, and costs nothing
            for data in answer["faults"][:50]:
                self._remember(fault_from(data))
            for note in answer["notes"][:200]:
                if str(note)[:300] not in self.notes:
                    self.notes.append(str(note)[:300])

    def _remember(self, fault: Fault) -> None:
        if fault not in self.faults:
            self.faults.append(fault)

    def _take(self) -> child.Worker:
        server = self._server
        if server is None or not server.alive:
            self._give_back()
            server = self._server = self._servers.get(self._device)
            self.sandbox, self.target = server.held.sentence(), server.held.target
        worker, self._spare = self._spare, None
        if worker is None:
            worker = server.worker(self._limits)
        if self._checks_left > 0 and self._hopeless is None:
            self._spare = server.worker(self._limits)
        return worker

    def _ending(self) -> str:
        return self._worker.ending()

    def _end(self) -> None:
        if self._worker is not None:
            self._forgive()
            self._worker.kill()
            self._worker = None
        self._asked = self._forgiven = 0.0

    def _give_back(self) -> None:
        self._drop_spare()
        if self._server is not None:
            self._servers.release(self._server)
            self._server = None

    def _drop_spare(self) -> None:
        if self._spare is not None:
            self._spare.kill()
            self._spare = None
