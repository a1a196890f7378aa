"""A Colab runtime's stand-in: Python, packages at Colab's published versions, and each notebook in a runtime that holds nothing else.

The **body** is a virtual environment with ``colab_pins.txt`` and torch. A **runtime** is a thin environment over it, made for one
notebook, in which the notebook's own first cell installs the course: so each begins as a fresh Colab machine does, and what pip
put there, or upgraded there, can be read off. No package index is reachable from a runtime.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from tools import environments, hardware

PINS = Path(__file__).with_name("colab_pins.txt")
TORCH = "2.11.0"
"""Colab's torch, for a body whose Python is another than ``.venv``'s."""
OWN = "triton-kernel-course"
BACKEND = "module://matplotlib_inline.backend_inline"
"""What Colab exports as MPLBACKEND: every process that a cell starts inherits it."""

STARTUP = '''\
"""As Colab's own shell does (googlecolab/colabtools, _shell_customizations.py): an ImportError is handled before a notebook begins."""


def _explained(shell, kind, problem, trace, tb_offset=None):
    shell.showtraceback(exc_tuple=(kind, problem, trace))
    print("NOTE: packages are installed with !pip or !apt.")
    return []


get_ipython().set_custom_exc((ImportError,), _explained)
'''


class NoBody(RuntimeError):
    """The environment cannot be made; the message says why and what to do."""


@dataclass(frozen=True)
class Body:
    """The environment under every runtime: its ``folder``, its ``python``, and what pip lists there by name."""

    folder: Path
    python: Path
    packages: dict[str, str]

    def sentence(self) -> str:
        """The versions by which a body is known."""
        names = ("torch", "triton", "numpy", "ipython", "ipykernel", "ipywidgets", "anywidget", "matplotlib")
        version = environments.version(self.python).split()[0]
        return ", ".join([f"Python {version}", *(f"{name} {self.packages.get(name, 'none')}" for name in names)])


def pins() -> list[str]:
    """The requirements of ``colab_pins.txt``, each ``name==version``."""
    lines = (line.split("#")[0].strip() for line in PINS.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line]


def body(interpreter: str = "") -> Body:
    """The body for ``interpreter`` (a path, or a name on the PATH; ``.venv``'s where empty), made where it is missing.

    Under ``.venv``'s Python version torch is ``.venv``'s. Another Python gets Colab's torch 2.11.0 in its own environment:
    from the index of CPU builds that the variable TORCH_INDEX names, else from pip's, whose build for Linux brings 4 GB of CUDA.
    Raises ``NoBody``.
    """
    main = environments.python_of(environments.MAIN)
    chosen = shutil.which(interpreter) if interpreter else str(main)
    if not chosen or not Path(chosen).exists():
        raise NoBody(f"there is no interpreter {interpreter or main}; name one with --python, such as python3.13")
    same = _minor(main) == _minor(Path(chosen))
    name = ".venv-colab" if same else f".venv-colab-py{_minor(Path(chosen)).replace('.', '')}"
    folder = environments.ROOT / name

    def fill(python: Path) -> None:
        print(f"making {name} ({len(pins())} packages as on Colab)", flush=True)
        pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
        subprocess.run([*pip, "-r", PINS], check=True)
        if same:
            environments.lend_torch(environments.packages_of(folder))
            return
        pip.remove("--no-deps")
        index = ["--index-url", os.environ["TORCH_INDEX"]] if os.environ.get("TORCH_INDEX") else []
        print(f"installing torch {TORCH} for this Python{'' if index else ': 4 GB'}", flush=True)
        subprocess.run([*pip, *index, "-c", PINS, f"torch=={TORCH}"], check=True)

    wanted = (pins(), "lent" if same else TORCH)
    try:
        python = environments.ready(folder, wanted, fill, interpreter=Path(chosen), pip=True)
    except subprocess.CalledProcessError as error:
        command = " ".join(str(part) for part in error.cmd[:6])
        raise NoBody(f"{name} could not be made: {command} … ended with status {error.returncode}") from error
    return Body(folder, python, frozen(python))


def _minor(python: Path) -> str:
    return ".".join(environments.version(python).split()[0].split(".")[:2])


def frozen(python: Path) -> dict[str, str]:
    """What pip lists for ``python``: version by name, in lower case and with hyphens."""
    command = [python, "-m", "pip", "--disable-pip-version-check", "list", "--format=json"]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    return {_plain(row["name"]): row["version"] for row in json.loads(done.stdout)}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def runtime(body: Body, folder: Path, without: tuple[str, ...] = ()) -> Path:
    """Make a runtime in ``folder``, over ``body`` and empty; returns its Python.

    It finds nothing of the body's whose name begins as one of ``without`` does: Colab's CPU image is its GPU image without Triton.
    """
    subprocess.run([body.python, "-m", "venv", "--without-pip", folder], check=True)
    held = environments.packages_of(body.folder)
    if without:
        shown = folder / "shown"
        shown.mkdir()
        for path in (path for path in held.iterdir() if not path.name.lower().startswith(without)):
            (shown / path.name).symlink_to(path)
        held = shown
    environments.borrow(environments.packages_of(folder), [held])
    return environments.python_of(folder)


def wheels(body: Body) -> Path:
    """The folder with the wheel of Triton that a first cell on the CPU image installs; fetched where it is missing.

    Raises ``NoBody``.
    """
    triton = next(pin for pin in pins() if pin.startswith("triton=="))
    folder = body.folder / "wheels"
    if not list(folder.glob(f"{triton.replace('==', '-')}-*.whl")):
        print(f"fetching the wheel of {triton}", flush=True)
        command = [body.python, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
        if subprocess.run([*command, "--dest", folder, triton]).returncode:
            raise NoBody(f"the wheel of {triton} could not be fetched; try again, or leave out --cpu-image")
    return folder


def changes(body: Body, python: Path, without: tuple[str, ...] = ()) -> list[str]:
    """What pip lists in a runtime that its body does not, apart from the course: nothing, where the course upgrades nothing.

    What the runtime was made ``without`` may still be absent: a companion needs no Triton.
    """
    before, after = body.packages, frozen(python)
    told = [f"{name} {before.get(name, 'absent')} → {version}" for name, version in after.items()
            if before.get(name) != version and name != OWN]  # fmt: skip
    told += [f"{name} {version} → absent" for name, version in before.items()
             if name not in after and name not in without]  # fmt: skip
    return told if OWN in after else [*told, f"{OWN} is not installed"]


def unmet(body: Body, wheel: Path) -> list[str]:
    """What ``wheel`` asks for and ``body`` has not, so that pip would add or upgrade it without ``--no-deps``; a sentence each.

    Only its own requirements are asked about: pip would add jedi on Colab too, which IPython asks for and Colab leaves out.
    """
    from packaging.metadata import parse_email
    from packaging.requirements import Requirement

    with zipfile.ZipFile(wheel) as held:
        name = next(name for name in held.namelist() if name.endswith(".dist-info/METADATA"))
        asked, _ = parse_email(held.read(name))
    told = []
    for need in map(Requirement, asked.get("requires_dist", [])):
        has = body.packages.get(_plain(need.name))
        if (need.marker is None or need.marker.evaluate({"extra": ""})) and (has is None or has not in need.specifier):
            told.append(f"{need} is asked for and {has or 'nothing'} is there")
    return told


def begin(home: Path) -> None:
    """Lay out a home folder whose kernels begin as Colab's do."""
    startup = home / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00-colab.py").write_text(STARTUP, encoding="utf-8")


def environment(home: Path | None = None, links: Path | None = None) -> dict[str, str]:
    """The variables of a runtime: those of this process without a course's, Jupyter's or pip's own, and with Colab's.

    ``links`` is a folder of wheels that pip finds in place of an index.
    """
    dropped = (
        "PIP_",
        "JPY_",
        "JUPYTER",
        "NBGRADER",
        "IPYTHON",
        "PYTHON",
        "LEARNING_",
        "TRITON_",
        "VIRTUAL_ENV",
        "COLAB_",
    )
    kept = {key: value for key, value in os.environ.items() if not key.startswith(dropped)}
    kept |= {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    if home is not None:
        kept |= {"HOME": str(home), "IPYTHONDIR": str(home / ".ipython"), "TRITON_CACHE_DIR": str(home / ".triton")}
    kept |= {"PIP_FIND_LINKS": str(links)} if links is not None else {}
    return kept | {"COLAB_RELEASE_TAG": "a-stand-in", "MPLBACKEND": BACKEND}


def machine() -> str:
    """This machine in words: processor, cores, system."""
    return f"{hardware.processor()}, {hardware.cores()} cores, {sys.platform}, no GPU"
