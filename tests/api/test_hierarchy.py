"""Hierarchies derived from a column: every class has enough rows, levels nest, the file reads back."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import ParameterError, SchemaError, TableError
from tests.cli.running import shoal as command

ODD = ("a", "b, c", "null", "*x", "{x}", "[1, 2]", 'say "hi"', "x;y;z;", "tab\tbed", "a|b", " pad ", "", "two\nlines")


def rows_per_node(derived, values: list, level: int) -> dict[str, int]:
    name = dict(zip(derived.levels[0], derived.levels[level], strict=True))
    return dict(Counter(name[str(value)] for value in values))


@pytest.mark.parametrize("seed", range(12))
def test_every_class_of_labels_or_numbers_has_enough_rows_and_levels_nest(seed: int):
    rng = np.random.default_rng(seed)
    k, fan = int(rng.integers(2, 9)), int(rng.integers(2, 5))
    labels = [f"v{i}" for i in rng.zipf(1.5, 300) % 40]
    numbers = rng.integers(0, 60, 300).tolist()
    for values, way in ((labels, "cover"), (numbers, "quantiles")):
        derived = shoal.hierarchy(pl.DataFrame({"x": values}), "x", k=k, fan_out=fan)
        assert derived.way == way
        assert len(derived.levels) > 1
        for level in range(1, len(derived.levels)):
            assert min(rows_per_node(derived, values, level).values()) >= k
            above = defaultdict(set)
            for below, name in zip(derived.levels[level - 1], derived.levels[level], strict=True):
                above[below].add(name)
            assert all(len(names) == 1 for names in above.values())
        if way == "quantiles":
            for value, name in zip(derived.levels[0], derived.levels[-1], strict=True):
                low, _, high = name.strip("[]").partition(", ")
                assert int(low) <= int(value) <= int(high or low)


@given(st.lists(st.sampled_from(ODD), min_size=20, max_size=60), st.integers(1, 5))
def test_the_file_reads_back_whatever_the_labels_are(labels: list[str], k: int):
    from shoal.space.hierarchy_sources import rows_of

    derived = shoal.hierarchy(pl.DataFrame({"x": labels}), "x", k=k)
    try:
        text = derived.to_csv()
    except SchemaError:
        return  # said in one sentence
    assert [tuple(row) for _, row in rows_of(text)] == list(zip(*derived.levels, strict=True))


def test_a_derived_file_is_a_hierarchy_like_any_other(tmp_path: Path):
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"job": rng.choice([f"job {i}" for i in range(30)], 400), "age": rng.integers(18, 80, 400)})
    for name in ("job", "age"):
        shoal.hierarchy(table, name, k=10).write(tmp_path / f"{name}.csv")
    columns = {name: {"role": "quasi", "hierarchy": str(tmp_path / f"{name}.csv")} for name in ("job", "age")}
    for method in ("forest", "full-domain", "mondrian"):
        release = shoal.anonymize(table, {"k": 5, "seed": 1, "method": method, "columns": columns})
        assert release.findings.holds
    assert "job 1" in release.to_html()


def test_dates_codes_and_widths_have_a_setting_of_their_own():
    table = pl.DataFrame(
        {
            "day": [dt.date(2020, 1, 1) + dt.timedelta(days=37 * i) for i in range(30)],
            "zip": [f"0{2000 + i}" for i in range(30)],
            "pay": [10.5 * i for i in range(30)],
        }
    )
    assert shoal.hierarchy(table, "day").setting == 'hierarchy = { periods = ["month", "quarter", "year", "decade"] }'
    assert shoal.hierarchy(table, "zip").setting == "hierarchy = { prefix = true }"
    assert shoal.hierarchy(table, "pay", by="widths").setting == "hierarchy = { widths = [10, 20, 40, 80, 160, 320] }"
    assert shoal.hierarchy(table, "pay").way == "quantiles"


def test_the_tree_is_shown_and_cut_where_it_is_long():
    shown = str(shoal.hierarchy(pl.DataFrame({"x": list("aaabbbccd") * 3}), "x", k=6))
    assert shown.splitlines()[0].startswith("*")
    assert all(f"  {label}  " in shown for label in "abcd")
    many = shoal.hierarchy(pl.DataFrame({"x": [f"v{i}" for i in range(5000)] * 2}), "x", k=2)
    assert len(many.lines()) <= 61
    assert many.lines()[-1].startswith("... (5,000 values")
    assert "... and 28 more" in str(shoal.hierarchy(pl.DataFrame({"x": range(40)}), "x", k=40, fan_out=2))


@pytest.mark.parametrize(
    ("column", "options", "error"),
    [
        ("y", {}, SchemaError),
        ("x", {"by": "magic"}, ParameterError),
        ("x", {"by": "periods"}, SchemaError),
        ("x", {"by": "quantiles"}, SchemaError),
        ("x", {"k": 0}, ParameterError),
        ("x", {"fan_out": 1}, ParameterError),
    ],
)
def test_a_wrong_wish_is_one_sentence_without_a_value(column: str, options: dict, error: type[Exception]):
    with pytest.raises(error) as refused:
        shoal.hierarchy(pl.DataFrame({"x": ["secret", "secret2"]}), column, **options)
    assert "secret" not in str(refused.value)


def test_the_command_shows_and_writes_it(tmp_path: Path):
    pl.DataFrame({"ward": ["a"] * 5 + ["b"] * 3 + ["c"] * 4}).write_csv(tmp_path / "t.csv")
    call = ("hierarchy", tmp_path / "t.csv", "ward", "-k", "4", "--out", tmp_path / "ward.csv")
    done = command(*call)
    assert done.code == 0, done
    assert "{b, c}" in done.out
    assert 'hierarchy = "ward.csv"' in done.out
    assert (tmp_path / "ward.csv").read_text().splitlines() == ["a,a", 'b,"{b, c}"', 'c,"{b, c}"']
    assert command(*call).code == 2
    assert command(*call, "--force", "--json").json["nodes"] == [3, 2]


def test_an_existing_file_stays(tmp_path: Path):
    (tmp_path / "x.csv").write_text("mine")
    derived = shoal.hierarchy(pl.DataFrame({"x": list("aabb")}), "x", k=2)
    with pytest.raises(TableError, match="exists already"):
        derived.write(tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "mine"
    derived.write(tmp_path / "x.csv", force=True)
    assert (tmp_path / "x.csv").read_text() == derived.to_csv()
