import pytest

from tests.grading.kit import Course

LESSON = "online_normalizer"


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Course:
    """The CPU lesson, built and released; read it, and copy it to change it."""
    return Course.make(tmp_path_factory.mktemp("built") / "course", LESSON)


@pytest.fixture
def course(built, tmp_path) -> Course:
    """A course of one's own with the CPU lesson and no submissions."""
    return built.copy_to(tmp_path / "course")
