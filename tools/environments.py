"""Virtual environments of the course's tools: made once, kept beside ``.venv`` (ignored by git), and made anew when what they
are made from has changed. An environment borrows torch from ``.venv``, so that it costs seconds and not gigabytes.
"""

import hashlib
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAIN = ROOT / ".venv"
STAMP = ".matrix-environment"
TORCH = ("torch", "torchgen", "functorch", "torch-*.dist-info")
"""What torch's wheel puts into site-packages, as patterns."""


@dataclass(frozen=True)
class Environment:
    """``packages`` are pip requirements installed without their dependencies; ``under`` names the environment whose
    packages it borrows before those of ``.venv``."""

    name: str
    packages: tuple[str, ...]
    under: str = ""

    @property
    def folder(self) -> Path:
        return ROOT / f".venv-{self.name}"


ENVIRONMENTS = (
    Environment("triton36", ("triton==3.6.0",)),
    Environment("triton36-numpy21", ("numpy==2.1.3",), under="triton36"),
    Environment("triton38", ("triton==3.8.0",)),
    Environment("triton39", ("triton==3.9.0",)),
)
BY_NAME = {environment.name: environment for environment in ENVIRONMENTS}


def python_of(folder: Path) -> Path:
    return folder / "bin" / "python"


def packages_of(folder: Path) -> Path:
    """The site-packages folder of the virtual environment ``folder``; raises ``FileNotFoundError`` where there is none."""
    found = sorted(folder.glob("lib/python3.*/site-packages"))
    if not found:
        raise FileNotFoundError(f"{folder} is no virtual environment; remove it and run the command again")
    return found[0]


def borrow(target: Path, folders: list[Path]) -> None:
    """Let the site-packages ``target`` find what lies in ``folders``, after what it holds itself."""
    lines = [f"import site; site.addsitedir({str(folder)!r})\n" for folder in folders]
    (target / "borrowed.pth").write_text("".join(lines))


def ready(folder: Path, wanted: object, fill: Callable[[Path], None], *, interpreter: Path, pip: bool = False) -> Path:
    """The Python of the environment ``folder``: made anew from ``interpreter`` and filled by ``fill(python)`` where it is
    missing, unfinished, or was made from something else than ``wanted`` (whose ``repr`` decides)."""
    python, stamp = python_of(folder), folder / STAMP
    told = hashlib.sha256(repr((wanted, version(interpreter), str(ROOT))).encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == told and python.exists():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([interpreter, "-m", "venv", *([] if pip else ["--without-pip"]), folder], check=True)
    fill(python)
    stamp.write_text(told)
    return python


def version(python: Path) -> str:
    """The full version of an interpreter, as ``sys.version`` tells it; raises ``OSError`` or ``CalledProcessError``."""
    code = "import sys; print(sys.version)"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def make(environment: Environment) -> Path:
    """Make the environment where it is missing or out of date; return its Python."""
    if environment.under:
        make(BY_NAME[environment.under])
    if all(installed(requirement) for requirement in environment.packages):
        return python_of(MAIN)

    def fill(python: Path) -> None:
        print(f"making {environment.folder.name} ({', '.join(environment.packages)})", flush=True)
        target = packages_of(environment.folder)
        install = [python_of(MAIN), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
        subprocess.run([*install, "--no-compile", "--target", target, *environment.packages], check=True)
        under = [packages_of(BY_NAME[environment.under].folder)] if environment.under else []
        borrow(target, [*under, packages_of(MAIN)])

    return ready(environment.folder, environment, fill, interpreter=python_of(MAIN))


def installed(requirement: str) -> bool:
    """Whether ``.venv`` itself satisfies ``name==version``."""
    name, wanted = requirement.split("==")
    return bool(list(packages_of(MAIN).glob(f"{name}-{wanted}.dist-info")))


def lend_torch(target: Path) -> None:
    """Put links to torch as ``.venv`` has it, and to nothing else, into the site-packages ``target``.

    Both must be of one Python version. Raises ``FileNotFoundError`` where ``.venv`` has no torch.
    """
    found = [path for pattern in TORCH for path in packages_of(MAIN).glob(pattern)]
    if not found:
        raise FileNotFoundError(".venv has no torch; make it with `make environment`")
    for path in found:
        (target / path.name).symlink_to(path, target_is_directory=True)
