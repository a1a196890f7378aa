"""What becomes of a submission's bytes, its name and its place."""

import json

from tests.grading.stories.telling import cell, named, plain_cell, right, source, write


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
