"""What this machine can do for the course, and the remedy for each thing it lacks: ``python -m learning.doctor``."""
