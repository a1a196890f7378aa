"""``python -m learning.build``: see ``--help``."""

import sys

from learning.build.commands import main

if __name__ == "__main__":
    sys.exit(main())
