"""A real JupyterLab and a real headless Chromium, on a course root of the test's own."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(item.path).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.timeout(600))
            item.add_marker(pytest.mark.xdist_group("browser"))


@dataclass
class Lab:
    """A running server: its address with token, and the folder it serves."""

    url: str
    token: str
    root: Path

    def page(self, path: str) -> str:
        return f"{self.url}/{path}{'&' if '?' in path else '?'}token={self.token}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def served(root: Path, home: Path):
    """Start JupyterLab on ``root`` with nothing of the user's own configuration."""
    port, token = free_port(), "t" * 24
    bin_folder = Path(sys.executable).parent
    env = {
        **os.environ,
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
        "HOME": str(home),
    }
    settings = home / "config" / "lab" / "user-settings" / "@jupyterlab"
    for name, values in {
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
        "notebook-extension/tracker": {"windowingMode": "none"},  # every cell is in the page, so tests can find it
    }.items():
        path = settings / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))
    log = (home / "lab.log").open("w")
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}", "--ip=127.0.0.1",
               f"--IdentityProvider.token={token}", "--ServerApp.port_retries=0"]  # fmt: skip
    server = subprocess.Popen(command, cwd=root, env=env, stdout=log, stderr=subprocess.STDOUT)
    lab = Lab(f"http://127.0.0.1:{port}", token, root)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(lab.page("api/status"), timeout=2).close()
                break
            except OSError:
                if server.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"JupyterLab did not start:\n{(home / 'lab.log').read_text()[-3000:]}") from None
                time.sleep(0.2)
        yield lab
    finally:
        server.terminate()
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()
        log.close()


@pytest.fixture(scope="session")
def serve():
    """``serve(root, home)``: a context manager that runs JupyterLab on ``root``."""
    return served


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, driven by Playwright."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: sudo apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=CHROMIUM, headless=True, args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser):
    """A fresh page of a desktop's size."""
    context = browser.new_context(viewport={"width": 1400, "height": 1100})
    yield context.new_page()
    context.close()
