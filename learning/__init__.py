"""A course in writing Triton GPU kernels, with a grader that can be trusted."""

__version__ = "0.1.0"
