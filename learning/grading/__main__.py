"""``python -m learning.grading [ASSIGNMENT …] [--details] [--student ID]``: the report of a class.

With ``--rotate-seed`` a new secret seed is made, the old one kept beside it, and every saved grade is marked "regrade
pending" until autograde replaces it. Exit status 0; 1 where something failed to grade or waits to be graded again; 3
where there is nothing to report.
"""

from __future__ import annotations

import argparse
import os
import sys

from learning.grading import report, save
from learning.grading.course import directory
from learning.grading.outcome import FAILED, PENDING
from learning.unseen import spelt_out


def main(arguments: list[str] | None = None) -> int:
    """Print the report and return the exit status."""
    parser = argparse.ArgumentParser("python -m learning.grading", description="The report of a class.")
    parser.add_argument("assignment", nargs="*", help="assignments; all of the gradebook's where none is named")
    parser.add_argument("--details", action="store_true", help="every finding, with the seeds that replay it")
    parser.add_argument("--student", help="only this student")
    parser.add_argument("--rotate-seed", action="store_true", help="draw new hidden cases; everything is regraded")
    chosen = parser.parse_args(arguments)
    course = directory()
    path = course.db_url.removeprefix("sqlite:///")
    if course.db_url.startswith("sqlite:///") and not os.path.exists(path):
        print(f"there is no gradebook at {path}; make one with: nbgrader generate_assignment NAME", file=sys.stderr)
        return 3
    if chosen.rotate_seed:
        return rotate(course)
    open_work = False
    with save.opened(course.db_url, course.course_id or "default_course") as gradebook:
        names = chosen.assignment or [assignment.name for assignment in gradebook.assignments]
        if not names:
            print("the gradebook has no assignment; make one with: nbgrader generate_assignment NAME", file=sys.stderr)
            return 3
        for name in names:
            try:
                rows = report.points_of(gradebook, name)
            except LookupError as error:
                print(error.args[0], file=sys.stderr)
                return 3
            rows = [row for row in rows if chosen.student in (None, row.student)]
            open_work |= any(row.state in (FAILED, PENDING) for row in rows)
            print(f"{name}: {sum(1 for row in rows if row.saved)} submissions")
            lines = [line for row in rows for line in report.details(row)] if chosen.details else report.table(rows)
            print("\n".join(f"  {spelt_out(part, line=True)}" for line in lines for part in line.split("\n")))
            for line in report.what_stays_open({r.student: r.saved.outcome for r in rows if r.saved}):
                print(f"  {line}")
    return 1 if open_work else 0


def rotate(course) -> int:
    """Put a new secret seed in the old one's place and mark every saved grade as pending; returns the exit status."""
    from learning.grading.settings import Grading
    from learning.judge import seeds

    path = Grading(config=course.config).seed_path()
    try:
        backup = seeds.rotate(path)
    except (seeds.SeedError, OSError) as error:
        print(error, file=sys.stderr)
        return 3
    print(f"a new secret seed is in {path}" + (f"; the old one is {backup}" if backup else ""))
    with save.opened(course.db_url, course.course_id or "default_course") as gradebook:
        for assignment in gradebook.assignments:
            saved = save.all_saved(gradebook, assignment.name)
            save.pending(gradebook, assignment.name, saved)
            if saved:
                print(f"{len(saved)} submissions wait to be graded again: nbgrader autograde {assignment.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
