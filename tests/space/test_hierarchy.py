"""Hierarchies from every source: nested levels, missing values apart, errors that name the level and no value."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import SchemaError
from shoal.policy import Hierarchy
from shoal.space.hierarchy import Tree, flat_tree, tree_of_levels
from shoal.space.hierarchy_sources import build_tree

CANARY = "Zanzibar"


def names(tree: Tree, value: str | None) -> list[str | None]:
    """What a value becomes, level by level."""
    rank = int(tree.ranks(pl.Series("q", [value], dtype=pl.String))[0])
    return [tree.node_names[h][tree.ancestors[rank, h]] for h in range(tree.n_levels + 1)]


def written(tmp_path: Path, text: str) -> Hierarchy:
    (tmp_path / "levels.csv").write_text(text, encoding="utf-8")
    return Hierarchy(file=tmp_path / "levels.csv")


def test_a_file_gives_the_nodes_above_each_value(tmp_path: Path) -> None:
    source = written(tmp_path, "Ulm;South;*\nBonn;West;*\nKöln;West;*\n")
    tree = build_tree(pl.Series("town", ["Bonn", None, "Ulm"]), source)
    assert names(tree, "Köln") == ["Köln", "West", "*"]
    assert names(tree, None) == [None, None, "*"]
    assert tree.n_levels == 2


def test_a_root_is_added_where_the_file_has_none(tmp_path: Path) -> None:
    tree = build_tree(pl.Series("town", ["a"]), written(tmp_path, "a,x\nb,y\n"))
    assert names(tree, "a") == ["a", "x", "*"]


def test_every_node_is_a_run_of_ranks(tmp_path: Path) -> None:
    tree = build_tree(pl.Series("q", ["1"]), written(tmp_path, "1;b;*\n2;a;*\n3;b;*\n4;a;*\n"))
    for level in range(tree.n_levels + 1):
        column = tree.ancestors[:, level]
        assert (np.diff(column) >= 0).all()
        assert set(np.diff(column)) <= {0, 1}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("a;x;*\nb;x\n", "line 2"),
        (f"a;x;*\na;y;*\n{CANARY};x;*\n", "more than once"),
        (f"a;x;p;*\nb;x;q;*\n{CANARY};y;q;*\n", "level 1"),
        ("a;x;*\n", "lacks 1 values of the column in its first column .*2 rows"),
    ],
)
def test_a_file_that_is_no_tree_or_misses_values_is_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(SchemaError, match=told) as refused:
        build_tree(pl.Series("town", ["a", CANARY, CANARY, None]), written(tmp_path, text))
    assert "town" in str(refused.value)
    assert CANARY not in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match=r"gone\.csv"):
        build_tree(pl.Series("q", ["a"]), Hierarchy(file=tmp_path / "gone.csv"))


def test_widths_nest_and_hold_their_numbers() -> None:
    tree = build_tree(pl.Series("age", [3, 17, 18, -1]), Hierarchy(widths=(5, 10)))
    assert names(tree, "17") == ["17", "[15, 20)", "[10, 20)", "*"]
    assert names(tree, "-1") == ["-1", "[-5, 0)", "[-10, 0)", "*"]
    with pytest.raises(SchemaError, match="multiple"):
        build_tree(pl.Series("age", [1]), Hierarchy(widths=(4, 6)))


def test_widths_are_exact_in_decimals_and_for_large_numbers() -> None:
    tree = build_tree(pl.Series("dose", [0.3, 0.35, -0.05, 0.6]), Hierarchy(widths=(0.1, 0.3)))
    assert names(tree, "0.3") == ["0.3", "[0.3, 0.4)", "[0.3, 0.6)", "*"]
    assert names(tree, "0.35") == ["0.35", "[0.3, 0.4)", "[0.3, 0.6)", "*"]
    assert names(tree, "-0.05") == ["-0.05", "[-0.1, 0)", "[-0.3, 0)", "*"]
    assert names(tree, "0.6") == ["0.6", "[0.6, 0.7)", "[0.6, 0.9)", "*"]
    tree = build_tree(pl.Series("income", [1_234_561, 1_234_567]), Hierarchy(widths=(5, 100)))
    assert names(tree, "1234561") == ["1234561", "[1234560, 1234565)", "[1234500, 1234600)"]
    assert names(tree, "1234567") == ["1234567", "[1234565, 1234570)", "[1234500, 1234600)"]
    tree = build_tree(pl.Series("x", [1e300, -1e300]), Hierarchy(widths=(1e-300,)))
    assert tree.n_leaves == 2


def test_a_file_may_quote_labels_over_two_lines_and_leave_lines_empty(tmp_path: Path) -> None:
    file = tmp_path / "h.csv"
    file.write_bytes('a\u2028b,group\r\n\r\n"c\nd",group\r\n"e, f",other\r\n'.encode())
    tree = build_tree(pl.Series("q", ["a\u2028b", "c\nd", "e, f"]), Hierarchy(file=file))
    assert names(tree, "c\nd") == ["c\nd", "group", "*"]
    file.write_text("a,g\n\nb\n")
    with pytest.raises(SchemaError, match=r"line 3 of its hierarchy .* has 1 cells, line 1 has 2"):
        build_tree(pl.Series("q", ["a"]), Hierarchy(file=file))


def test_periods_of_dates() -> None:
    tree = build_tree(
        pl.Series("born", [date(1987, 5, 3), date(1990, 1, 1)]),
        Hierarchy(periods=("month", "quarter", "year", "decade")),
    )
    assert names(tree, "1987-05-03") == ["1987-05-03", "1987-05", "1987-Q2", "1987", "1980s", "*"]
    with pytest.raises(SchemaError, match="grow"):
        build_tree(pl.Series("born", [date(1990, 1, 1)]), Hierarchy(periods=("year", "month")))
    with pytest.raises(SchemaError, match="weeks"):
        build_tree(pl.Series("born", [date(1990, 1, 1)]), Hierarchy(periods=("week", "year")))


def test_prefixes_mask_from_the_right_and_short_codes_stay_whole() -> None:
    tree = build_tree(pl.Series("zip", ["02139", "02140", "021"]), Hierarchy(prefix=True))
    assert names(tree, "02139") == ["02139", "0213*", "021**", "02***", "0****"]
    assert names(tree, "021") == ["021", "021", "021", "02***", "0****"]


def test_a_missing_value_is_never_below_a_node_that_says_something() -> None:
    tree = build_tree(pl.Series("zip", ["02139", "02140", None]), Hierarchy(prefix=True))
    assert names(tree, "02139")[-2:] == ["0****", "*"]
    assert names(tree, None) == [None] * 5 + ["*"]


@given(codes=st.lists(st.text("01", min_size=1, max_size=4), min_size=1, max_size=12), seed=st.integers(0, 9))
def test_the_lowest_common_node_is_the_lowest_that_holds_the_group(codes: list[str], seed: int) -> None:
    """Against a plain climb through the names."""
    values = pl.Series("q", [*codes, None])
    tree = build_tree(values, Hierarchy(prefix=True))
    ranks = tree.ranks(values)
    labels = np.unique(np.random.default_rng(seed).integers(0, 3, len(ranks)), return_inverse=True)[1]
    level, first, last = tree.lowest_common(ranks, labels, labels.max() + 1)
    for g in range(labels.max() + 1):
        inside = ranks[labels == g]
        climb = next(h for h in range(tree.n_levels + 1) if len(set(tree.ancestors[inside, h])) == 1)
        below = np.flatnonzero(tree.ancestors[:, climb] == tree.ancestors[inside[0], climb])
        assert (level[g], first[g], last[g]) == (climb, below.min(), below.max())


def test_labels_without_a_hierarchy_lie_directly_below_the_root() -> None:
    tree = flat_tree("q", pl.Series("q", ["b", None, "a", "b"]))
    assert tree.leaf_labels == ("a", "b", None)
    assert tree.n_levels == 1
    assert tree.ranks(pl.Series("q", [None, "a"])).tolist() == [2, 0]


def test_a_column_of_nulls_only_is_one_leaf() -> None:
    tree = flat_tree("q", pl.Series("q", [None, None], dtype=pl.String))
    assert tree.leaf_labels == (None,)
    assert tree.ranks(pl.Series("q", [None], dtype=pl.String)).tolist() == [0]


def test_a_value_that_the_tree_lacks_is_refused_without_showing_it() -> None:
    tree = tree_of_levels("q", [["a", "b"]], missing=False)
    with pytest.raises(SchemaError, match="2 cells") as refused:
        tree.ranks(pl.Series("q", ["a", CANARY, None]))
    assert CANARY not in str(refused.value)


@pytest.mark.parametrize("method", ["full-domain", "datafly"])
def test_a_range_beyond_floating_point_is_refused_in_one_sentence(method: str) -> None:
    with pytest.raises(SchemaError, match="column x: its range is too large for floating-point numbers"):
        shoal.anonymize(pl.DataFrame({"x": [1e308, -1e308, 5.0, 1e300] * 2}), k=2, quasi=["x"], method=method)
