"""A real JupyterLab and a real headless Chromium, on a course root of the test's own."""

from pathlib import Path

import pytest

from tools import lab


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(item.path).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(600))
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def serve():
    """``serve(root, home)``: a context manager that runs JupyterLab on ``root``."""
    return lab.served


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, driven by Playwright."""
    if lab.CHROMIUM is None:
        pytest.skip("chromium is not installed: sudo apt-get install chromium")
    with lab.chromium() as started:
        yield started


@pytest.fixture
def page(browser):
    """A fresh page of a desktop's size."""
    context = browser.new_context(viewport={"width": 1400, "height": 1100})
    yield context.new_page()
    context.close()
