"""The learner's commands: ``check`` and ``start``."""
