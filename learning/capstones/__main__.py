"""``python -m learning.capstones``: the capstones there are; ``demonstrate NAME`` shows our own entry of one, with its evidence.

Exit status 0: everything is as it says; 1: it is not; 3: no such capstone, or something needed is not available; 64: a usage error.
"""

from __future__ import annotations

import argparse
import sys

from learning import lesson as lessons
from learning.workshops import console, options
from learning.workshops.unavailable import Unavailable


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit status."""
    console.prepare()
    parser = options.Parser(prog="python -m learning.capstones", description=__doc__, allow_abbrev=False,
                            formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("action", nargs="?", choices=("list", "demonstrate"), default="list")
    parser.add_argument("name", nargs="?", metavar="NAME", help="a capstone's name or id (wide_softmax, C3)")
    try:
        chosen = parser.parse_args(arguments)
        if (chosen.action == "demonstrate") != bool(chosen.name):
            raise options.UsageError("name one capstone to demonstrate, and none to list them")
        found = lessons.discover("capstone")
        if chosen.action == "list" or not found:
            return _list(found)
        card = lessons.find(chosen.name)
        if card.level != "capstone":
            raise Unavailable(f"{card.slug} is a lesson; the capstones are {', '.join(one.slug for one in found)}")
        from learning.capstones import demonstration

        return 0 if demonstration.show(card, console.say) else 1
    except options.UsageError as wrong:
        console.complain(f"capstones: {wrong}")
        return options.USAGE
    except (Unavailable, lessons.UnknownLesson) as missing:
        console.say(str(missing))
        return 3


def _list(found: list[lessons.Lesson]) -> int:
    if not found:
        console.say(
            "There are no capstones here: they come with the course's repository, and not with the student kit."
        )
        return 3
    for card in found:
        console.say(f"{card.id:<4}{card.slug:<24}{card.minutes:>3} min  {card.sentence}")
    console.say()
    console.say(f"Begin one with:   {console.command('--level capstone', module='learning.workshops.start')}")
    console.say(f"See our own:      {console.command('demonstrate NAME', module='learning.capstones')}")
    return 0


if __name__ == "__main__":
    console.run(lambda: main(sys.argv[1:]))
