"""``python -m learning.workshops.check NAME``: is my answer right?

This module only tests the Python version, in syntax that older versions can read, and hands over to ``command``.
"""

import sys

NEEDED = (3, 11)


def too_old(version=sys.version_info):
    """Why this Python cannot run the command, as two lines of text; "" where it can."""
    if tuple(version[:2]) >= NEEDED:
        return ""
    return (
        "This is Python {}.{}, and the course needs 3.11 or newer. Run the command with a newer one, such as\n"
        "    python3.11 -m learning.workshops.check --list\n"
    ).format(*version[:2])


def main(arguments=None):
    """Run the command and return its exit status: see ``learning.workshops.command``."""
    reason = too_old()
    if reason:
        sys.stderr.write(reason)
        return 3
    from learning.workshops import early

    with early.begun(arguments) as engine:  # before the rest of the command is imported
        from learning.workshops import command

        return command.main(arguments, grade=engine)


if __name__ == "__main__":
    if too_old():
        sys.exit(main())
    from learning.workshops import console

    console.run(main)
