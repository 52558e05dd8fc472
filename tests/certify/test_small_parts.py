"""A table counted in parts: the classes, people, values and cells are those of the whole table, part by part."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.certify import reduced
from shoal.certify.equivalence_classes import classes_of_rows
from shoal.certify.reduced import Reduced, _Counter, reduce
from shoal.certify.released_columns import sort_columns
from shoal.certify.schema import NotSoundError, read
from shoal.policy import Policy
from tests.certify import releases

ROLES: dict[str, Any] = {
    "a": {"role": "quasi"},
    "b": {"role": "quasi"},
    "s": {"role": "sensitive"},
    "o": {"role": "other"},
}
ROWS = [
    ("1", None, "x", "n"), ("2", "u", "y", "n"), ("1", None, None, None), ("2", None, "x", "m"),
    (None, None, "x", "m"), ("1", None, "x", "m"), ("2", "u", "z", "l"), (None, None, None, "l"),
    ("3", "v", "w", "k"), ("1", None, "x", "k"), ("3", "v", "w", "k"), ("2", "u", "y", "j"),
]  # fmt: skip
FRAME = pl.DataFrame(ROWS, schema=dict.fromkeys("abso", pl.String), orient="row")
PEOPLE = FRAME.with_columns(p=pl.Series(["1", "1", "2", "1", "1", "1", "2", "2", "1", "3", "2", "2"]))
WITH_PEOPLE = ROLES | {"p": {"role": "person"}}


def counted(frame: pl.DataFrame, roles: dict[str, Any], cuts: list[int]) -> tuple[Reduced, Policy]:
    policy = Policy.parse({"k": 2, "columns": roles})
    edges = [0, *cuts, frame.height]
    parts = [frame[start:end] for start, end in itertools.pairwise(edges)]
    return reduce(parts, policy, "generalize"), policy


def by_cells(found: Reduced, frame: pl.DataFrame) -> Any:
    """The classes of a table in the order of their first rows, by the cells of their quasi-identifiers."""
    cells = found.frame.select(found.columns.quasi).head(found.classes.people.height).rows()
    assert cells == frame.select(found.columns.quasi).unique(maintain_order=True).rows()
    return cells


@pytest.mark.parametrize("many", [1 << 22, 0, 3])
@pytest.mark.parametrize("cuts", [[], [1], [4, 5], [3, 3, 9], list(range(1, 12))])
@pytest.mark.parametrize("with_people", [False, True])
def test_parts_are_counted_as_the_whole(
    many: int, cuts: list[int], with_people: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reduced, "_MANY", many)
    frame, roles = (PEOPLE, WITH_PEOPLE) if with_people else (FRAME, ROLES)
    found, policy = counted(frame, roles, cuts)
    whole = classes_of_rows(frame, sort_columns(frame.columns, policy, "generalize", frame.height))
    assert (found.names, found.height) == (frame.columns, frame.height)
    assert found.columns == sort_columns(frame.columns, policy, "generalize", frame.height)
    names = ["class", "people", "records"]
    assert found.classes.people.select(names).sort(names).rows() == whole.people.select(names).sort(names).rows()
    of_text = found.classes.texts["s"]
    assert sorted(of_text.columns) == sorted(whole.texts["s"].columns)
    assert Counter(of_text.select(sorted(of_text.columns)).rows()) == Counter(
        whole.texts["s"].select(sorted(of_text.columns)).rows()
    )
    assert found.classes.failures == whole.failures
    cells = by_cells(found, frame)
    sizes = Counter(frame.select(found.columns.quasi).rows())
    assert found.records.tolist() == [sizes[one] for one in cells]
    for name in frame.columns:
        assert dict(found.times[name].select("cell", "times").rows()) == dict(Counter(frame[name]))
        assert set(found.frame[name]) == set(frame[name])
    assert found.frame.columns == frame.columns


def test_a_table_without_quasi_identifiers_is_one_class() -> None:
    found, _ = counted(FRAME.select("s"), {"a": {"role": "identifier"}, "s": {"role": "sensitive"}}, [5])
    assert found.classes.people.select("class", "people", "records").rows() == [(0, 12, 12)]
    assert found.records.tolist() == [12]
    assert sorted(found.classes.texts["s"].select("class", "held").rows()) == sorted(
        (0, n) for n in Counter(FRAME["s"]).values()
    )


def test_columns_without_sensitive_ones_are_counted_and_the_form_decides_which_are_quasi() -> None:
    frame = FRAME.select("a").with_columns(a_missing=pl.lit("0"))
    policy = Policy.parse({"k": 2, "columns": {"a": {"role": "quasi"}}})
    assert reduce([frame], policy, "aggregate").columns.quasi == ("a", "a_missing")
    narrow = reduce([frame[:5], frame[5:]], policy, "generalize")
    assert narrow.columns.quasi == ("a",)
    assert [one.records for one in narrow.columns.failures] == [12]


def test_keys_that_never_came_are_a_table_of_whole_numbers() -> None:
    nothing = _Counter(3).total()
    assert nothing.schema == dict.fromkeys(["k0", "k1", "k2", "times"], pl.Int64)


def test_a_counter_adds_up_when_more_wait_than_it_may_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reduced, "_MANY", 4)
    counter = _Counter(1)
    counter.add(np.array([1, 2, 2]))
    assert (counter.n_waiting, len(counter.waiting)) == (2, 1)
    counter.add(np.array([3, 4]))
    assert (counter.n_waiting, len(counter.waiting)) == (4, 2)
    counter.add(np.array([4]))
    assert (counter.n_waiting, len(counter.waiting)) == (0, 0)
    assert sorted(counter.total().rows()) == [(1, 1), (2, 2), (3, 1), (4, 2)]
    assert counter.total().schema == {"k0": pl.Int64, "times": pl.Int64}


# -- keys of a certificate that are absent where they say nothing --------------------------------------------------


@pytest.mark.parametrize(("key", "value"), [("count_missing", False), ("m", None)])
def test_a_claim_has_no_key_that_says_nothing(tmp_path: Any, key: str, value: Any) -> None:
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    told = json.loads((path.parent / "certificate.json").read_text(encoding="utf-8"))
    read(json.dumps(told))
    told["claims"][1][key] = value
    with pytest.raises(NotSoundError):
        read(json.dumps(told))
