"""What a command raises where something is missing; a module of its own, because reading it must cost nothing."""


class Unavailable(Exception):
    """Something the command needs is not to be had here; the message says what, and how to get it."""
