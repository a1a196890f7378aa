load_subconfig("grader_config.py")  # noqa: F821 (nbgrader reads this file; everything is configured in that one)
