"""What other programs and other years make of a notebook's format."""

from tests.grading import editors
from tests.grading.stories.telling import RIGHT, right, source, write


@right
def says_format_5(folder, notebook):
    write(folder, notebook | {"nbformat": 5, "nbformat_minor": 0})


@right
def from_the_format_of_2014(folder, notebook):
    cells = [
        {
            "cell_type": c["cell_type"],
            "metadata": c["metadata"],
            ("input" if c["cell_type"] == "code" else "source"): source(c),
        }
        for c in notebook["cells"]
    ]
    write(folder, {"metadata": {}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": cells}]})


@right
def ids_missing(folder, notebook):
    for each in notebook["cells"]:
        each.pop("id", None)
    write(folder, notebook)


@right
def ids_all_the_same(folder, notebook):
    for each in notebook["cells"]:
        each["id"] = "cell"
    write(folder, notebook)


@right
def ids_with_spaces(folder, notebook):
    for number, each in enumerate(notebook["cells"]):
        each["id"] = f"my cell {number}"
    write(folder, notebook)


@right
def ids_in_a_version_without_ids(folder, notebook):
    write(folder, notebook | {"nbformat_minor": 2})


def _saved_by(save):
    return lambda folder, notebook: write(folder, save(notebook))


RIGHT |= {name: _saved_by(save) for name, save in editors.SAVED.items()}


@right
def malformed_widget_state(folder, notebook):
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"abc": [None, "no state"]}}
    write(folder, notebook)


@right
def metadata_that_is_no_object(folder, notebook):
    notebook["metadata"] = ["python3"]
    notebook["cells"].append({"cell_type": "code", "metadata": "none", "source": 7})
    notebook["cells"].append("not a cell")
    write(folder, notebook)
