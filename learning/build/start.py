"""What has to be arranged before nbgrader or Jupytext is imported."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def prepare() -> None:
    """Put this Python's script folder on PATH and import ``jsonschema`` without its grammar for addresses.

    nbgrader starts ``alembic`` by name, so a ``.venv`` that was not activated has to be on PATH. The grammar
    (``rfc3987_syntax``) is compiled at import, which took 3 of the 4 seconds that importing Jupytext takes; nothing
    here validates an internationalised address.
    """
    here = str(Path(sys.executable).parent)
    paths = os.environ.get("PATH", "").split(os.pathsep)
    if here not in paths:
        os.environ["PATH"] = os.pathsep.join([here, *paths])
    if "jsonschema" in sys.modules or "rfc3987_syntax" in sys.modules:
        return
    sys.modules["rfc3987_syntax"] = None  # an import of it now raises ImportError, which jsonschema expects
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        pass
    finally:
        del sys.modules["rfc3987_syntax"]
