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


def test_one_level_for_a_whole_column_undoes_little_of_other_tables():
    """Where not every cluster is as bad as the worst one, a level for all says little of each."""
    table = people(200, 1)
    settings = ROLES | {"hierarchy": {"age": {"widths": [5, 10, 20, 40]}, "income": {"widths": [10_000, 50_000]}}}
    children = {"age": downcoding.two_below((20, 40), 120)}
    settings = settings | {"method": "full-domain", "publication": "generalize", "k": 5}
    n, right, _ = attacked(table, children, max_suppressed=0.1, **settings)
    assert n == 0 or right.mean() <= 1.0


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
