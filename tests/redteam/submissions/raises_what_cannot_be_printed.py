# class 5
"""Raises an exception that raises again when somebody reads its message, its name or its traceback."""


class Evil(Exception):
    def __str__(self):
        raise Evil

    __repr__ = __str__
    __traceback__ = property(lambda self: 1 / 0)


def add(x, y):
    raise Evil
