"""Make the course's environment in ``.venv``: what ``make`` runs first, and what a second call leaves alone.

System packages (bubblewrap for the grader's sandbox, Chromium for the browser tests) are installed where this user
may; elsewhere the script says what will not be sandboxed or not tested, and goes on. On a machine without an NVIDIA
GPU it takes a CPU build of torch and refuses to pull gigabytes of CUDA by accident.

Environment variables: ``TORCH_INDEX`` (address of a package index that has CPU builds of torch), ``TORCH=cuda``
(take the default build although no GPU was found).
"""

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
FINDER = ROOT / "tools" / "find_course.py"
STAMP = VENV / ".course-environment"
CONSTRAINTS = VENV / ".course-constraints.txt"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
EXTRAS = "kernels,lab,instructor,dev"
SYSTEM = {
    "bwrap": ("bubblewrap", "submissions are graded without a sandbox, in forks of a user without rights"),
    "chromium": ("chromium", "the browser tests are not run"),
}


def main() -> int:
    """Make or refresh ``.venv``; returns the exit status."""
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        print(
            f"make: Python {platform.python_version()} is not supported; the course needs 3.11 to 3.13. "
            "Say which with: make PYTHON=python3.12",
            file=sys.stderr,
        )
        return 1
    system_packages()
    wanted = fingerprint()
    if STAMP.exists() and STAMP.read_text() == wanted and PYTHON.exists():
        return 0
    if not PYTHON.exists():
        say("making .venv")
        run([sys.executable, "-m", "venv", str(VENV)])
    install_torch()
    say("installing the course's packages (two minutes the first time)")
    CONSTRAINTS.write_text(constraints(torchs_triton()))
    pip("install", "-qq", "-c", str(CONSTRAINTS), "-e", f"{ROOT}[{EXTRAS}]")
    let_nbgrader_find_the_course()
    let_jupyter_start_quickly()
    STAMP.write_text(wanted)
    return 0


def fingerprint() -> str:
    """A hash of everything this environment is made from."""
    parts = [(ROOT / name).read_bytes() for name in ("constraints.txt", "pyproject.toml")]
    parts += [Path(__file__).read_bytes(), FINDER.read_bytes(), sys.version.encode(), str(ROOT).encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def let_nbgrader_find_the_course() -> None:
    """Put the configuration that makes nbgrader's commands work from a subfolder where Jupyter looks for it."""
    folder = VENV / "etc" / "jupyter"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(FINDER, folder / "nbgrader_config.py")


def let_jupyter_start_quickly() -> None:
    """Keep ``jsonschema`` from compiling a grammar for internationalised addresses whenever it is imported.

    That took 3 of the 5 seconds in which an nbgrader command starts, and nothing here validates such an address;
    ``jsonschema`` treats the grammar as an option and does without it.
    """
    place = subprocess.run(
        [str(PYTHON), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True
    ).stdout.strip()
    if place:
        line = "import sys; sys.modules.setdefault('rfc3987_syntax', None)\n"
        Path(place, "course_quick_start.pth").write_text(line)


def say(text: str) -> None:
    print(f"make: {text}", flush=True)


def run(command: list[str], **options) -> subprocess.CompletedProcess:
    """Run ``command``; a failure ends the script with the command's own output already shown."""
    done = subprocess.run(command, **options)
    if done.returncode:
        raise SystemExit(f"make: failed with status {done.returncode}: {' '.join(command)}")
    return done


def pip(*arguments: str) -> None:
    run([str(PYTHON), "-m", "pip", "--disable-pip-version-check", *arguments])


def system_packages() -> None:
    """Install bubblewrap and Chromium where root and apt allow; say what is lost elsewhere."""
    missing = [name for name in SYSTEM if shutil.which(name) is None]
    if not missing or platform.system() != "Linux":
        return
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        packages = [SYSTEM[name][0] for name in missing]
        say(f"installing system packages: {' '.join(packages)}")
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.STDOUT}
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update"], env=env, **quiet)
        for package in packages:
            subprocess.run(["apt-get", "install", "-y", package], env=env, **quiet)
    for name in missing:
        if shutil.which(name) is None:
            package, loss = SYSTEM[name]
            say(f"{package} is not installed: {loss}. To change that: sudo apt-get install {package}")


def pinned(name: str) -> str:
    """The line of constraints.txt that pins ``name``, e.g. ``torch==2.13.0``."""
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if line.lower().startswith(f"{name}=="):
            return line.strip()
    raise SystemExit(f"make: constraints.txt does not pin {name}")


def install_torch() -> None:
    """Install the pinned torch and triton, as a CPU build where there is no NVIDIA GPU."""
    if platform.system() != "Linux":
        raise SystemExit(
            f"make: Triton has no wheel for {platform.system()}. Use WSL2 (Windows), a Linux container, or Colab; "
            "the CPU lesson runs anywhere: python -S -m learning.workshops.check online_normalizer"
        )
    torch, triton = pinned("torch"), pinned("triton")
    if has(torch) and has(torchs_triton() or triton):
        return
    gpu = shutil.which("nvidia-smi") is not None
    say(f"installing {torch} ({'CUDA' if gpu else 'CPU'} build) and Triton")
    index = os.environ.get("TORCH_INDEX")
    if index:
        pip("install", "-qq", "--index-url", index, torch)
    elif gpu or os.environ.get("TORCH") == "cuda" or chosen_version(torch).endswith("+cpu"):
        pip("install", "-qq", torch)
    else:
        # uv knows where torch's CPU builds live; pip has to be told.
        pip("install", "-qq", "uv")
        command = [str(PYTHON), "-m", "uv", "pip", "install", "--python", str(PYTHON), "--torch-backend", "cpu", torch]
        if subprocess.run(command).returncode:
            raise SystemExit(
                "make: no CPU build of torch could be installed. pytorch.org's install page gives the address of an "
                "index with CPU builds: make TORCH_INDEX=<address>. Or accept the CUDA build: make TORCH=cuda"
            )
    pip("install", "-qq", torchs_triton() or triton)


def torchs_triton() -> str:
    """What the installed torch demands of Triton, e.g. ``triton==3.7.1``: its CUDA builds do, its CPU builds do not ("")."""
    code = (
        "import importlib.metadata as m; found = [r.split(';')[0].translate({32: '', 40: '', 41: ''}) for r in m.requires('torch') or []]; "
        "print(next((r for r in found if r.startswith('triton==')), ''))"
    )
    return subprocess.run([str(PYTHON), "-c", code], capture_output=True, text=True).stdout.strip()


def constraints(demanded: str) -> str:
    """The pins of constraints.txt, Triton's replaced by what torch demands: with both, pip could install neither."""
    lines = (ROOT / "constraints.txt").read_text().splitlines(keepends=True)
    return "".join(f"{demanded}\n" if demanded and line.startswith("triton==") else line for line in lines)


def has(requirement: str) -> bool:
    """Whether the environment already satisfies ``name==version``, any local label accepted."""
    name, version = requirement.split("==")
    code = f"import importlib.metadata as m; raise SystemExit(m.version({name!r}).split('+')[0] != {version!r})"
    return subprocess.run([str(PYTHON), "-c", code], stderr=subprocess.DEVNULL).returncode == 0


def chosen_version(requirement: str) -> str:
    """The version pip would install for ``requirement``, found without downloading anything; "" if it cannot tell."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [str(PYTHON), "-m", "pip", "install", "--dry-run", "--no-deps", "--quiet", "--report", str(report)]
        if subprocess.run([*command, requirement], capture_output=True).returncode or not report.exists():
            return ""
        return json.loads(report.read_text())["install"][0]["metadata"]["version"]


if __name__ == "__main__":
    sys.exit(main())
