"""Submissions as they come back, told as stories: each makes one folder from a right answer's notebook.

``RIGHT`` stories lose nothing: the answer is found and graded. ``NAMED`` stories cannot be graded and say why.
"""

from tests.grading.stories import cells, files, formats
from tests.grading.stories.telling import NAMED, RIGHT, plain_cell, write

__all__ = ["NAMED", "RIGHT", "cells", "files", "formats", "plain_cell", "write"]
