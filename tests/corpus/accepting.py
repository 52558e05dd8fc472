"""A steward who accepts all that is proposed: profile, policy, release, check; and what an attacker then reads."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

import shoal
from shoal.errors import ShoalError
from shoal.tables.reading import read_back
from tests.corpus.truth import CorpusTable, Truth
from tests.fixed_secret import SECRET

SHORTEST = 4  # shorter cells, and numbers of so few digits, such as that of a row, stand in every file by chance
_WORD = re.compile(r"\w+")


def accept(table: CorpusTable, path: Path) -> list[str]:
    """Return what goes wrong if every default is accepted, each as a line that names the table and the column.

    A refusal is one line with the sentence of the error.
    """
    out = path.parent / f"{table.name}-release"
    policy = path.with_suffix(".toml")
    try:
        shoal.profile(path).write(policy)
        release = shoal.anonymize(path, policy, secret=SECRET)
        release.write(out)
    except ShoalError as error:
        return [f"{table.name}: refused: {error.message.replace(str(path), path.name)}"]
    wrong = [] if shoal.verify(out).holds else [f"{table.name}: the release does not verify"]
    released = read_back(next(out.glob("release.*")))
    texts = _public_texts(table, out)
    roles = {name: column.role for name, column in shoal.Policy.load(policy).columns.items()}
    for name, truth in table.columns.items():
        found = [*_told(table, truth, texts)]
        if truth.names_people and name in released.columns and roles[name] != "person":  # people get new numbers
            found.append("is a column of the release")
        if not truth.names_people and name in released.columns:
            found += _wrong_cells(truth, released[name])
        wrong += [f"{table.name}.{name}: {line}" for line in found]
    return wrong


def _public_texts(table: CorpusTable, out: Path) -> list[str]:
    """Return every public file as text, in each encoding in which a name might stand in it."""
    files = [file.read_bytes() for file in sorted(out.rglob("*")) if file.is_file()]
    encodings = {"utf-8", "utf-16-le", table.encoding}
    return [data.decode(encoding, errors="replace") for data in files for encoding in sorted(encodings)]


def _told(table: CorpusTable, truth: Truth, texts: list[str]) -> list[str]:
    """Return whether a name, number or note of a person stands in the public files."""
    secret = {cell.strip() for cell in truth.cells} if truth.names_people else set()
    tokens = {one for one in secret | set(truth.planted) if len(one) >= SHORTEST + one.isdigit()}
    tokens.discard(str(len(truth.cells)))  # the certificate says how many rows there are
    tokens -= _publishable(table)
    public = any(_stands_in(token, text) for token in tokens for text in texts)
    return ["names, numbers or notes of people are public"] if public else []


def _publishable(table: CorpusTable) -> set[str]:
    """Return the cells, and the words of cells, that stand in columns which may be published."""
    cells = {cell for truth in table.columns.values() if not truth.names_people for cell in truth.cells}
    return cells | {word for cell in cells if len(cell) < 40 for word in _WORD.findall(cell)}


def _stands_in(token: str, text: str) -> bool:
    """Return whether a token stands in a text as words of its own: digits inside a digest do not count."""
    return token in text and re.search(rf"(?<!\w){re.escape(token)}(?!\w)", text) is not None


def _wrong_cells(truth: Truth, released: pl.Series) -> list[str]:
    """Return whether dates are published as sets of single days, and codes as ranges or as codes nobody has."""
    cells = [cell for cell in released.unique().to_list() if cell]
    if truth.kinds == {"date"} and any(cell.startswith("{") for cell in cells):
        return ["dates are published as sets of days"]
    if "label" in truth.kinds and not truth.kinds & {"number", "ordered", "date"}:
        known = {cell.strip() for cell in truth.cells}
        points = [cell for cell in cells if re.fullmatch(r"-?[\d.,]+", cell)]
        if any(re.match(r"[\[(]", cell) for cell in cells if cell not in known):
            return ["codes are published as ranges"]
        if any(cell not in known for cell in points):
            return ["codes are published that nobody has"]
    return []
