"""Where thousands of small files are written and removed again: in memory, where the system has such a folder.

A release waits for the disk some ten times; a run of thousands of them would do little else.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")


def in_memory() -> str:
    """A folder in memory, or the folder for temporary files."""
    return str(MEMORY) if MEMORY.is_dir() and os.access(MEMORY, os.W_OK | os.X_OK) else tempfile.gettempdir()
