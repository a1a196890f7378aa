"""``python -m learning.workshops.start``: lay out ``work/<lesson>/`` for every lesson and say where to begin.

Nothing that exists is overwritten. Exit status 0; 3 where a release is missing or a folder cannot be written.
"""

from __future__ import annotations

from learning import lesson as lessons
from learning.workshops import console, work
from learning.workshops.work import Places, Unavailable


def main(places: Places | None = None) -> int:
    """Lay out every lesson that is not there yet and return the exit status."""
    console.prepare()
    places = places or Places.default()
    found = lessons.discover()
    failed = False
    for lesson in found:
        try:
            made = work.lay_out(lesson, places)
        except Unavailable as missing:
            console.say(f"{lesson.slug:<24} {missing}")
            failed = True
            continue
        target = places.shown(places.folder(lesson) / f"{lesson.slug}.ipynb")
        console.say(f"{lesson.slug:<24} {target}: {'made from the release' if made else 'yours, left as it is'}")
    if not found:
        console.say("This course holds no lessons.")
        return 3
    if failed:
        return 3
    first = found[0]
    console.say()
    console.say(
        f"Begin with {first.id}, {first.title}: open {places.shown(places.folder(first))} in JupyterLab (make lab)"
    )
    console.say(f"or in your editor, and ask for an answer with: {console.command(first.slug)}")
    return 0


if __name__ == "__main__":
    console.run(main)
