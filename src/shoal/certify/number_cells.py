"""Read the numbers of a released table in the format that the policy states, by code of the verifier's own.

Texts are read one by one as exact decimals, whereas the modules that make a release read whole columns. What is read
is given in digits with a decimal point, in which all other checks expect numbers.
"""

from __future__ import annotations

import re
from decimal import Decimal

import polars as pl

from shoal.certify.findings import Failure
from shoal.certify.sensitive_values import UnreadableError
from shoal.policy import Policy
from shoal.policy.number_format import NumberFormat

HIDDEN, _OR_MISSING = "*", " or missing"
_RANGE, _RANGE_OF_COMMAS = re.compile(r"\[(.+?), (.+)([\])])"), re.compile(r"\[(.+?); (.+)([\])])")
_BLANKS = " \u00a0\u202f"


def check_numbers(frame: pl.DataFrame, policy: Policy) -> tuple[pl.DataFrame, list[Failure]]:
    """Return the frame with quasi-identifiers of a number format as plain numbers, and failures for other cells.

    A cell is a number, a range from a lower to a higher one, hidden or missing.
    """
    failures = []
    for name in policy.quasi:
        form = policy.columns[name].number
        if form is None:
            continue
        unread = 0
        for part in (name, f"{name}_min", f"{name}_max"):
            if part not in frame.columns:
                continue
            distinct = frame[part].unique().drop_nulls()
            plain = pl.Series([_cell(text, form) for text in distinct.to_list()], dtype=pl.String)
            cells = frame[part].replace_strict(distinct, plain, default=None, return_dtype=pl.String)
            unread += cells.null_count() - frame[part].null_count()
            frame = frame.with_columns(cells.alias(part))
        if unread:
            message = f"column {name}: {unread} cells are neither numbers nor ranges in the format of the policy"
            failures.append(Failure(check="columns", column=name, message=message, records=unread))
    return frame, failures


def numbers_of(texts: pl.Series, form: NumberFormat) -> pl.Series:
    """Return sensitive texts as plain numbers; blank is missing. An UnreadableError lists texts that are not."""
    distinct = texts.unique().drop_nulls()
    there = distinct.filter(distinct.str.strip_chars() != "")
    plain = pl.Series([read_number(text, form) for text in there.to_list()], dtype=pl.String)
    if plain.null_count():
        raise UnreadableError(there.filter(plain.is_null()), "a number in the format of the column")
    return texts.replace_strict(there, plain, default=None, return_dtype=pl.String).alias(texts.name)


def read_number(text: str, form: NumberFormat) -> str | None:
    """Return the number that a text states, in plain digits; None if it is not a number in the format."""
    bare = text.strip()
    negative = bare.startswith("(") and bare.endswith(")")
    bare = bare[1:-1].strip(_BLANKS) if negative else bare
    signs = int(negative)
    for part in ("", form.prefix.strip()):
        bare = bare.removeprefix(part).lstrip(_BLANKS)
        if bare[:1] in ("+", "-", "−"):
            signs, negative, bare = signs + 1, negative or bare[0] != "+", bare[1:].lstrip(_BLANKS)
    bare = bare.removesuffix(form.suffix.strip()).rstrip(_BLANKS)
    # without a thousands separator a decimal point is accepted too: a frame, unlike a file, has plain numbers
    whole, _, decimals = bare.partition(form.decimal if form.decimal in bare or form.thousands else ".")
    groups = re.split(
        {"": r"(?!)", " ": f"[{_BLANKS}]", "'": "['’]"}.get(form.thousands, rf"\{form.thousands}"), whole
    )
    sound = len(groups) == 1 or _sound_groups(groups, 2 if form.lakhs else 3)
    digits = "".join(groups)
    if signs > 1 or not sound or not re.fullmatch("[0-9]*", digits + decimals) or not digits + decimals:
        return None
    number = Decimal(f"{digits or '0'}.{decimals or '0'}")
    return f"{-number if negative and number else number:f}"


def _sound_groups(groups: list[str], above: int) -> bool:
    """Return whether the last group has three digits, those before it `above`, and the first at most `above`."""
    first, *between, last = groups
    return (
        re.fullmatch("[0-9]{3}", last) is not None
        and all(re.fullmatch(f"[0-9]{{{above}}}", group) for group in between)
        and re.fullmatch(f"[0-9]{{1,{above}}}", first) is not None
    )


def _cell(text: str, form: NumberFormat) -> str | None:
    """Return a published cell with plain numbers; None where it is neither a number nor a range of numbers."""
    bare = text.removesuffix(_OR_MISSING)
    rest = text[len(bare) :]
    if bare == HIDDEN:
        return text
    # if numbers contain commas, a comma between the ends of a range would be ambiguous
    found = (_RANGE_OF_COMMAS if "," in form.decimal + form.thousands else _RANGE).fullmatch(bare)
    if found is None:
        alone = read_number(bare, form)
        return None if alone is None else alone + rest
    low, high = (read_number(end, form) for end in found.groups()[:2])
    if low is None or high is None or Decimal(low) > Decimal(high):
        return None
    return f"[{low}, {high}{found[3]}{rest}"
