"""Releases in which no value has more than one in l of a group, against brute force: RESIDUE-1 and CYCLES-1."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from tests.fixed_secret import SECRET
from tests.oracles.groupings import groupings
from tests.oracles.residue import is_eligible

QUICK, DEEP = 16, 250
GROWN = 63
"""A table in which groups grown of different values cost less than those of the usual method."""


def release_of(frame: pl.DataFrame, k: int, **more: Any) -> shoal.Release:
    quasi = [name for name in frame.columns if name.startswith("q")]
    columns = {name: {"role": "quasi", "publish_rare": True} for name in quasi}
    columns |= {name: {"role": "sensitive"} for name in frame.columns if name.startswith("ill")}
    if "who" in frame.columns:
        columns["who"] = {"role": "person"}
    return shoal.anonymize(frame, {"k": k, "effort": 20, "seed": 0, "columns": columns} | more, secret=SECRET)


def table(seed: int) -> tuple[pl.DataFrame, int, int]:
    """A few rows of labels and numbers with many ties, and a k and l that they can meet."""
    rng = np.random.default_rng(seed)
    while True:
        k, l = int(rng.integers(2, 4)), int(rng.integers(2, 4))  # noqa: E741
        n = int(rng.integers(max(k, l) + 1, 9))
        ill = rng.choice(list("vwxyz"), n)
        if is_eligible(ill.tolist(), l):
            break
    columns: dict[str, Any] = {"ill": ill, "q0": rng.choice(list("ab"), n)}
    if rng.random() < 0.5:
        columns["q1"] = rng.integers(0, 4, n) ** 2
    return pl.DataFrame(columns), k, l


def cost_of(frame: pl.DataFrame, block: tuple[int, ...]) -> Fraction:
    """What the rows of a group cost: ranges by their width, sets by their number of labels."""
    labels = frame["q0"].to_list()
    held, n_labels = len({labels[i] for i in block}), len(set(labels))
    each = Fraction(held, n_labels) if held > 1 else Fraction(0)
    if "q1" in frame.columns:
        numbers = frame["q1"].to_list()
        inside = [numbers[i] for i in block]
        each += Fraction(max(inside) - min(inside), max(max(numbers) - min(numbers), 1))
    return len(block) * each


def check(seed: int) -> str | None:
    frame, k, l = table(seed)  # noqa: E741
    found = release_of(frame, k, diversity={"l": l, "kind": "frequency"}).certificate
    ill = frame["ill"].to_list()
    best = min(
        sum((cost_of(frame, block) for block in blocks), Fraction(0))
        for blocks in groupings(range(len(ill)), max(k, l))
        if all(is_eligible([ill[i] for i in block], l) for block in blocks)
    )
    cost, slack = Fraction(found.cost), 1 + Fraction(1, 10**9)
    assert best <= cost * slack, seed
    assert Fraction(found.lower_bound) <= best * slack, seed
    assert found.ratio_proved is not None, seed
    assert cost <= found.ratio_proved * best * slack, seed
    return found.theorem


def test_every_such_release_has_a_ratio_that_holds():
    theorems = {check(seed) for seed in (*range(QUICK), GROWN)}
    assert {"RESIDUE-1", "CYCLES-1"} <= theorems


@pytest.mark.deep
def test_every_such_release_of_many_tables_has_a_ratio_that_holds():
    theorems = {check(seed) for seed in range(QUICK, QUICK + DEEP)}
    assert {"RESIDUE-1", "CYCLES-1"} <= theorems


PEOPLE = pl.DataFrame(
    {
        "q0": list("aaabbbccc") * 4,
        "q1": list("xyxyxyxyx") * 4,
        "ill": ["flu", "cold", "burn", "ulcer"] * 9,
        "ill2": ["yes", "no", "no"] * 12,
        "who": np.arange(36) // 2,
    }
)
FREQUENCY = {"l": 2, "kind": "frequency"}
ONE = ["q0", "q1", "ill"]


def test_the_ratio_of_labels_is_l_times_what_they_cost_at_most_and_verify_accepts_it(tmp_path):
    release = release_of(PEOPLE.select(ONE), 2, diversity={"l": 3, "kind": "frequency"})
    found = release.certificate
    assert found.theorem == "RESIDUE-1"
    assert found.ratio_proved is not None
    assert found.ratio_proved % 3 == 0
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    assert '"theorem": "RESIDUE-1"' in (tmp_path / "out" / "certificate.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("names", "more"),
    [
        (ONE, {"diversity": {"l": 2}}),
        (ONE, {"diversity": {"l": 2, "kind": "entropy"}}),
        (ONE, {"diversity": {"l": 2.5, "kind": "frequency"}}),
        (ONE, {"diversity": FREQUENCY, "closeness": {"t": 0.9}}),
        (ONE, {"diversity": FREQUENCY, "max_suppressed": 0.1}),
        (ONE, {"diversity": FREQUENCY, "method": "mondrian"}),
        ([*ONE, "ill2"], {"diversity": {"l": 1.5, "kind": "frequency"}}),
        ([*ONE, "who"], {"diversity": FREQUENCY}),
    ],
    ids=["distinct", "entropy", "fraction", "close", "left out", "mondrian", "two columns", "people"],
)
def test_no_such_theorem_is_claimed_where_it_does_not_apply(names, more):
    found = release_of(PEOPLE.select(names), 2, **more).certificate
    assert found.theorem not in ("RESIDUE-1", "CYCLES-1")


def test_no_such_theorem_is_claimed_if_a_value_is_missing_and_does_not_count():
    frame = PEOPLE.select(ONE).with_columns(ill=pl.when(pl.int_range(36) == 5).then(None).otherwise("ill"))
    assert release_of(frame, 2, diversity=FREQUENCY).certificate.theorem not in ("RESIDUE-1", "CYCLES-1")
    counted = release_of(frame, 2, diversity=FREQUENCY | {"count_missing": True}).certificate
    assert counted.theorem in ("RESIDUE-1", "CYCLES-1")


def test_numbers_next_to_each_other_beyond_any_ratio_are_released(tmp_path):
    """H / δ would be above the largest floating-point number, and a report could not show it."""
    numbers = [-1.0, -1.0, 0.0, 1e-310, 1.0, 1.0, -1.0, 0.5, 0.5]
    frame = pl.DataFrame({"q0": numbers, "ill": list("abcabcabc")})
    release = release_of(frame, 2, diversity={"l": 3, "kind": "frequency"}, method="forest")
    assert release.certificate.theorem != "RESIDUE-1"
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds


def test_groups_of_a_theorem_are_released_where_the_search_found_none_as_cheap():
    """The release never costs more than the groups of the theorem: cost <= theorem_cost."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        frame = pl.DataFrame({"q0": rng.integers(0, 40, 60), "ill": rng.choice(list("vwxyz"), 60)})
        found = release_of(frame, 2, diversity=FREQUENCY, method="forest").certificate
        assert found.theorem == "CYCLES-1"
        assert found.theorem_cost is not None
        assert found.cost <= found.theorem_cost
        assert found.holds
