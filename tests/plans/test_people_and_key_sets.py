"""Plans applied to people whose rows are published alike, and to key sets: counted on the new table by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError

SECRET = bytes(range(32))
ROLES = {"quasi": ["age", "ward", "sex"], "sensitive": "illness", "publication": "generalize", "effort": 1}
KEYS = {"insurer": {"columns": ["age", "ward"], "k": 12}, "neighbor": {"columns": ["sex"], "k": 20}}


def visits(n_people: int, seed: int, *, rows: int = 3) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n_people), rng.integers(1, rows + 1, n_people))
    rng.shuffle(who)
    ward = np.where(rng.random(len(who)) < 0.8, who % 3, rng.integers(0, 3, len(who)))
    return pl.DataFrame(
        {
            "who": [f"patient-{one:05d}" for one in who],
            "age": rng.integers(20, 80, n_people)[who] + rng.integers(0, 2, len(who)),
            "ward": np.array(["a", "b", "c"])[ward],
            "sex": np.array(["f", "m"])[rng.integers(0, 2, n_people)[who]],
            "illness": np.array(["flu", "gout", "mumps"])[rng.integers(0, 3, len(who))],
        }
    )


def shared(released: pl.DataFrame, columns: Sequence[str], who: str | None) -> int:
    """The fewest people, or rows, with one combination of cells."""
    counted = pl.len() if who is None else pl.col(who).n_unique()
    fewest: Any = released.group_by(columns).agg(counted.alias("n"))["n"].min()
    return int(fewest)


@pytest.mark.parametrize("more", [{}, {"l": 2}, {"pseudonym": True}])
@pytest.mark.parametrize("join", [False, True])
def test_all_rows_of_a_person_are_in_one_class_of_the_plan(tmp_path: Path, more: dict[str, Any], join: bool) -> None:
    first = shoal.anonymize(visits(120, 1), k=4, person="who", consistent=True, **ROLES, **more)
    new = visits(150, 2)
    second = shoal.apply(first.plan, new, max_suppressed=0.8, join=join, secret=SECRET)
    rows = second.order[second.published.rows]
    own = new[rows.tolist()]["who"]
    released = second.table.with_columns(true=own)
    assert 0 < released.height < new.height  # some people fit no class
    alike = released.group_by("true").agg(pl.struct("age", "ward", "sex").n_unique().alias("n"))
    assert alike["n"].max() == 1
    assert released.height == new.filter(pl.col("who").is_in(own.unique().implode())).height  # nobody in part
    assert shared(released, ["age", "ward", "sex"], "true") >= 4
    assert released.select("who", "true").unique().height == released["who"].n_unique() == own.n_unique()
    if not join:
        before = set(first.table.select("age", "ward", "sex").unique().iter_rows())
        assert set(second.table.select("age", "ward", "sex").unique().iter_rows()) <= before
    second.write(tmp_path / "out")
    found = shoal.verify(tmp_path / "out")
    assert "consistent-people" in {claim.criterion for claim in found.claims}
    assert found.holds


def test_a_person_whose_rows_are_in_two_classes_fits_none() -> None:
    first = pl.DataFrame({"who": list("abcdef"), "age": [20, 21, 22, 60, 61, 62]})
    plan = shoal.anonymize(first, k=3, quasi="age", person="who", consistent=True, publication="generalize").plan
    new = pl.DataFrame({"who": list("abcdefxx"), "age": [20, 21, 22, 60, 61, 62, 21, 61]})
    with pytest.raises(InfeasibleError, match="2 of 8 rows would have to be left out"):
        shoal.apply(plan, new)
    second = shoal.apply(plan, new, max_suppressed=0.3)
    assert second.table.height == 6
    assert second.findings.k == 3


@pytest.mark.parametrize("person", [None, "who"])
def test_every_key_set_keeps_its_k_in_the_new_table(tmp_path: Path, person: str | None) -> None:
    rows = 1 if person is None else 3
    settings = {"person": "who", "consistent": True} if person else {"identifier": "who"}
    first = shoal.anonymize(visits(300, 3, rows=rows), k=3, keys=KEYS, **ROLES, **settings)
    new = visits(260, 4, rows=rows)
    second = shoal.apply(first.plan, new, max_suppressed=0.9, secret=SECRET)
    for keys in KEYS.values():
        assert shared(second.table, keys["columns"], person) >= keys["k"]
    assert shared(second.table, ROLES["quasi"], person) >= 3
    second.write(tmp_path / "out")
    found = shoal.verify(tmp_path / "out")
    assert [claim.claimed for claim in found.claims if claim.criterion == "key-anonymity"] == [12, 20]
    assert found.holds


def test_without_its_key_sets_the_plan_would_not_keep_them() -> None:
    """The test above can fail: the classes alone, each of k people, have combinations that fewer share."""
    first = shoal.anonymize(visits(300, 3, rows=1), k=3, keys=KEYS, identifier="who", **ROLES)
    plain = first.plan.model_copy(update={"policy": {**first.plan.policy, "keys": {}}})
    second = shoal.apply(plain, visits(170, 4, rows=1), max_suppressed=0.9, secret=SECRET)
    assert any(shared(second.table, keys["columns"], None) < keys["k"] for keys in KEYS.values())
    kept = shoal.apply(first.plan, visits(170, 4, rows=1), max_suppressed=0.99, secret=SECRET)
    assert all(shared(kept.table, keys["columns"], None) >= keys["k"] for keys in KEYS.values())


def test_the_plan_is_in_the_private_folder_and_read_by_the_command(tmp_path: Path) -> None:
    from tests.cli.running import shoal as run

    first = shoal.anonymize(visits(120, 5), k=3, person="who", consistent=True, **ROLES)
    first.write(tmp_path / "first")
    visits(120, 6).write_csv(tmp_path / "new.csv")
    plan = tmp_path / "first.private" / "plan.json"
    made = run("apply", plan, tmp_path / "new.csv", "-o", tmp_path / "second", "--max-suppressed", "0.9", "-q")
    assert (made.code, made.err) == (0, "")
    assert shoal.verify(tmp_path / "second").holds
