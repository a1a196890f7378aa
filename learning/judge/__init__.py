"""Is it right, is it fast: the judge decides, and trusts nothing the learner wrote."""

from learning.judge.call import fold
from learning.judge.check import Check, check
from learning.judge.finding import CheckResult, Fault, Finding, LearnerFault, NeedsDevice, WrongAnswer
from learning.judge.score import Score

__all__ = [
    "Check",
    "CheckResult",
    "Fault",
    "Finding",
    "LearnerFault",
    "NeedsDevice",
    "Score",
    "WrongAnswer",
    "check",
    "fold",
]
