"""Reading files of SPSS, Stata and SAS with pyreadstat: codes as their labels, declared missing values as missing."""

from __future__ import annotations

import importlib.util
import io
import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Literal

import polars as pl

from shoal.errors import EngineError, TableError
from shoal.tables.check import checked
from shoal.tables.file_bytes import file_bytes
from shoal.tables.options import ReadOptions
from shoal.tables.room import refuse_beyond_room, room
from shoal.tables.table import Origin, Table

Program = Literal["spss", "stata", "sas"]
_LENGTH = struct.calcsize("<Q")


def read_statistics(path: Path, program: Program, options: ReadOptions) -> Table:
    """Return the table in a file of SPSS (.sav, .zsav, .por), Stata (.dta) or SAS (.sas7bdat, .xpt).

    Values that the file declares as missing are missing. See `with_labels` for the labels of codes. The file is read
    in a process of its own (`statistics_reader`), because one that is damaged may end it.
    """
    if importlib.util.find_spec("pyreadstat") is None:
        raise EngineError(f"reading {path.suffix} files needs the package pyreadstat.", "pip install 'shoal[files]'.")
    reader = [sys.executable, "-m", "shoal.tables.statistics_reader"]
    done = subprocess.run(
        [*reader, path.suffix.lower(), str(room()), options.encoding or ""],
        input=file_bytes(path),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # it may show what is in the file
        check=False,
    )
    if done.returncode or len(done.stdout) < _LENGTH:
        raise TableError(
            f"{str(path)!r} is not a complete {path.suffix} file, or it is in another encoding than it says.",
            "export it again, or say its encoding: --encoding cp1252 (encoding=...).",
        )
    end = _LENGTH + struct.unpack("<Q", done.stdout[:_LENGTH])[0]
    report = json.loads(done.stdout[_LENGTH:end])
    if "needed" in report:
        refuse_beyond_room(path, report["needed"])
    if "message" in report:
        raise TableError(report["message"], report["hint"])
    frame, notes = checked(pl.read_ipc_stream(io.BytesIO(done.stdout[end:])))
    return Table(frame, Origin(program, schema=dict(frame.schema)), (*report.get("notes", ()), *notes))
