"""``python -m learning.workshops.start``: lay out ``work/<lesson>/`` for every lesson and say where to begin.

Lessons can be named: then only they. ``--level capstone`` lays out the capstones' starters instead, which are Python files;
another level its lessons alone.
Nothing that exists is overwritten. Exit status 0; 3 where there is nothing to lay out, a release is missing or a folder
cannot be written; 64 for a usage error.
"""

from __future__ import annotations

import argparse
import sys

from learning import lesson as lessons
from learning.lens import nvml
from learning.workshops import console, options, work
from learning.workshops.unavailable import Unavailable
from learning.workshops.work import Places

DEMONSTRATE = "python -m learning.capstones demonstrate"


def main(places: Places | None = None, arguments: list[str] | tuple[str, ...] = ()) -> int:
    """Lay out every lesson, or all of one level, or those named, that is not there yet and return the exit status."""
    console.prepare()
    parser = options.Parser(prog="python -m learning.workshops.start", description=__doc__,
                            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)  # fmt: skip
    parser.add_argument("lesson", nargs="*", help="these lessons only")
    parser.add_argument("--level", choices=lessons.LEVELS, help="this level only")
    try:
        asked = parser.parse_args(arguments)
        level, named = asked.level, [lessons.find(name) for name in asked.lesson]
        if level and named:
            raise options.UsageError("name lessons or a --level, not both")
    except (options.UsageError, lessons.UnknownLesson) as wrong:
        console.complain(f"start: {wrong}")
        return options.USAGE
    places = places or Places.default()
    found = named or lessons.discover(level)
    failed = False
    for lesson in found:
        suffix = ".py" if lesson.level == "capstone" else ".ipynb"
        try:
            made = work.lay_out(lesson, places, python=suffix == ".py")
        except Unavailable as missing:
            console.say(f"{lesson.slug:<24} {missing}")
            failed = True
            continue
        target = places.shown(places.folder(lesson) / f"{lesson.slug}{suffix}")
        source = "made from the starter" if suffix == ".py" else "made from the release"
        console.say(f"{lesson.slug:<24} {target}: {source if made else 'yours, left as it is'}")
    if not found:
        console.say(f"This course holds no lessons{f' of level {level}' if level else ''}.")
        return 3
    if failed:
        return 3
    first = found[0]
    console.say()
    if first.level == "capstone":
        console.say(f"Each has its contract, and a demonstration of our own entry: {DEMONSTRATE} {first.slug}")
        console.say(f"Check yours with: {console.command(first.slug)}")
        return 0
    console.say(
        f"Begin with {first.id}, {first.title}: open {places.shown(places.folder(first) / f'{first.slug}.ipynb')} in "
        "JupyterLab (make lab)"
    )
    # Without a GPU ``check`` runs no kernel unasked: a newcomer's first command should not be the one that says so.
    asked = "" if first.kind != "gpu" or nvml.first_gpu() else " --interpret"
    console.say(f"or in your editor, and ask for an answer with: {console.command(first.slug)}{asked}")
    return 0


if __name__ == "__main__":
    console.run(lambda: main(arguments=sys.argv[1:]))
