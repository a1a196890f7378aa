"""The checklist in a real kernel, spoken to in Jupyter's own messages: here, and with the oldest packages that are supported.

Colab has ipywidgets 7.7.1, anywidget 0.9.21, ipykernel 6.17 and IPython 7.34. An environment with these costs seconds: a bare
one that holds them and borrows everything else, as ``tools/matrix.py`` makes them.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from jupyter_client import KernelManager

from learning import course
from learning.gates import records

ROOT = Path(course.__file__).parents[1]
COLAB = ("ipywidgets==7.7.1", "anywidget==0.9.21", "ipykernel==6.17.1", "ipython==7.34.0", "ipython_genutils==0.2.0",
         "widgetsnbextension==3.6.10", "jupyterlab_widgets==1.1.11", "backcall==0.2.0", "pickleshare==0.7.5",
         "decorator==5.1.1", "nest-asyncio==1.6.0")  # fmt: skip
BEGIN = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nimport learning.session\nlearning.session.begin('online_normalizer')"
SHOW = "from learning.widgets.checklist import checklist\nchecklist()"
VERSIONS = (
    "import IPython, anywidget, ipywidgets\nprint(IPython.__version__, anywidget.__version__, ipywidgets.__version__)"
)
LIMIT = 60


class Kernel:
    """A kernel run by ``python`` in ``folder``, and what it published."""

    def __init__(self, python, folder):
        self.manager = KernelManager()
        self.manager.kernel_spec.argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("NBGRADER", "JPY_SESSION"))}
        self.manager.start_kernel(
            cwd=str(folder), env=kept | {"PYTHONDONTWRITEBYTECODE": "1", "IPYTHONDIR": str(folder / ".ipython")}
        )
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=LIMIT)

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def published(self, request):
        """(type, content) of everything published on account of ``request``, until the kernel is idle again."""
        found, deadline = [], time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            message = self.client.get_iopub_msg(timeout=LIMIT)
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return found
            found.append((message["msg_type"], message["content"]))
        raise TimeoutError("the kernel did not become idle")

    def run(self, source):
        found = self.published(self.client.execute(source))
        errors = [content["traceback"] for kind, content in found if kind == "error"]
        assert not errors, "\n".join(errors[0])
        return found

    def tell(self, comm, content):
        """Send what ``model.send(content)`` of a browser sends."""
        data = {"comm_id": comm, "data": {"method": "custom", "content": content}}
        message = self.client.session.msg("comm_msg", data)
        self.client.shell_channel.send(message)
        return self.published(message["header"]["msg_id"])


def conversation(python, folder):
    """A checklist from its first display to a tick that is acknowledged; the versions that took part."""
    folder.mkdir()
    kernel = Kernel(python, folder)
    try:
        versions = next(content["text"] for kind, content in kernel.run(VERSIONS) if kind == "stream")
        kernel.run(BEGIN)
        shown = kernel.run(SHOW)
        opened = [c for kind, c in shown if kind == "comm_open" and "_esm" in c["data"]["state"]]
        assert len(opened) == 1 and opened[0]["data"]["state"]["state"]["progress"] == "progress 0/7"
        static, widget = (content for kind, content in shown if kind == "display_data")
        assert "progress 0/7" in static["data"]["text/html"] and static["transient"]["display_id"]
        view = widget["data"]["application/vnd.jupyter.widget-view+json"]
        comm = opened[0]["comm_id"]
        assert view["model_id"] == comm

        tick = {"kind": "tick", "gate": "log", "ticked": True, "seen": "", "number": "n1", "mine": []}
        for attempt in (tick, tick):  # the second time as after an acknowledgement that was lost
            answered = kernel.tell(comm, attempt)
            acks = [c["data"]["content"] for k, c in answered if k == "comm_msg" and c["data"]["method"] == "custom"]
            assert acks == [{"kind": "ack", "gate": "log", "number": "n1", "kept": True, "why": ""}]
        updates = [
            c["data"]["state"]["state"] for k, c in answered if k == "comm_msg" and c["data"]["method"] == "update"
        ]
        assert updates[-1]["progress"] == "progress 0/7, 1 claimed"
        log = records.read(folder / records.FILE)
        assert [one["payload"]["gate"] for one in log] == ["log"] and not log.damage

        found = kernel.run("learning.session._session.note('reference', {'before_launch': True})")
        states = [c["data"]["state"] for k, c in found if k == "comm_msg" and c["data"]["method"] == "update"]
        assert states[-1]["state"]["progress"] == "progress 1/7, 1 claimed"  # a record of the session is told at once
        saved = [c["data"]["text/plain"] for kind, c in found if kind == "update_display_data"]
        assert all("progress 1/7, 1 claimed" in text for text in saved) and len(saved) == 3  # the machine table too
        assert [c for k, c in kernel.tell(comm, {"kind": "nonsense"}) if k == "comm_msg"] == []
        return versions.split()
    finally:
        kernel.close()


def test_a_tick_is_recorded_acknowledged_and_shown(tmp_path):
    assert len(conversation(sys.executable, tmp_path / "nb")) == 3


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_same_with_colabs_ipywidgets_anywidget_and_ipython(tmp_path):
    folder = tmp_path / "colab"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    packages = folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    install = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
        "--no-deps",
        "--no-compile",
    ]
    done = subprocess.run([*install, "--target", packages, *COLAB], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no package index can be reached: {done.stderr.strip().splitlines()[-1]}")
    borrowed = Path(pytest.__file__).parents[1]
    (packages / "borrowed.pth").write_text(f"import site; site.addsitedir({str(borrowed)!r})\n")
    assert conversation(folder / "bin" / "python", tmp_path / "nb") == ["7.34.0", "0.9.21", "7.7.1"]
