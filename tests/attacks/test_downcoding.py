"""Ends of ranges and halves of nodes give values back: how often, and what reduces it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from tests.attacks import downcoding
from tests.attacks.reading import Seen
from tests.attacks.tables import ROLES, people
from tests.attacks.truth import own_classes

WIDTH = 8


def attacked(table: pl.DataFrame, children: Any = None, **settings: Any) -> tuple[int, np.ndarray, int]:
    """How many claims were made, which of them are right, and how many classes there are."""
    release = shoal.anonymize(table, effort=1, **settings)
    classes = Seen(release.table, release.policy).classes()
    own = own_classes(release, classes, len(table))
    made = downcoding.claims(classes, children)
    return len(made), downcoding.right(made, table, own), len(classes.people)


@pytest.mark.parametrize("method", ["forest", "mondrian"])
def test_both_ends_of_a_range_are_somebodys(method):
    """Nothing is promised: the page on attacks says so. Whose they are stays as unknown as k says."""
    n, right, _ = attacked(people(200, 1), method=method, publication="generalize", k=5, **ROLES)
    assert n > 20
    assert right.all()


def test_means_give_no_value_back():
    n, _, n_classes = attacked(people(200, 1), method="mdav", publication="aggregate", k=5, **ROLES)
    assert (n, n_classes) == (0, 40)


SETTINGS = {"quasi": ["x", "y"], "sensitive": ["s"], "k": 3, "hierarchy": {"x": {"widths": [4, 8, 32]}}}


@pytest.mark.parametrize("method", ["forest", "full-domain"])
def test_a_minimal_node_of_a_nested_table_is_undone(method):
    """Cohen's construction: every cluster needs just its node, so both halves of it are inhabited."""
    table = downcoding.nested(20, 3, WIDTH).with_columns(y=pl.lit("u"))
    children = {"x": downcoding.two_below((4, 8), 32 * 20)}
    n, right, n_classes = attacked(table, children, method=method, publication="generalize", **SETTINGS)
    assert n == n_classes == 20
    assert right.all()


def test_a_hierarchy_gives_less_back_than_ranges():
    """Ranges give two exact values of every class back; steps that everybody knows, halves of some."""
    table = people(300, 1).select("name", "age", "income", "illness")
    roles = {"identifier": ["name"], "quasi": ["age", "income"], "sensitive": ["illness"]}
    settings = roles | {"method": "forest", "publication": "generalize", "k": 5}
    n_ranges, _, n_classes = attacked(table, **settings)
    assert n_ranges == n_classes
    steps = {"age": {"widths": [5, 10, 20, 40]}, "income": {"widths": [20_000, 80_000]}}
    halves = {"age": downcoding.two_below((5, 10), 120) | downcoding.two_below((20, 40), 120)}
    n, right, n_classes = attacked(table, halves, hierarchy=steps, **settings)
    assert n < 0.6 * n_classes
    assert right.mean() > 0.9


def test_rounded_ranges_give_few_values_back():
    table = people(300, 1).select("name", "age", "income", "illness")
    roles = {"identifier": ["name"], "quasi": ["age", "income"], "sensitive": ["illness"]}
    settings = roles | {"method": "forest", "publication": "generalize", "k": 5}
    n, right, _ = attacked(table, round_ranges={"age": 10, "income": 5000}, **settings)
    assert n > 20
    assert right.mean() < 0.4


def test_a_claim_can_be_wrong():
    classes = Seen(
        pl.DataFrame({"x": ["[0, 8]", "[0, 8]", "{a, b}", "{a, b}"]}),
        shoal.Policy.parse({"k": 2, "columns": {"x": {"role": "quasi", "kind": "number"}}}),
    ).classes()
    made = downcoding.claims(classes)
    own = np.array([0, 0, 1, 1])
    assert downcoding.right(made[:1], pl.DataFrame({"x": [0, 8, 3, 3]}), own).tolist() == [1]
    assert downcoding.right(made[:1], pl.DataFrame({"x": [0, 7, 3, 3]}), own).tolist() == [0]
    assert downcoding.right(made[1:], pl.DataFrame({"x": ["u", "v", "a", "b"]}), own).tolist() == [1]
    assert downcoding.right(made[1:], pl.DataFrame({"x": ["u", "v", "a", "a"]}), own).tolist() == [0]
