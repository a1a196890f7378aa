"""What every test process shares."""

import importlib.util


def pytest_sessionstart(session):
    """Open the device before any test imports Triton: which tests share a process, and in what order, must not matter."""
    if importlib.util.find_spec("triton") and importlib.util.find_spec("torch"):
        from learning.lens import device

        device.current()


def pytest_collection_modifyitems(config, items):
    """Skip what is marked ``gpu`` where there is no CUDA device, so that `make test-all` runs all that a machine can run."""
    import pytest
    import torch

    if not torch.cuda.is_available():
        for item in items:
            if item.get_closest_marker("gpu"):
                item.add_marker(pytest.mark.skip(reason="needs a CUDA device"))
