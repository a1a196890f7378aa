"""A finished notebook as the programs that learners use save it: their keys, ids, widget state, order and spacing.

Each function takes a notebook in nbformat 4.5 and gives the text of the file. What they write was read off files that were saved by
these programs and lie in public repositories: Colab's keys (``colab``, ``outputId``, ``executionInfo``, ``referenced_widgets``, format
4.0 without cell ids) off downloads with an "Open in Colab" cell, VS Code's off microsoft/vscode, extensions/ipynb/src/serializers.ts
and off notebooks with ``"languageId": "plaintext"``, Notebook 6's off nbgrader courses with ``"celltoolbar"`` and
``"ExecuteTime"``; JupyterLab's are those of the JupyterLab that is installed with the course.
"""

import copy
import json
import random
import string

SAVED = {}
WIDGET, STATE = "application/vnd.jupyter.widget-view+json", "application/vnd.jupyter.widget-state+json"
MODEL = "ea7d801881f141228837e8a7ba647841"
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3}, "file_extension": ".py", "mimetype": "text/x-python",
    "name": "python", "nbconvert_exporter": "python", "pygments_lexer": "ipython3", "version": "3.13.2",
}  # fmt: skip


def saved(make):
    SAVED[make.__name__] = make
    return make


def executed(notebook: dict) -> dict:
    """A copy that was run from the top: numbered cells, and outputs of every kind, a widget's in the first."""
    run, number = copy.deepcopy(notebook), 0
    for cell in run["cells"]:
        if cell["cell_type"] != "code":
            continue
        number += 1
        cell["execution_count"] = number
        shown = {"text/plain": ["1"], "text/html": ["<strong>✓ passed</strong>"]}
        cell["outputs"] = [
            {"output_type": "execute_result", "execution_count": number, "data": shown, "metadata": {}},
            {"output_type": "stream", "name": "stdout", "text": ["2500 sums\n", "are right"]},
        ]
        if number == 1:
            view = {"model_id": MODEL, "version_major": 2, "version_minor": 1}
            shown = {"output_type": "display_data", "data": {"text/plain": [""], WIDGET: view}, "metadata": {}}
            cell["outputs"].insert(0, shown)
        if number == 3:
            told = {"ename": "NameError", "evalue": "name 'x' is not defined", "traceback": ["\u001b[0;31mNameError"]}
            cell["outputs"] = [{"output_type": "error", **told}]
    return run


def model() -> dict:
    """One widget's state, as both front ends write it."""
    state = {"_model_module": "anywidget", "_model_module_version": "~0.9.*", "_model_name": "AnyModel", "name": "0bac"}
    return {"model_module": "anywidget", "model_module_version": "~0.9.*", "model_name": "AnyModel", "state": state}


def lines(source) -> list[str]:
    """A cell's source as a list of lines, as every program writes it."""
    text = source if isinstance(source, str) else "".join(source)
    return text.splitlines(keepends=True)


def _name(draw: random.Random, length: int = 12) -> str:
    return "".join(draw.choices(string.ascii_letters + string.digits + "-_", k=length))


def _colab(notebook: dict, *, keeps_ids: bool) -> dict:
    """Format 4.0: the ids go into the metadata, and one that Colab made where the notebook's were not kept."""
    draw, cells = random.Random(8), []
    for cell in executed(notebook)["cells"]:
        metadata = {**cell["metadata"], "id": cell["id"] if keeps_ids else _name(draw)}
        new = {"cell_type": cell["cell_type"], "source": lines(cell["source"]), "metadata": metadata}
        if cell["cell_type"] == "code":
            person = {"displayName": "Ada L.", "userId": "12136019235932552125"}
            ran = {"status": "ok", "timestamp": 1722608125960, "user_tz": -330, "elapsed": 5820, "user": person}
            metadata |= {"colab": {"base_uri": "https://localhost:8080/", "height": 139}, "executionInfo": ran}
            metadata["outputId"] = "19fe063e-d6eb-4a8a-b9ee-17633f67e941"
            for output in cell["outputs"]:
                if output["output_type"] == "execute_result":
                    output["data"]["application/vnd.google.colaboratory.intrinsic+json"] = {"type": "string"}
                elif output["output_type"] == "error":
                    output["evalue"] = "ignored"
                elif WIDGET in output.get("data", {}):
                    metadata["colab"]["referenced_widgets"] = [MODEL]
            new |= {"execution_count": cell["execution_count"], "outputs": cell["outputs"]}
        cells.append(new)
    metadata = {
        **notebook["metadata"],
        "colab": {"provenance": [], "gpuType": "T4", "toc_visible": True, "authorship_tag": "ABX9TyOF3/4bxRvsIdtF147d"},
        "kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": {"name": "python"},
        "accelerator": "GPU", "widgets": {STATE: {MODEL: model()}},
    }  # fmt: skip
    return {"nbformat": 4, "nbformat_minor": 0, "metadata": metadata, "cells": cells}


@saved
def saved_by_colab(notebook):
    """Downloaded from Colab after it was opened from GitHub: the ids lie in the metadata, the widgets' state is unwrapped."""
    return json.dumps(_colab(notebook, keeps_ids=True), ensure_ascii=False, indent=2)


@saved
def copied_to_github_by_colab(notebook):
    """Saved from Colab to GitHub: new ids, a cell with a badge on top, a form's code hidden, and no keys of the course's notebook."""
    made = _colab(notebook, keeps_ids=False)
    badge = '<a href="https://colab.research.google.com/github/ada/gpu/blob/main/mine.ipynb">Open In Colab</a>'
    cell = {"cell_type": "markdown", "metadata": {"id": "view-in-github", "colab_type": "text"}, "source": [badge]}
    made["cells"].insert(0, cell)
    made["metadata"]["colab"]["include_colab_link"] = True
    made["metadata"].pop("learning", None)
    for each in made["cells"]:
        if each["cell_type"] == "code":
            each["metadata"]["cellView"] = "form"
    return json.dumps(made, ensure_ascii=False, indent=2)


@saved
def saved_by_colab_in_2019(notebook):
    """As Colab wrote until 2020, and as other tools still copy it: a ``colab_type`` in each cell, ``execution_count`` 0."""
    made = _colab(notebook, keeps_ids=False)
    made["metadata"]["colab"] = {"name": "mine.ipynb", "version": "0.3.2", "provenance": []}
    for each in made["cells"]:
        each["metadata"]["colab_type"] = "code" if each["cell_type"] == "code" else "text"
        if each["cell_type"] == "code":
            each |= {"execution_count": 0, "outputs": []}
    return json.dumps(made, indent=2)


def _vs_code(notebook: dict) -> dict:
    made = executed(notebook)
    for each in made["cells"]:
        each["source"] = lines(each["source"])
        if each["cell_type"] == "code":
            each["metadata"]["vscode"] = {"languageId": "plaintext"}
    named = {"display_name": ".venv (3.13.2)", "language": "python", "name": "python3"}
    made["metadata"] |= {"kernelspec": named, "language_info": LANGUAGE}
    return made


@saved
def saved_by_vs_code(notebook):
    """VS Code today: keys in alphabetical order, its language's id in each cell, a kernel of its own, an empty cell at the end."""
    made = _vs_code(notebook)
    empty = {
        "cell_type": "code",
        "execution_count": None,
        "id": "a554841e",
        "metadata": {},
        "outputs": [],
        "source": [],
    }
    made["cells"].append(empty)
    return json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True)


@saved
def saved_by_vs_code_in_2021(notebook):
    """VS Code before cell ids: format 4.2, ``orig_nbformat``, and the interpreter's hash."""
    made = _vs_code(notebook)
    for each in made["cells"]:
        del each["id"]
    named = {"display_name": "Python 3.11.7 64-bit ('base': conda)", "name": "python3"}
    made["metadata"] |= {
        "kernelspec": named,
        "orig_nbformat": 4,
        "vscode": {"interpreter": {"hash": "31f2aee4e71d21fb"}},
    }
    return json.dumps(made | {"nbformat_minor": 2}, ensure_ascii=False, indent=1, sort_keys=True)


@saved
def saved_by_jupyterlab(notebook):
    """JupyterLab with times of execution, a slide show and widget state kept: every cell has keys of it."""
    made = executed(notebook)
    for each in made["cells"]:
        each["source"] = lines(each["source"])
        each["metadata"] |= {"editable": True, "slideshow": {"slide_type": ""}, "tags": []}
        if each["cell_type"] == "code":
            times = {
                "iopub.execute_input": "2026-08-19T10:41:05.215490Z",
                "shell.execute_reply": "2026-08-19T10:41:06.1Z",
            }
            each["metadata"] |= {
                "execution": times,
                "scrolled": True,
                "collapsed": True,
                "jupyter": {"outputs_hidden": True},
            }
    named = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    widgets = {STATE: {"state": {MODEL: model()}, "version_major": 2, "version_minor": 0}}
    made["metadata"] |= {"kernelspec": named, "language_info": LANGUAGE, "widgets": widgets, "toc-autonumbering": True}
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


@saved
def saved_by_notebook_6(notebook):
    """The classic notebook with its extensions: format 4.4 without ids, times, the assignment toolbar, a variable inspector."""
    made = executed(notebook)
    for each in made["cells"]:
        del each["id"]
        each["source"] = lines(each["source"])
        if each["cell_type"] == "code":
            times = {"end_time": "2021-08-30T05:02:52.852140Z", "start_time": "2021-08-30T05:02:52.563117Z"}
            each["metadata"] |= {"ExecuteTime": times, "scrolled": False, "code_folding": [0], "hide_input": False}
    named = {"display_name": "Environment (conda_gpu)", "language": "python", "name": "conda_gpu"}
    widgets = {STATE: {"state": {}, "version_major": 2, "version_minor": 0}}
    more = {"celltoolbar": "Create Assignment", "varInspector": {"window_display": False}, "toc": {"base_numbering": 1}}
    made["metadata"] |= {"kernelspec": named, "language_info": LANGUAGE, "widgets": widgets, **more}
    return json.dumps(made | {"nbformat_minor": 4}, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
