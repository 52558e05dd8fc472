"""Hierarchical t against the linear program, where it is enforced and where it is certified.

A missing value is a branch of its own below the root, whatever the root is called, and a level that tells no two
released values apart does not count: a hierarchy that repeats a level, or stacks roots, cannot make t look smaller.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal.certify import inspect
from shoal.errors import ParameterError
from shoal.policy import Policy
from shoal.requirements import build, count
from shoal.tables.text import as_written
from tests.requirements import oracle


def asked(file: Path, t: float = 1.0) -> Policy:
    column = {"role": "sensitive", "hierarchy": str(file), "closeness": {"t": t, "distance": "hierarchical"}}
    return Policy.parse({"k": 2, "columns": {"q": {"role": "quasi"}, "s": column}})


def both(rows: list[tuple[int, str | None]], file: Path) -> tuple[list[float], float]:
    """Per group as enforced, and the largest as certified."""
    frame = pl.DataFrame(rows, schema={"q": pl.Int64, "s": pl.String}, orient="row").sort("q", maintain_order=True)
    requirements, records = build(asked(file), frame)
    labels = frame["q"].rank("dense").to_numpy().astype(np.int64) - 1
    enforced = requirements[1].measure(count(labels, records)).tolist()
    return enforced, inspect(as_written(frame), asked(file), form="generalize").t["s"]


def by_definition(rows: list[tuple[int, str | None]], lines: list[list[str]]) -> list[float]:
    values = sorted({value for _, value in rows}, key=lambda value: (value is None, value))
    above = {line[0]: line for line in lines}
    height = len(lines[0])
    levels = [[None if value is None else above[value][h] for value in values] for h in range(height)]
    missing = values.index(None) if None in values else None
    coded = [(group, person, values.index(value)) for person, (group, value) in enumerate(rows)]
    return oracle.closeness(coded, lambda _: oracle.tree_ground(levels, missing))


def random_lines(rng: np.random.Generator, *, rooted: bool) -> list[list[str]]:
    """Values with random nodes above them, level by level; some levels repeat the one below."""
    levels = [[f"v{i}" for i in range(int(rng.integers(2, 8)))]]
    for h in range(1, int(rng.integers(1, 5))):
        nodes = sorted(set(levels[-1]))
        repeated = rng.random() < 0.3
        parent = {node: node if repeated else f"n{h}-{rng.integers(0, max(1, len(nodes) - 1))}" for node in nodes}
        levels.append([parent[node] for node in levels[-1]])
    if rooted:
        levels.append([str(rng.choice(["*", "all"]))] * len(levels[0]))
    return [list(line) for line in zip(*levels, strict=True)]


def written(lines: list[list[str]], file: Path) -> Path:
    file.write_text("".join(";".join(line) + "\n" for line in lines), encoding="utf-8")
    return file


@pytest.mark.parametrize("rooted", [True, False])
@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_both_implementations_are_the_linear_program(tmp_path, rooted, missing):
    rng = np.random.default_rng(int(rooted) + int(100 * missing))
    for case in range(25):
        lines = random_lines(rng, rooted=rooted)
        n = int(rng.integers(4, 14))
        rows = [
            (int(rng.integers(0, 3)), None if rng.random() < missing else lines[rng.integers(0, len(lines))][0])
            for _ in range(n)
        ]
        enforced, certified = both(rows, written(lines, tmp_path / f"h{case}.csv"))
        expected = by_definition(sorted(rows, key=lambda row: row[0]), lines)
        assert enforced == pytest.approx(expected, abs=1e-7), lines
        assert certified == pytest.approx(max(expected), abs=1e-7), lines


@pytest.mark.parametrize("root", ["*", "all", ""])
def test_a_missing_value_is_a_branch_below_the_root_whatever_the_root_is_called(tmp_path, root):
    """flu and gout meet at the root, so they are 1 apart: a missing value puts no second root above."""
    lines = [["flu", "lung"], ["cold", "lung"], ["gout", "joint"]]
    lines = [[*line, root] for line in lines] if root else lines
    file = written(lines, tmp_path / "h.csv")
    rows = [(0, "flu")] * 5 + [(0, None)] + [(1, "gout")] * 5 + [(1, None)]
    enforced, certified = both(rows, file)
    assert enforced == pytest.approx([5 / 12, 5 / 12])
    assert certified == pytest.approx(5 / 12, abs=1e-9)


def test_padding_a_hierarchy_changes_nothing(tmp_path):
    lines = [["flu", "lung"], ["cold", "lung"], ["gout", "joint"], ["sprain", "joint"]]
    rows = [(0, "flu"), (0, "cold"), (0, "flu"), (1, "gout"), (1, "sprain"), (1, None), (2, "flu"), (2, "gout")]
    plain = both(rows, written(lines, tmp_path / "plain.csv"))
    pads = {
        "a chapter again": [[*line, line[1]] for line in lines],
        "chapters under other names": [[*line, f"the {line[1]}", f"{line[1]}s"] for line in lines],
        "values again": [[line[0], *line] for line in lines],
        "roots upon roots": [[*line, *(f"root {i}" for i in range(20))] for line in lines],
        "values that nobody has": [*lines, ["asthma", "other"]],
    }
    for name, padded in pads.items():
        found = both(rows, written(padded, tmp_path / "padded.csv"))
        assert found[0] == pytest.approx(plain[0], abs=1e-12), name
        assert found[1] == pytest.approx(plain[1], abs=1e-9), name


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("flu;lung;*\ncold;lung;+\n", "is not a tree"),
        ("flu;lung\ncold\n", "no table with one line per value"),
        ("flu;lung\ncold;lung\nflu;joint\n", "no table with one line per value"),
    ],
)
def test_a_file_that_is_no_hierarchy_is_refused_by_the_verifier(tmp_path, text, told):
    (tmp_path / "h.csv").write_text(text)
    frame = pl.DataFrame({"q": ["1", "1"], "s": ["flu", "cold"]})
    with pytest.raises(ParameterError, match=told):
        inspect(frame, asked(tmp_path / "h.csv"), form="generalize")


def test_an_empty_file_explains_no_value(tmp_path):
    (tmp_path / "h.csv").write_text("")
    frame = pl.DataFrame({"q": ["1", "1"], "s": ["flu", "cold"]})
    found = inspect(frame, asked(tmp_path / "h.csv"), form="generalize")
    assert [failure.message for failure in found.failures] == [
        "column s has 2 values that are not in its hierarchy h.csv"
    ]
    missing = pl.DataFrame({"q": ["1", "1"], "s": pl.Series([None, None], dtype=pl.String)})
    assert inspect(missing, asked(tmp_path / "h.csv"), form="generalize").t == {"s": 0.0}
