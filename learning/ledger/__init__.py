"""The gotchas ledger: the traps of Triton kernels, each with a number that messages of the course point to.

Standard library only. ``python -m learning.ledger [N]`` prints them.
"""

from learning.ledger.traps import TRAPS, Trap, UnknownTrap, find, reference

__all__ = ["TRAPS", "Trap", "UnknownTrap", "find", "reference"]
