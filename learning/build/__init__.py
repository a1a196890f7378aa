"""Lesson folders become instructor notebooks and back, and nbgrader makes releases of them that are then audited."""
