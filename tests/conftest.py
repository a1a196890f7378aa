"""What every test process shares."""

import importlib.util


def pytest_sessionstart(session):
    """Open the device before any test imports Triton: which tests share a process, and in what order, must not matter."""
    if importlib.util.find_spec("triton") and importlib.util.find_spec("torch"):
        from learning.lens import device

        device.current()
