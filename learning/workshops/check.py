"""``python -m learning.workshops.check NAME``: is my answer right?

This module only tests the Python version, with syntax that older versions can read, and hands over to ``command``.
"""

import sys


def main(arguments=None):
    """Run the command and return its exit status; see ``learning.workshops.command``."""
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.stderr.write(
            "This is Python %d.%d, and the course needs 3.11 or newer. Run the command with a newer one, such as\n"
            "    python3.11 -m learning.workshops.check --list\n" % tuple(sys.version_info[:2])
        )
        return 3
    from learning.workshops import command

    return command.main(arguments)


if __name__ == "__main__":
    try:
        from learning.workshops.console import run
    except SyntaxError:  # a Python older than the course's
        sys.exit(main())
    run(main)
