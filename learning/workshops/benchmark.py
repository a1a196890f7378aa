"""``python -m learning.workshops.benchmark --op NAME``: how fast is my answer, beside whom?

This module tests the Python version in syntax that older versions can read, and hands over to ``timing``.
"""

import sys

from learning.workshops.check import too_old


def main(arguments=None):
    """Run the command and return its exit status: see ``learning.workshops.timing``."""
    reason = too_old()
    if reason:
        sys.stderr.write(reason.replace("workshops.check", "workshops.benchmark"))
        return 3
    from learning.workshops import timing

    return timing.main(arguments)


if __name__ == "__main__":
    if too_old():
        sys.exit(main())
    from learning.workshops import console

    console.run(main)
