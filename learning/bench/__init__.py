"""How fast a lesson's answer is, beside others: what is timed, how, and the record of it.

``benchmark.py`` in a lesson's folder says what is timed (``plan``); ``measure`` times it in one process, ``runner`` gives it
a process of its own; ``notebook`` is the lesson's cell, ``learning.workshops.benchmark`` the command. Grading does not
come through here: the judge's own protocol is ``learning.judge.timing``. Standard library only.
"""

from learning.bench.plan import COPY, Peer, Row, Shape

__all__ = ["COPY", "Peer", "Row", "Shape"]
