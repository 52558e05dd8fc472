"""Reading tables from files and data frames, and writing releases to files, folders and data frames."""

from shoal.tables.folder import Staged, interrupted, recover, stage
from shoal.tables.options import ReadOptions
from shoal.tables.reading import read, read_back
from shoal.tables.table import Dialect, Frame, FrameT, Origin, Table
from shoal.tables.to_frame import give_back
from shoal.tables.writing import fits_encoding, write_file, write_new_text, write_text

__all__ = [
    "Dialect",
    "Frame",
    "FrameT",
    "Origin",
    "ReadOptions",
    "Staged",
    "Table",
    "fits_encoding",
    "give_back",
    "interrupted",
    "read",
    "read_back",
    "recover",
    "stage",
    "write_file",
    "write_new_text",
    "write_text",
]
