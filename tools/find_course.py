"""Lets nbgrader's commands work from a subfolder of the course: the environment's own ``nbgrader_config.py``.

``tools/make_environment.py`` copies this file to ``.venv/etc/jupyter/nbgrader_config.py``, where nbgrader looks besides
the folder it is started in. It loads the nearest ``grader_config.py`` above that folder, and does nothing elsewhere.
"""

from pathlib import Path

here = Path.cwd()
for folder in (here, *here.parents):
    if (folder / "grader_config.py").is_file():
        load_subconfig("grader_config.py", path=str(folder))  # noqa: F821 (traitlets puts it here)
        break
