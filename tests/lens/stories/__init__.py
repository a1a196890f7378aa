"""Kernels and stories that are run on every target by ``run.py``, in a process of their own."""
