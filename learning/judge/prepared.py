"""What Triton compiles once a machine, made once a server: its CUDA driver module costs every fresh cache a C compiler.

The server never starts CUDA, so a child process of its own launches one kernel into an empty cache; the shared objects it
leaves there are kept as bytes in the server's memory, where no worker can change them for the next, and every CUDA worker
finds a copy in its private cache.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile


def main(options: dict) -> None:
    """In the child: one launch on CUDA, with ``TRITON_CACHE_DIR`` where the server will look."""
    from learning.lens import device

    device.open("cuda")
    from learning.judge import warmup

    warmup.launch("cuda")


class Prepared:
    """The shared objects, as soon as the child has made them; until then, and where it fails, workers make their own."""

    def __init__(self, boot: str, options: dict):
        self._files: dict[str, bytes] = {}
        self._folder = tempfile.mkdtemp(prefix="prepared-", dir=options["scratch"])
        self._child: subprocess.Popen | None = subprocess.Popen(
            [sys.executable, "-I", "-c", boot.format(module="prepared"), json.dumps(options)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TRITON_CACHE_DIR": self._folder},
        )

    def collect(self) -> None:
        """Take over what a finished child left; returns at once while it still works."""
        if self._child is None or self._child.poll() is None:
            return
        for parent, _, names in os.walk(self._folder):
            for name in names:
                path = os.path.join(parent, name)
                if name.endswith(".so"):
                    with open(path, "rb") as file:
                        self._files[os.path.relpath(path, self._folder)] = file.read()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._child = None

    def wait(self, seconds: float = 60.0) -> None:
        """Let the child finish: where workers share a view, none may run while its folder lies open."""
        if self._child is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(seconds)
            self._child.kill()
            self._child.wait()
            self.collect()

    def furnish(self, cache: str) -> None:
        """In a worker: write the files into its own Triton cache."""
        for name, data in self._files.items():
            path = os.path.join(cache, name)
            with contextlib.suppress(OSError):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(data)
