"""What becomes of a submission's cells: lost, moved, merged, split, turned into another kind, edited."""

import ast
import copy

from tests.grading.stories.telling import cell, named, place, plain_cell, right, source, write


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
