"""The one place of configuration: for nbgrader, for formgrader, and for the course itself.

nbgrader reads only ``nbgrader_config.py``, whose one line loads this file, from the folder it is started in.
"""

import contextlib
import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821 (traitlets puts it here)

ROOT = Path(__file__).resolve().parent

# nbgrader starts `alembic` by name, and the classes below are imported by name
TOOLS = str(Path(sys.executable).parent)
if TOOLS not in os.environ.get("PATH", "").split(os.pathsep):
    os.environ["PATH"] = os.pathsep.join([TOOLS, os.environ.get("PATH", "")])
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

# ---- the course -----------------------------------------------------------------------------------------------------
# Where the repository is published. While these are empty, notebooks carry no "Open in Colab" badge and their first
# cell looks for the package only around itself. `tag` is the release a notebook fetches the package from.
c.Course.owner = ""
c.Course.repository = ""
c.Course.tag = ""
# The secret seed of the hidden cases: made at the first grading, readable by its owner alone, outside the checkout.
c.Course.seed_file = str(Path("~/.config/triton-kernel-course/seed").expanduser())

# ---- folders --------------------------------------------------------------------------------------------------------
c.CourseDirectory.course_id = "triton-kernels"
c.CourseDirectory.root = str(ROOT)
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "README.md"]
# Hand-ins need no exchange here; JupyterLab's course list asks for a folder it can write to, or shows an error.
EXCHANGE = ROOT / "exchange"
with contextlib.suppress(OSError):
    EXCHANGE.mkdir(exist_ok=True)
c.Exchange.root = str(EXCHANGE)

# ---- releases -------------------------------------------------------------------------------------------------------
# nbgrader's own stub raises, which does not compile inside @triton.jit; this one does, and gives no answer.
c.ClearSolutions.code_stub = {"python": "### YOUR CODE HERE\n..."}
c.ClearSolutions.text_stub = "*Write here.*"
c.ClearSolutions.begin_solution_delimeter = "BEGIN SOLUTION"
c.ClearSolutions.end_solution_delimeter = "END SOLUTION"
c.ClearHiddenTests.begin_test_delimeter = "BEGIN HIDDEN TESTS"
c.ClearHiddenTests.end_test_delimeter = "END HIDDEN TESTS"
c.ClearMarkScheme.begin_mark_scheme_delimeter = "BEGIN MARK SCHEME"
c.ClearMarkScheme.end_mark_scheme_delimeter = "END MARK SCHEME"
# A release is a pure function of its source: running the command again replaces it.
c.GenerateAssignment.force = True

# ---- grading (learning/grading reads and edits this section) --------------------------------------------------------
# The submission's own notebook is never executed: an exporter reads it, the judge grades its cells in a sandbox, and
# the autograded notebook, the scores and the feedback are written from the judge's records. See docs/architecture.md.
c.Autograde.exporter_class = "learning.grading.pipeline.SubmissionExporter"
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = [
    "learning.grading.pipeline.WriteReports",
    "learning.grading.pipeline.SaveRecords",
    "learning.grading.pipeline.LatePenalties",
]
c.Autograde.force = True
c.GenerateFeedback.exporter_class = "learning.grading.feedback.FeedbackExporter"
c.GenerateFeedback.preprocessors = []
c.GenerateFeedback.force = True
c.ExportApp.plugin_class = "learning.grading.report.StateExport"
# Formgrader shows learners' Markdown: without scripts.
c.HTMLExporter.sanitize_html = True
# A source is kept when it is released, so that a submission is graded against the version it was made from.
c.GenerateAssignment.pre_convert_hook = "learning.grading.store.keep_generated"
# Settings of our own, also as flags (nbgrader autograde NAME --Grading.slots=4): learning/grading/settings.py
# c.Grading.device = "interpreter"
