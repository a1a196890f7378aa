"""What every test process shares."""

import importlib.util

import pytest


def pytest_sessionstart(session):
    """Open the device before any test imports Triton: which tests share a process, and in what order, must not matter."""
    if importlib.util.find_spec("triton") and importlib.util.find_spec("torch"):
        from learning.lens import device

        device.current()


def pytest_collection_modifyitems(config, items):
    """Skip what is marked ``gpu`` where there is no CUDA device, so that `make test-all` runs all that a machine can run."""
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if marked and not _has_cuda():
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="needs a CUDA device"))


def _has_cuda():
    if not importlib.util.find_spec("torch"):
        return False
    import torch

    return torch.cuda.is_available()
