"""What holds the worker: a bubblewrap around the warm server, and namespaces of its own around every fork.

The server's view is a white list: the system's libraries, the Python environment, this package without its lessons.
Each fork then gets its own user, mount, pid, ipc and network namespaces, an empty private folder, a ``/proc`` with
nothing but itself in it, no capabilities, no further user namespaces, and resource limits. Each layer that the host
refuses is named in ``Held.sentence``. Linux only where it is used; importing it works everywhere.
"""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import site
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
ROOT = PACKAGE.parent
SCRATCH = "/scratch"
SCRATCH_BYTES = 512 << 20
NOBODY = 65534
COURSE_FOLDERS = ("source", "release", "submitted", "autograded", "feedback", "work", "tests", "gradebook.db")

_NEWNS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
_NOSUID, _NODEV, _NOEXEC, _BIND, _REC, _PRIVATE = 2, 4, 8, 0x1000, 0x4000, 0x40000
_MOUNT_SETATTR, _AT_RECURSIVE, _ATTR_RDONLY = 442, 0x8000, 1
_SET_PDEATHSIG, _SET_DUMPABLE, _CAPBSET_DROP, _SET_NO_NEW_PRIVS, _SET_CHILD_SUBREAPER = 1, 4, 24, 38, 36


@dataclass
class Held:
    """What holds a server's workers: ``wrapped`` by bubblewrap, ``isolated`` namespaces of a fork's own, the user they
    run as, in ``lacks`` what does not hold, each as a clause, and the virtual card they compile for, or ""."""

    wrapped: bool
    isolated: bool
    uid: int
    lacks: tuple[str, ...] = ()
    target: str = ""

    def sentence(self) -> str:
        """One sentence for the report: what holds, and what does not."""
        walls = ["bubblewrap"] if self.wrapped else []
        walls += ["namespaces of its own"] if self.isolated else []
        text = "Each check ran in a fresh process" + (" behind " + " and ".join(walls) if walls else "")
        return "; ".join([text, *self.lacks]) + "."


# --- around the server: bubblewrap -----------------------------------------------------------------------------------


def bubblewrap(command: list[str], *, cuda: bool) -> list[str] | None:
    """The command line that runs ``command`` inside bubblewrap, or None where bubblewrap is not installed.

    As host root it keeps just what the server needs to mount a plain ``/proc`` and to become nobody, which the server
    does before anything else.
    """
    program = shutil.which("bwrap")
    if program is None or not sys.platform.startswith("linux"):
        return None
    line = [program, "--die-with-parent", "--new-session"]
    line += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if os.geteuid() == 0:
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SYS_ADMIN"):
            line += ["--cap-add", capability]
        line += ["--perms", "0755", "--dir", "/proc"]
    else:
        line += ["--unshare-user", "--proc", "/proc"]
    line += ["--dev", "/dev"]
    made: set[str] = {"/", "/proc", "/dev"}
    for top in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path = Path("/", top)
        if path.is_symlink():
            line += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            line += ["--ro-bind", str(path), str(path)]
    outside, inside = _visible()
    if cuda:
        outside += [str(path) for path in (Path("/sys"), Path("/etc/nvidia"), Path("/run/nvidia-persistenced"))]
        for device in sorted(Path("/dev").glob("nvidia*")):
            line += ["--dev-bind", str(device), str(device)]
    for path in outside:
        line += _bound(path, made)
    if any(ROOT.is_relative_to(path) for path in outside) and _is_checkout(ROOT):
        line += ["--tmpfs", str(ROOT)]
    for path in inside:
        line += _bound(path, made)
    for room in ("lessons", "capstones"):  # the student kit has no capstones
        line += ["--tmpfs", str(PACKAGE / room)] if (PACKAGE / room).is_dir() else []
    line += ["--perms", "0777", "--dir", SCRATCH, "--chdir", "/"]
    return [*line, "--", *command]


def _visible() -> tuple[list[str], list[str]]:
    """Paths the server may read: those outside the checkout, and those inside it."""
    wanted = ["/usr", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime"]
    wanted += [sys.base_prefix, sys.base_exec_prefix, sys.prefix, sys.exec_prefix, str(Path(sys.executable).parent)]
    wanted += [str(Path(sys.executable).resolve().parent)]
    folders = {*site.getsitepackages(), site.getusersitepackages()} if hasattr(site, "getsitepackages") else set()
    wanted += [path for path in sys.path if path in folders or "site-packages" in path or "dist-packages" in path]
    paths: list[str] = []
    for path in wanted:
        usable = os.path.exists(path) and path != "/" and not (path == str(ROOT) and _is_checkout(ROOT))
        if usable and not any(Path(path).is_relative_to(known) for known in paths):
            paths.append(path)
    inside = [path for path in paths if Path(path).is_relative_to(ROOT)] + [str(PACKAGE)]
    return [path for path in paths if path not in inside], inside


def _is_checkout(root: Path) -> bool:
    return (root / "pyproject.toml").exists() or (root / "grader_config.py").exists()


def _bound(path: str, made: set[str]) -> list[str]:
    """Bind ``path`` read-only, first making its parents readable by everyone (bubblewrap makes them 0700)."""
    line: list[str] = []
    for parent in reversed(Path(path).parents):
        if str(parent) not in made:
            made.add(str(parent))
            line += ["--perms", "0755", "--dir", str(parent)]
    if path in made:
        return line
    made.add(path)
    return [*line, "--ro-bind-try", path, path]


def environment(scratch: str, *, cuda: bool) -> dict[str, str]:
    """The whole environment of a server: nothing of the judge's but where libraries and devices are found."""
    kept = ("LD_LIBRARY_PATH", "SYSTEMROOT", "CC")
    kept_prefixes = ("CUDA_", "NVIDIA_", "TRITON_PTXAS", "TRITON_LIBCUDA", "TRITON_CUDA") if cuda else ()
    names = [name for name in os.environ if name in kept or name.startswith(kept_prefixes or ("\0",))]
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "MKL", "OPENBLAS", "NUMEXPR")}
    return {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "LANG": "C.UTF-8",
        "HOME": scratch,
        "TMPDIR": scratch,
        "USER": "learner",
        "LOGNAME": "learner",
        "TRITON_CACHE_DIR": f"{scratch}/triton",
        "TORCHINDUCTOR_CACHE_DIR": f"{scratch}/inductor",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
        "TRITON_DEFAULT_FP_FUSION": "1",
        **threads,
        **{name: os.environ[name] for name in names},
    }


# --- inside: the kernel's doors --------------------------------------------------------------------------------------


@functools.cache  # every ``CDLL`` makes a class of its own, and dropping capabilities alone asks for fifty
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """``mount(2)``; raises ``OSError`` naming the target."""
    encode = [text.encode() if text is not None else None for text in (source, target, kind)]
    extra = data.encode() if data is not None else None
    _call(_libc().mount(*encode, ctypes.c_ulong(flags), extra), f"mount {target}")


def prctl(option: int, value: int) -> None:
    """``prctl(2)`` with one argument; raises ``OSError``."""
    _call(_libc().prctl(option, ctypes.c_ulong(value), 0, 0, 0), f"prctl {option}")


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends."""
    prctl(_SET_PDEATHSIG, 9)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends."""
    prctl(_SET_CHILD_SUBREAPER, 1)


def become_nobody(uid: int) -> None:
    """Give up root for ``uid`` and refuse any way back."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    prctl(_SET_NO_NEW_PRIVS, 1)


def hide_memory(hidden: bool) -> None:
    """Whether processes of the same user may open this process's memory and ``/proc`` entries."""
    prctl(_SET_DUMPABLE, 0 if hidden else 1)


def plain_proc() -> None:
    """Mount a whole ``/proc``: bubblewrap's own, as root, is covered in places, which would keep forks from theirs."""
    mount("proc", "/proc", "proc", _NOSUID | _NODEV | _NOEXEC)


def unshare() -> None:
    """Move this process to namespaces of its own (its next child is pid 1 there) as the same user.

    Raises ``OSError`` where the host refuses.
    """
    uid, gid = os.getuid(), os.getgid()
    hide_memory(False)
    _call(_libc().unshare(_NEWUSER | _NEWNS | _NEWPID | _NEWIPC | _NEWNET), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def furnish(scratch: str, masks: Iterable[str]) -> None:
    """In pid 1 of new namespaces: an empty ``scratch`` and ``/dev/shm``, a ``/proc`` of its own, nothing under ``masks``,
    and nothing else that can be written.

    Then no further user namespaces. Raises ``OSError`` where a private place cannot be made private.
    """
    mount("none", "/", None, _REC | _PRIVATE)
    if scratch == SCRATCH or not os.path.exists("/dev/nvidiactl"):  # a host's own CUDA may want to write beside it
        seal()
    options = f"size={SCRATCH_BYTES},mode=700"
    mount("tmpfs", scratch, "tmpfs", _NOSUID | _NODEV, options)
    if os.path.isdir("/dev/shm"):
        mount("tmpfs", "/dev/shm", "tmpfs", _NOSUID | _NODEV, options)
    for path in masks:
        if os.path.isdir(path):
            mount("tmpfs", path, "tmpfs", _NOSUID | _NODEV, "size=4k,mode=555")
        elif os.path.exists(path):
            mount("/dev/null", path, None, _BIND)
    try:
        plain_proc()
        with open("/proc/sys/user/max_user_namespaces", "w") as file:
            file.write("0")
    except OSError:
        mount("tmpfs", "/proc", "tmpfs", _NOSUID | _NODEV | _NOEXEC, "size=4k,mode=555")


def seal() -> bool:
    """Make every mount that is there read-only for this mount namespace; False where the kernel (before 5.12) cannot.

    The root that bubblewrap makes belongs to the user who started it, and all forks of a server share it: what a check
    left there, a module beside the package say, the next submission would find.
    """
    attributes = (ctypes.c_uint64 * 4)(_ATTR_RDONLY, 0, 0, 0)  # struct mount_attr of mount_setattr(2)
    call = (ctypes.c_long(_MOUNT_SETATTR), ctypes.c_int(-100), b"/", ctypes.c_uint(_AT_RECURSIVE))
    return _libc().syscall(*call, attributes, ctypes.c_size_t(ctypes.sizeof(attributes))) == 0


def drop_capabilities() -> None:
    """Leave this process without capabilities, now and after any ``exec``."""
    for capability in range(64):
        try:
            prctl(_CAPBSET_DROP, capability)
        except OSError:
            break
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _call(_libc().capset(header, (ctypes.c_uint32 * 6)()), "capset")
    prctl(_SET_NO_NEW_PRIVS, 1)


def mapped_bytes() -> int:
    """Address space this process has mapped already; 0 where the platform does not say.

    A CUDA build of torch maps more than the course's memory limit before any learner's code runs, so the limit counts
    from here.
    """
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def limit(*, address_space: int | None, processes: int | None, seconds: int) -> None:
    """Set resource limits: bytes of address space (None: no limit), processes, seconds of processor time, and fixed
    ones for files and core dumps. Limits the platform lacks are passed over."""
    import resource

    wanted = {
        "RLIMIT_AS": address_space,
        "RLIMIT_NPROC": processes,
        "RLIMIT_CPU": seconds,
        "RLIMIT_FSIZE": SCRATCH_BYTES,
        "RLIMIT_NOFILE": 512,
        "RLIMIT_CORE": 0,
    }
    for name, value in wanted.items():
        number = getattr(resource, name, None)
        if number is None or value is None:
            continue
        try:
            hard = resource.getrlimit(number)[1]
            if hard != resource.RLIM_INFINITY:
                value = min(value, hard)
            resource.setrlimit(number, (value, value))
        except (OSError, ValueError):
            continue
