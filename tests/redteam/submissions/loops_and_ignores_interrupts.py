# class 15
"""Never returns, and swallows whatever is raised in it."""


def add(x, y):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
