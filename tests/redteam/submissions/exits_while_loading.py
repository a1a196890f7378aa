# class 5
"""Ends the process with success while its cells are loaded."""

import os

os._exit(0)
