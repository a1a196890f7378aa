"""The benchmark's JSON: what it holds (``schema.json``, docs/benchmark.md), its check, and writing it whole or not at all.

Standard library only.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import os
import platform
import re
from pathlib import Path
from typing import Any

from learning import sources
from learning.bench import plan
from learning.files import replace
from learning.gates import records
from learning.lesson import Lesson

SCHEMA = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
FORMAT = 1
_TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int, "number": (int, float),
}  # fmt: skip


class RecordError(ValueError):
    """A benchmark record that is not what the schema says; the message names the place and what is wrong there."""


def run(lesson: Lesson, cases: list[dict], *, who: str, timing: str, source: str, device: Any, seconds: float) -> dict:
    """One operation's run as the record keeps it: ``who`` "learner" or "solution", ``source`` the answer's code, of which comments
    and docstrings do not count, ``device`` the one that was opened."""
    rows = {str(what): str(value) for what, value in device.details}
    return {
        "op": lesson.slug,
        "lesson": lesson.id,
        "who": who,
        "timing": timing,
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 2),
        "device": device.kind,
        "machine": {"card": device.name, "cores": os.cpu_count(), "processor": platform.machine(), **rows},
        "environment": records.environment(),
        "answer_source": sources.code_sha256(source),
        "plan_source": plan_hash(lesson),
        "cases": cases,
    }


def plan_hash(lesson: Lesson) -> str:
    """SHA-256 of the lesson's ``benchmark.py``."""
    return hashlib.sha256((lesson.folder / plan.FILE).read_bytes()).hexdigest()


def whole(runs: list[dict], skipped: list[dict]) -> dict:
    """The file's content; raises ``RecordError`` where it breaks the schema."""
    made = {"format": FORMAT, "runs": runs, "skipped": skipped}
    check(made)
    return made


def check(value: Any) -> None:
    """Raise ``RecordError`` unless ``value`` is a benchmark file's content."""
    problems = faults(value, SCHEMA)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise RecordError(problems[0] + more)


def faults(value: Any, schema: dict, where: str = "the record", root: dict | None = None) -> list[str]:
    """What is wrong with ``value`` by ``schema``: the part of JSON Schema that ``schema.json`` uses, and no other."""
    root = schema if root is None else root
    if "$ref" in schema:
        return faults(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], where, root)
    if "anyOf" in schema:
        tried = [faults(value, one, where, root) for one in schema["anyOf"]]
        return [] if any(not one for one in tried) else min(tried[::-1], key=len)
    if "enum" in schema and not any(value == one and type(value) is type(one) for one in schema["enum"]):
        return [f"{where} is {value!r}, not one of {', '.join(map(repr, schema['enum']))}"]
    if "type" in schema:
        names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        if not any(_is(value, name) for name in names):
            return [f"{where} is {type(value).__name__}, not {' or '.join(names)}"]
    found = []
    if "minimum" in schema and _is(value, "number") and not value >= schema["minimum"]:
        found.append(f"{where} is {value!r}, below {schema['minimum']}")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [f"{where} lacks {name!r}" for name in schema.get("required", ()) if name not in value]
        if schema.get("additionalProperties") is False:
            found += [f"{where} holds {name!r}, which no such record has" for name in value if name not in known]
        for name, one in known.items():
            if name in value:
                found += faults(value[name], one, f"{where}.{name}", root)
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            found += faults(item, schema["items"], f"{where}[{number}]", root)
    return found


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if isinstance(value, float) and not math.isfinite(value):
        return False  # JSON has no such number
    return isinstance(value, _TYPES[name])


def write(path: Path, value: Any) -> None:
    """Write JSON to ``path``, making its folders; raises ``OSError``."""
    replace(path, dumps(value))


def dumps(value: Any) -> str:
    """Indented JSON in which a list of numbers takes one line, floats to six significant digits."""
    kept: list[str] = []

    def walk(node: Any) -> Any:
        if isinstance(node, float):
            return float(f"{node:.6g}")
        if isinstance(node, dict):
            return {key: walk(item) for key, item in node.items()}
        if isinstance(node, list):
            made = [walk(item) for item in node]
            if made and all(isinstance(item, (int, float)) and not isinstance(item, bool) for item in made):
                kept.append(json.dumps(made, allow_nan=False))
                return f"\x00{len(kept) - 1}\x00"
            return made
        return node

    text = json.dumps(walk(value), indent=1, ensure_ascii=False, allow_nan=False)
    return re.sub(r'"\\u0000(\d+)\\u0000"', lambda found: kept[int(found[1])], text) + "\n"
