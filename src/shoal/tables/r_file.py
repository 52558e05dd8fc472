"""Reading data frames of R (.rds, .rda) with rdata, which is under the MIT license; pyreadr is under the AGPL.

Only plain data is taken from a file: factors as their labels, dates, times and value labels of the package haven. No
code in the file is run.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.errors import EngineError, TableError
from shoal.tables.check import check_names, checked, listed, refused
from shoal.tables.file_bytes import file_bytes
from shoal.tables.options import ReadOptions
from shoal.tables.room import refuse_beyond_room, room
from shoal.tables.table import Origin, Table
from shoal.tables.value_labels import with_labels

_CHUNK = 1 << 20
_BYTES = 400
"""Memory that an element of a text vector takes while it is read."""
_PACKED: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.BZ2File, b"\xfd7zXZ": lzma.LZMAFile}
_PLAIN = (b"RDX", b"RDA", b"RDB", b"X\n", b"A\n", b"B\n")
_UTF8, _LATIN1 = 1 << 3, 1 << 2


def read_r(path: Path, options: ReadOptions) -> Table:
    """Return the one data frame in a file of R."""
    parsed = _parsed(path)
    encoding = options.encoding or parsed.extra.encoding or "utf-8"
    try:
        frames = _frames(parsed.object)
        if len(frames) != 1:
            called = [name for name, _ in frames if name]
            raise TableError(
                f"{str(path)!r} holds {len(frames)} data frames{': ' + listed(called) if called else ''}.",
                "save the one that is the table: saveRDS(frame, 'table.rds').",
            )
        frame, notes = _frame(frames[0][1], encoding)
    except (AttributeError, LookupError, TypeError, ValueError, pl.exceptions.PolarsError):
        raise _broken(path) from None
    table, more = checked(frame)
    return Table(table, Origin("r", schema=dict(table.schema)), (*notes, *more))


def _frame(found: Any, encoding: str) -> tuple[pl.DataFrame, list[str]]:
    """Return a data frame as one of polars, and notes for the user."""
    about = _attributes(found)
    names = check_names(_texts(about["names"], encoding))
    columns, notes = [], []
    for name, values in zip(names, found.value, strict=True):
        made, of_column = _column(name, values, encoding)
        columns.append(made)
        notes += of_column
    if "row.names" in about and about["row.names"].info.type.name == "STR":
        notes.append("the row names of the data frame were not read; make them a column if they are data.")
    return pl.DataFrame(columns), notes


def _broken(path: Path) -> TableError:
    return TableError(f"{str(path)!r} is not a complete file of R.", "save it again: saveRDS(frame, 'table.rds').")


def _parsed(path: Path) -> Any:
    try:
        from rdata import parser
    except ImportError:
        raise EngineError("reading files of R needs the package rdata.", "pip install 'shoal[files]'.") from None

    def bounded(expand: Any) -> Any:
        """Expand a sequence that is stored as its length and two numbers only if there is room for it."""

        def expanded(state: Any) -> Any:
            refuse_beyond_room(path, 40 * int(state.value[0]))
            return expand(state)

        return expanded

    sequences = {name: bounded(parser.DEFAULT_ALTREP_MAP[name]) for name in (b"compact_intseq", b"compact_realseq")}
    content = _content(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parser.parse_data(
                content, altrep_constructor_dict={**parser.DEFAULT_ALTREP_MAP, **sequences}, extension=".rds"
            )
    except TableError:
        raise
    except MemoryError:
        raise TableError.no_memory(path) from None
    except Exception:  # rdata raises many kinds of errors, and has none of its own
        raise _broken(path) from None


def _content(path: Path) -> bytes:
    """Return the content of a file, unpacked once; one that unpacks to more than there is room for is refused."""
    data = file_bytes(path)
    opener = next((found for mark, found in _PACKED.items() if data.startswith(mark)), None)
    if opener is not None:
        parts: list[bytes] = []
        n_bytes, most = 0, room()
        try:
            with opener(io.BytesIO(data)) as file:
                while part := file.read(_CHUNK):
                    n_bytes += len(part)
                    if n_bytes > most:
                        refuse_beyond_room(path, n_bytes)
                    parts.append(part)
        except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error):
            raise _broken(path) from None
        data = b"".join(parts)
    if not data.startswith(_PLAIN):
        raise _broken(path)
    # every element of a text vector takes at least 8 bytes in the file, and many times that once it is read
    refuse_beyond_room(path, len(data) + len(data) // 16 * _BYTES // 16)
    return data


def _frames(found: Any) -> list[tuple[str, Any]]:
    """Return the data frames of a file with their names; in an .rds file there is one object without a name."""
    if found.info.type.name != "LIST":
        return [("", found)] if _is_frame(found) else []
    frames = []
    while found is not None and found.info.type.name == "LIST":
        if _is_frame(found.value[0]):
            frames.append((_symbol(found.tag), found.value[0]))
        found = found.value[1]
    return frames


def _is_frame(found: Any) -> bool:
    return found.info.type.name == "VEC" and "data.frame" in _classes(found)


def _symbol(tag: Any) -> str:
    if tag.info.type.name == "REF":
        tag = tag.referenced_object
    return str(tag.value.value.decode("utf-8", "replace"))


def _attributes(found: Any) -> dict[str, Any]:
    pairs, about = found.attributes, {}
    while pairs is not None and pairs.info.type.name == "LIST":
        about[_symbol(pairs.tag)] = pairs.value[0]
        pairs = pairs.value[1]
    return about


def _classes(found: Any) -> set[str]:
    named = _attributes(found).get("class")
    return set() if named is None else {str(one) for one in _texts(named, "utf-8")}


def _texts(found: Any, encoding: str) -> list[str | None]:
    """Return a vector of texts, each in the encoding that it states."""
    texts: list[str | None] = []
    for one in found.value:
        if one.value is None:
            texts.append(None)
        else:
            flags = one.info.gp
            texts.append(one.value.decode("utf-8" if flags & _UTF8 else "latin-1" if flags & _LATIN1 else encoding))
    return texts


def _column(name: str, found: Any, encoding: str) -> tuple[pl.Series, list[str]]:
    """Return a vector as a column, and notes for the user."""
    kind, classes, about = found.info.type.name, _classes(found), _attributes(found)
    if kind not in ("LGL", "INT", "REAL", "STR") or "dim" in about:
        raise refused(name, "values that are no plain vector")
    values = pl.Series(name, _texts(found, encoding), pl.String) if kind == "STR" else _numbers(name, found)
    if "factor" in classes:
        levels = _texts(about["levels"], encoding)
        places = values - 1
        if not bool(places.is_between(0, len(levels) - 1).all()):
            raise ValueError
        return pl.Series(name, levels, pl.String).gather(places), []
    if "Date" in classes:
        return values.cast(pl.Float64).floor().cast(pl.Int32).cast(pl.Date), []
    if "POSIXct" in classes:
        zone = next((text for text in _texts(about["tzone"], encoding) if text), None) if "tzone" in about else None
        at = (values.cast(pl.Float64) * 1e6).round().cast(pl.Int64).cast(pl.Datetime("us", "UTC"))
        if zone is None:
            return at.dt.replace_time_zone(None), [f"column {name!r}: its times name no time zone; they are in UTC."]
        return at.dt.convert_time_zone(zone), []
    if "labels" in about:
        coded = about["labels"]
        labels = _texts(_attributes(coded)["names"], encoding)
        codes = _texts(coded, encoding) if coded.info.type.name == "STR" else _numbers("", coded).to_list()
        return with_labels(values, {code: str(label) for code, label in zip(codes, labels, strict=True)})
    return values, []


def _numbers(name: str, found: Any) -> pl.Series:
    """Return a vector of numbers or truth values; whole numbers that are stored with a decimal point are whole."""
    kind = found.info.type.name
    if "integer64" in _classes(found):
        values = pl.Series(name, found.value.view("int64"))
        return pl.select(pl.when(values != -(2**63)).then(values).alias(name)).to_series()
    raw = np.ma.asarray(found.value)
    values = pl.Series(name, raw.data)
    if kind == "REAL":
        values = values.fill_nan(None)
        whole = values.is_between(-(2.0**53), 2.0**53) & (values % 1 == 0)
        return values.cast(pl.Int64) if bool(whole.all()) and "Date" not in _classes(found) else values
    present = pl.Series(~np.ma.getmaskarray(raw))
    values = pl.select(pl.when(present).then(values).alias(name)).to_series()
    return values.cast(pl.Boolean) if kind == "LGL" else values.cast(pl.Int64)
