"""Submissions as they come back, told as stories: each makes one folder from a right answer's notebook.

``RIGHT`` stories lose nothing: the answer is found and graded. ``NAMED`` stories cannot be graded and say why.
"""

import copy
import json
from pathlib import Path

from tests.grading import editors

RIGHT, NAMED = {}, {}


def right(make):
    RIGHT[make.__name__] = make
    return make


def named(cause):
    def register(make):
        NAMED[make.__name__] = (make, cause)
        return make

    return register


def write(folder: Path, notebook, name="", encoding="utf-8", **options) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    text = notebook if isinstance(notebook, str) else json.dumps(notebook, ensure_ascii=False, indent=1, **options)
    path = folder / (name or f"{folder.name}.ipynb")
    path.write_bytes(text.encode(encoding))
    return path


def cell(notebook, role, nth=0):
    return [c for c in notebook["cells"] if c["metadata"].get("learning", {}).get("role") == role][nth]


def place(notebook, role, nth=0):
    wanted = cell(notebook, role, nth)
    return next(i for i, c in enumerate(notebook["cells"]) if c is wanted)


def source(cell):
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])


def plain_cell(kind, text):
    new = {"cell_type": kind, "metadata": {}, "source": text}
    return new | {"outputs": [], "execution_count": None} if kind == "code" else new


# ---- bytes ----------------------------------------------------------------------------------------------------------


@right
def untouched_by_any_editor(folder, notebook):
    write(folder, notebook)


@right
def saved_with_a_byte_order_mark(folder, notebook):
    write(folder, notebook, encoding="utf-8-sig")


@right
def saved_as_utf_16(folder, notebook):
    write(folder, notebook, encoding="utf-16")


@right
def saved_as_utf_16_without_a_mark(folder, notebook):
    write(folder, notebook, encoding="utf-16-le")


@right
def saved_as_latin_1(folder, notebook):
    notebook["cells"].insert(0, plain_cell("markdown", "Grüße, naïve café"))
    text = json.dumps(notebook, ensure_ascii=False)
    folder.mkdir(parents=True)
    (folder / f"{folder.name}.ipynb").write_bytes(text.encode("latin-1", "replace"))


@right
def saved_with_windows_line_ends(folder, notebook):
    for each in notebook["cells"]:
        each["source"] = source(each).replace("\n", "\r\n")
    write(folder, json.dumps(notebook, indent=1).replace("\n", "\r\n"))


@right
def saved_by_an_old_macintosh(folder, notebook):
    for each in notebook["cells"]:
        each["source"] = source(each).replace("\n", "\r")
    write(folder, notebook)


@named("cut off")
def truncated_upload(folder, notebook):
    text = json.dumps(notebook)
    write(folder, text[: len(text) // 2])


@named("empty")
def empty_file(folder, notebook):
    write(folder, "")


@named("only zeros")
def disk_full_of_zeros(folder, notebook):
    write(folder, "\0" * 5000)


@named("a number, not a notebook")
def a_number_instead(folder, notebook):
    write(folder, "42")


@named("a list, not a notebook")
def a_json_list(folder, notebook):
    write(folder, [1, 2, 3])


@right
def a_bare_list_of_cells(folder, notebook):
    write(folder, notebook["cells"])


@named("web page")
def a_web_page_saved_as_a_notebook(folder, notebook):
    write(folder, "<!DOCTYPE html><html><body>preview</body></html>")


@named("unresolved merge")
def a_merge_conflict(folder, notebook):
    text = json.dumps(notebook, indent=1)
    write(folder, text.replace('"cells": [', '"cells": [\n<<<<<<< HEAD\n=======\n>>>>>>> mine\n', 1))


@named("nested too deeply")
def nested_without_end(folder, notebook):
    write(folder, "[" * 200_000)


@named("no cells")
def another_json_file(folder, notebook):
    write(folder, {"name": "package", "version": 1})


# ---- format ---------------------------------------------------------------------------------------------------------


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


# ---- name and place -------------------------------------------------------------------------------------------------


@right
def downloaded_twice(folder, notebook):
    write(folder, notebook, f"{folder.name} (1).ipynb")


@right
def copied_in_jupyterlab(folder, notebook):
    write(folder, notebook, f"{folder.name}-Copy1.ipynb")


@right
def copied_in_drive(folder, notebook):
    write(folder, notebook, f"Copy of {folder.name}.ipynb")


@right
def renamed_after_its_author(folder, notebook):
    write(folder, notebook, "homework_final_REALLY.ipynb")


@right
def in_a_folder_of_its_own(folder, notebook):
    write(folder / "My Week 1", notebook, f"{folder.name}.ipynb")


@right
def beside_its_checkpoint(folder, notebook):
    write(folder, notebook)
    write(folder / ".ipynb_checkpoints", "{}", f"{folder.name}-checkpoint.ipynb")


@named("several notebooks")
def two_drafts_and_no_choice(folder, notebook):
    write(folder, notebook, "draft one.ipynb")
    write(folder, notebook, "draft two.ipynb")


@named("no notebook")
def only_a_text_file(folder, notebook):
    write(folder, "I could not find the notebook", "note.txt")


@named("symbolic link")
def a_link_as_the_notebook(folder, notebook):
    folder.mkdir(parents=True)
    target = write(folder.parent / "elsewhere", notebook, "mine.ipynb")
    (folder / f"{folder.name}.ipynb").symlink_to(target)


@named("not a regular file")
def a_folder_called_like_the_notebook(folder, notebook):
    (folder / f"{folder.name}.ipynb").mkdir(parents=True)


@named("at most 64 MB")
def two_hundred_megabytes_of_attachments(folder, notebook):
    path = write(folder, notebook)
    with path.open("r+b") as file:
        file.truncate(200 << 20)


@right
def thirty_megabytes_printed_on_one_line(folder, notebook):
    answer = cell(notebook, "answer")
    answer["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * (30 << 20)}]
    write(folder, notebook)


# ---- cells ----------------------------------------------------------------------------------------------------------


@right
def answer_cell_without_metadata(folder, notebook):
    cell(notebook, "answer")["metadata"] = {}
    write(folder, notebook)


@right
def no_metadata_anywhere(folder, notebook):
    for each in notebook["cells"]:
        each["metadata"] = {}
    notebook["metadata"] = {}
    write(folder, notebook)


@right
def neither_metadata_nor_ids(folder, notebook):
    for each in notebook["cells"]:
        each["metadata"] = {}
        each.pop("id")
    write(folder, notebook | {"nbformat_minor": 4})


@right
def cells_in_reverse(folder, notebook):
    notebook["cells"].reverse()
    write(folder, notebook)


@right
def answer_moved_to_the_end(folder, notebook):
    notebook["cells"].append(notebook["cells"].pop(place(notebook, "answer")))
    write(folder, notebook)


@right
def answer_merged_with_the_check_below(folder, notebook):
    answer, check = cell(notebook, "answer"), cell(notebook, "check")
    answer["source"] = source(answer) + "\n\n\n" + source(check)
    notebook["cells"].remove(check)
    write(folder, notebook)


@right
def answer_merged_into_the_reference_above(folder, notebook):
    setup, answer = cell(notebook, "setup", -1), cell(notebook, "answer")
    setup["source"] = source(setup) + "\n\n\n" + source(answer)
    notebook["cells"].remove(answer)
    write(folder, notebook)


@right
def answer_split_in_two(folder, notebook):
    index = place(notebook, "answer")
    first, second = _halves(source(notebook["cells"][index]))
    notebook["cells"][index]["source"] = first
    notebook["cells"].insert(index + 1, plain_cell("code", second))
    write(folder, notebook)


@right
def answer_split_and_both_halves_keep_the_name(folder, notebook):
    index = place(notebook, "answer")
    first, second = _halves(source(notebook["cells"][index]))
    half = copy.deepcopy(notebook["cells"][index])
    notebook["cells"][index]["source"], half["source"], half["id"] = first, second, "other-half"
    notebook["cells"].insert(index + 1, half)
    write(folder, notebook)


def _halves(text):
    import ast

    last = ast.parse(text).body[-1]
    first_line = min([last.lineno, *(d.lineno for d in getattr(last, "decorator_list", []))])
    lines = text.split("\n")
    return "\n".join(lines[: first_line - 1]), "\n".join(lines[first_line - 1 :])


@right
def answer_became_text(folder, notebook):
    answer = cell(notebook, "answer")
    answer["cell_type"] = "markdown"
    answer.pop("outputs"), answer.pop("execution_count")
    write(folder, notebook)


@right
def answer_became_raw_and_lost_its_metadata(folder, notebook):
    answer = cell(notebook, "answer")
    answer["cell_type"], answer["metadata"] = "raw", {}
    write(folder, notebook)


@right
def explanation_became_code(folder, notebook):
    cell(notebook, "explain")["cell_type"] = "code"
    write(folder, notebook)


@right
def answer_copied_and_the_copy_left_untouched(folder, notebook, starter=None):
    index = place(notebook, "answer")
    notebook["cells"].insert(index, dict(copy.deepcopy(notebook["cells"][index]), source=starter or "", id="a-copy"))
    write(folder, notebook)


@right
def answer_copied_below_and_the_original_untouched(folder, notebook, starter=None):
    index = place(notebook, "answer")
    copied = dict(copy.deepcopy(notebook["cells"][index]), id="a-copy")
    notebook["cells"][index]["source"] = starter or ""
    notebook["cells"].insert(index + 1, copied)
    write(folder, notebook)


@right
def answer_typed_into_a_new_cell(folder, notebook, starter=None):
    answer = cell(notebook, "answer")
    mine = plain_cell("code", source(answer))
    answer["source"] = starter or ""
    notebook["cells"].append(mine)
    write(folder, notebook)


@right
def check_cell_copied(folder, notebook):
    notebook["cells"].append(dict(copy.deepcopy(cell(notebook, "check")), id="again"))
    write(folder, notebook)


@right
def checks_deleted(folder, notebook):
    notebook["cells"] = [
        c for c in notebook["cells"] if c["metadata"].get("learning", {}).get("role") not in ("check", "hidden")
    ]
    write(folder, notebook)


@right
def checks_edited_to_pass(folder, notebook):
    for role in ("check", "hidden"):
        each = cell(notebook, role)
        each["source"] = "print('all good')\n20"
        each["metadata"]["nbgrader"]["points"] = 1000
    write(folder, notebook)


@right
def reference_pasted_over(folder, notebook):
    cell(notebook, "setup", -1)["source"] = "reference = None"
    write(folder, notebook)


@right
def skip_execution_tag(folder, notebook):
    for each in notebook["cells"]:
        each["metadata"]["tags"] = ["skip-execution", "raises-exception", "remove-cell"]
    write(folder, notebook)


@right
def asks_for_input(folder, notebook):
    index = place(notebook, "answer")
    notebook["cells"].insert(index, plain_cell("code", 'name = input("Who are you? ")'))
    write(folder, notebook)


@right
def an_added_cell_raises(folder, notebook):
    index = place(notebook, "answer")
    notebook["cells"].insert(index, plain_cell("code", "scratch = undefined_name + 1"))
    write(folder, notebook)


@right
def magics_and_shell_lines(folder, notebook):
    answer = cell(notebook, "answer")
    answer["source"] = "%%time\n" + source(answer)
    notebook["cells"].insert(0, plain_cell("code", "!pip install nonsense\n%matplotlib inline"))
    write(folder, notebook)


@named("is of the lesson")
def the_wrong_lessons_notebook(folder, notebook):
    notebook["metadata"]["learning"]["lesson"] = "another_lesson"
    write(folder, notebook)
