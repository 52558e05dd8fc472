"""Protecting spreadsheets from formulas: texts that look like one get a leading apostrophe, which reading removes.

Guarantee   `unguarded` undoes `guarded` and never makes two different texts equal: a text that begins with an
            apostrophe gets a second one, and a frame in which any cell is not in the guarded form is left unchanged.

Numbers are not changed, even those with a sign, because a spreadsheet reads them as numbers.
"""

from __future__ import annotations

import polars as pl

_RISKY = r"^[=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}\t\r\n']"
_NUMBER = r"^[+-](?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?$"


def guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame of texts in which no cell and no column name can be read as a formula."""
    safe = frame.with_columns(_safe(pl.col(name)).alias(name) for name in frame.columns)
    names = pl.Series(frame.columns, dtype=pl.String)
    risky = pl.select(_is_risky(pl.lit(names))).to_series()
    safe.columns = [f"'{name}" if unsafe else name for name, unsafe in zip(frame.columns, risky, strict=True)]
    return safe


def unguarded(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame that `guarded` was given; a frame that `guarded` cannot have made is returned unchanged."""
    names = pl.Series(frame.columns, dtype=pl.String)
    if not _all_guarded(names) or not all(map(_all_guarded, frame.get_columns())):
        return frame
    bare = frame.with_columns(pl.all().str.replace("^'", ""))
    bare.columns = names.str.replace("^'", "").to_list()
    return bare


def _safe(text: pl.Expr) -> pl.Expr:
    return pl.when(_is_risky(text)).then(pl.lit("'") + text).otherwise(text)


def _is_risky(text: pl.Expr) -> pl.Expr:
    return text.str.contains(_RISKY) & ~text.str.contains(_NUMBER)


def _all_guarded(texts: pl.Series) -> bool:
    """Return whether every text either has the added apostrophe or does not need one."""
    rest = texts.filter(texts.str.starts_with("'").fill_null(False)).str.slice(1)
    bare = texts.filter(~texts.str.starts_with("'").fill_null(False))
    return bool(
        pl.select(_is_risky(pl.lit(rest)).all()).item() and not pl.select(_is_risky(pl.lit(bare)).any()).item()
    )
