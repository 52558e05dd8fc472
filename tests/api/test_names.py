"""Whatever a column is called: no name clashes with one that Shoal uses inside, or the run says so."""

from __future__ import annotations

import re
import string
from pathlib import Path

import hypothesis.strategies as st
import polars as pl
import pytest
from hypothesis import given, settings

import shoal
from shoal.errors import SchemaError

INSIDE = re.findall(
    r"\S+",
    """
    absent age_max age_min age_radius_m all area a b bare c cell cells child class classes code codes column_0
    column_1 count counts date f0 f1 false g good group groups held high index index_right key keys label labels
    largest
    len level literal little low m measure missing mixed month most much n name names nan near node null None number
    0 1 2 p part parts people people_min person proportion q q0 q1 radius radius_m rank records repeat_by row
    row_index row_nr rows seen span struct sum tail text text_right texts true v value value_right values x __index__
    """,
)
FORMS = ("generalize", "aggregate", "centers", "suppress")


def table(names: list[str], n: int = 24) -> pl.DataFrame:
    columns: list[list[object]] = [
        [20 + place % 5 for place in range(n)],
        ["abc"[place % 3] for place in range(n)],
        ["uvw"[place * 7 % 3] for place in range(n)],
        [place * 5 % 4 for place in range(n)],
        [place // 2 for place in range(n)],
    ]
    return pl.DataFrame(dict(zip(names, columns, strict=True)))


def whole_run(names: list[str], form: str, folder: Path, *, ranges: str = "brackets") -> None:
    """Every command on a table with these names: all ends well, or one sentence says that a name is in the way."""
    number, label, sensitive, other, person = names
    frame = table(names)
    roles = {
        "quasi": [number, label], "sensitive": [sensitive], "other": [other], "person": person,
        "k": 3, "l": 2, "t": 0.9, "publication": form, "ranges": ranges, "seed": 1,
    }  # fmt: skip
    shoal.profile(frame)
    try:
        release = shoal.anonymize(frame, **roles).write(folder)
    except SchemaError as refused:
        if not any(name in refused.message for name in ("people", "radius", "_min", "_max")):
            raise
        return
    assert shoal.verify(folder).holds
    policy = {name: roles[name] for name in ("quasi", "sensitive", "other", "person", "k", "l", "t")}
    shoal.attack(frame, folder, people=10)
    shoal.compare(frame, k=[2, 3], l=[2], **{name: policy[name] for name in policy if name not in "kl"})
    if form in ("generalize", "suppress"):
        shoal.apply(release.plan, frame, max_suppressed=0.9)
        classed = roles | {"classes": [label], "person": None, "identifier": [person]}
        shoal.anonymize(frame, **classed).write(folder)
        assert shoal.verify(folder).holds
        levels = {"method": "full-domain", "publication": "generalize", "l": None, "t": None, "max_suppressed": 0.5}
        shoal.anonymize(frame, **roles | levels)
    shoal.hierarchy(frame, label, k=2)
    shoal.hierarchy(frame, number, k=2)


def test_columns_called_as_a_release_calls_its_own(tmp_path: Path) -> None:
    for place, clash in enumerate(("people", "radius")):
        frame = table([clash, "b", "c", "d", "e"])
        roles = {"quasi": [clash], "sensitive": ["c"], "other": ["b", "d"], "identifier": ["e"]}
        with pytest.raises(SchemaError, match=clash):
            shoal.anonymize(frame, k=3, publication="centers", method="gather", **roles)
        for form in ("generalize", "aggregate", "suppress"):
            shoal.anonymize(frame, k=3, publication=form, **roles).write(tmp_path / f"{form}{place}")
            assert shoal.verify(tmp_path / f"{form}{place}").holds


@pytest.mark.parametrize("chunk", range(6))
def test_names_used_inside(chunk: int, tmp_path: Path) -> None:
    names = INSIDE[chunk::6]
    for place in range(0, len(names) - 4, 5):  # each name in one place of five; the deep test has them in all
        whole_run(names[place : place + 5], FORMS[(chunk + place // 5) % 4], tmp_path / str(place))


@pytest.mark.deep
@settings(max_examples=40)
@given(
    names=st.lists(
        st.sampled_from(INSIDE) | st.text(string.printable, min_size=1, max_size=3),
        min_size=5,
        max_size=5,
        unique=True,
    ),
    form=st.sampled_from(FORMS),
    ranges=st.sampled_from(["brackets", "columns"]),
)
def test_any_names(tmp_path_factory: pytest.TempPathFactory, names: list[str], form: str, ranges: str) -> None:
    try:
        shoal.profile(table(names))
    except SchemaError:
        return
    whole_run(names, form, tmp_path_factory.mktemp("names") / "out", ranges=ranges)
