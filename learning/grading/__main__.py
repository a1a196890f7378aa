"""``python -m learning.grading [ASSIGNMENT …] [--details] [--student ID]``: the report of a class.

Exit status 0; 1 where something failed to grade or waits to be graded again; 3 where there is nothing to report.
"""

from __future__ import annotations

import argparse
import os
import sys

from learning.grading import report, save
from learning.grading.course import directory
from learning.grading.outcome import FAILED, PENDING


def main(arguments: list[str] | None = None) -> int:
    """Print the report and return the exit status."""
    parser = argparse.ArgumentParser("python -m learning.grading", description="The report of a class.")
    parser.add_argument("assignment", nargs="*", help="assignments; all of the gradebook's where none is named")
    parser.add_argument("--details", action="store_true", help="every finding, with the seeds that replay it")
    parser.add_argument("--student", help="only this student")
    chosen = parser.parse_args(arguments)
    course = directory()
    path = course.db_url.removeprefix("sqlite:///")
    if course.db_url.startswith("sqlite:///") and not os.path.exists(path):
        print(f"there is no gradebook at {path}; make one with: nbgrader generate_assignment NAME", file=sys.stderr)
        return 3
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
            print("\n".join(f"  {line}" for line in lines))
            for line in report.what_stays_open({r.student: r.saved.outcome for r in rows if r.saved}):
                print(f"  {line}")
    return 1 if open_work else 0


if __name__ == "__main__":
    sys.exit(main())
