"""What of nbgrader this course stands on; a new nbgrader that changes any of it fails here, before a grade does."""

import hashlib
import inspect

import nbgrader
import pytest
from nbformat.v4 import new_code_cell, new_output
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback
from nbgrader.converters.base import BaseConverter
from nbgrader.preprocessors import ComputeChecksums, LockCells, SaveAutoGrades

READ = {
    utils.determine_grade: "f97b74436f01",
    utils.get_partial_grade: "1ffc9c7aeb72",
    utils.compute_checksum: "0ef25b0eb210",
    BaseConverter.start: "10d6830579cd",
    BaseConverter.convert_notebooks: "9f4d7a770217",
    BaseConverter.init_destination: "44418928db4f",
    BaseConverter.init_notebooks: "75dbbd15a2df",
    Autograde.init_assignment: "a7c144dc746e",
    Autograde.convert_single_notebook: "d46973a12f2e",
    Autograde._init_preprocessors: "44b51d96b8fa",
    GenerateFeedback.__init__: "253728928658",
    SaveAutoGrades._add_score: "ee891a8fe365",
    SaveAutoGrades._add_comment: "31f0186fac9c",
    LockCells.preprocess_cell: "b353c0a89465",
    ComputeChecksums.preprocess_cell: "08db4f3986f4",
    Gradebook.update_or_create_submission: "abee451ffde6",
}
"""Functions whose behaviour learning/grading relies on, with the start of their source's SHA-256 in 0.9.6."""


def test_the_version_is_the_one_we_read():
    assert nbgrader.__version__ == "0.9.6"


@pytest.mark.parametrize("function", READ, ids=lambda function: function.__qualname__)
def test_what_we_rely_on_is_as_we_read_it(function):
    found = hashlib.sha256(inspect.getsource(function).encode()).hexdigest()[:12]
    assert found == READ[function], f"{function.__qualname__} changed: read it again, then learning/grading"


@pytest.mark.parametrize(
    ("converter", "trait", "names"),
    [
        (
            Autograde,
            "sanitize_preprocessors",
            "ClearOutput DeduplicateIds OverwriteKernelspec OverwriteCells CheckCellMetadata",
        ),
        (
            Autograde,
            "autograde_preprocessors",
            "Execute IgnorePattern ClearMetadataPreprocessor LimitOutput SaveAutoGrades AssignLatePenalties "
            "CheckCellMetadata",
        ),
        (
            GenerateAssignment,
            "preprocessors",
            "IncludeHeaderFooter InstantiateTests LockCells ClearSolutions ClearOutput CheckCellMetadata "
            "ComputeChecksums SaveCells ClearHiddenTests ClearMarkScheme ComputeChecksums CheckCellMetadata",
        ),
        (GenerateFeedback, "preprocessors", "GetGrades CSSHTMLHeaderPreprocessor"),
    ],
)
def test_the_lists_we_replace_hold_what_they_held(converter, trait, names):
    (default,) = converter.class_traits()[trait].default_args
    assert [one.__name__ for one in default] == names.split()


def scored(*outputs) -> float:
    cell = new_code_cell("check(add)", outputs=list(outputs))
    cell.metadata.nbgrader = {"grade": True, "solution": False, "points": 2, "grade_id": "a"}
    return utils.determine_grade(cell)[0]


def result(text):
    return new_output("execute_result", data={"text/plain": text}, execution_count=1)


def test_why_scores_never_come_from_outputs():
    """The rule that makes a cell without outputs a full score, and a NumPy number too."""
    assert scored() == 2
    assert scored(result("tensor(0.)")) == 2
    assert scored(result("-1")) == 2
    assert scored(new_output("stream", name="stderr", text="warning"), result("2")) == 0


def test_the_form_of_output_we_write_is_read_as_it_is_meant():
    said = new_output("stream", name="stdout", text="not yet: adds (0.5 of 2)\n")
    assert scored(said, result("0.5")) == 0.5
    assert scored(said, result("0")) == 0
    assert scored(said, result("2")) == 2
