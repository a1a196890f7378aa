"""What the records measured: the newest trace, the newest compiler's report, the newest time of each case.

Standard library only.
"""

from __future__ import annotations

import sys
from typing import Any


class Partners:
    """What the records measured, by the newest of each kind."""

    def __init__(self, records: list[dict]):
        self.trace: dict = {}
        self.compiled: list[dict] = []
        self.cases: dict[str, dict] = {}
        for record in records:
            payload = record["payload"]
            if record["event"] == "launch" and mapping(payload.get("trace")):
                self.trace = payload["trace"]
            elif record["event"] == "compile" and isinstance(payload.get("kernels"), list):
                self.compiled = [mapping(kernel) for kernel in payload["kernels"]]
            elif record["event"] == "benchmark" and record["device"] in ("cuda", "test"):
                for case in payload["cases"] if isinstance(payload.get("cases"), list) else ():
                    if mapping(case):
                        self.cases[str(case.get("case", ""))] = case

    def launch(self, kernel: str = "") -> dict:
        """The launch of ``kernel``, by default the first; empty where none was traced."""
        launches = [mapping(launch) for launch in self.trace.get("launches", ())]
        return next((launch for launch in launches if not kernel or launch.get("kernel") == kernel), {})

    def tensor(self, name: str) -> dict:
        """A tensor's traffic by the case's name for it, or by the parameter's (``x`` finds ``x_ptr``)."""
        found = mapping(self.trace.get("tensors"))
        return mapping(found.get(name) or found.get(name.removesuffix("_ptr")))

    @property
    def output(self) -> dict:
        """The traffic of the result, the last of the case's tensors that a kernel stored to."""
        if self.trace.get("result"):
            return self.tensor(str(self.trace["result"]))
        return next((t for t in mapping(self.trace.get("tensors")).values() if t.get("stored")), {})


def mapping(value: Any) -> dict:
    """``value`` where it is a dictionary, else an empty one: records come from anywhere."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list:
    """``value`` where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def number(value: Any) -> bool:
    """Whether ``value`` is a finite number that a float holds: JSON knows whole numbers of any length."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
