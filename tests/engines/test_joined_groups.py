"""Groups of a block that share people and are published alike are one class to a reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.engines import block
from shoal.engines.folder import LargeRelease
from shoal.engines.local import LocalEngine
from shoal.engines.release import release_rows
from shoal.engines.workers import Workers
from shoal.partition.result import Partition
from shoal.pipeline.task import Task
from shoal.policy import Policy
from tests.engines.tables import stored
from tests.fixed_secret import SECRET


def test_they_are_joined_and_meet_what_was_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each pair of rows has two values for two people; together they are three people, two of them with a cold."""
    frame = pl.DataFrame(
        {
            "patient": [1, 2, 1, 3, 4, 5, 6, 7],
            "town": ["Ulm"] * 4 + ["Bonn"] * 4,
            "ill": ["flu", "cold", "flu", "cold", "flu", "flu", "cold", "gout"],
        }
    )

    def in_pairs(task: Task) -> Partition:
        seen, found = 0, list[int]()
        for patient in task.table.frame["patient"]:
            found.append({1: seen, 2: 0, 3: 1}.get(patient, 2))
            seen += patient == 1
        labels = np.array(found)
        return Partition(labels=labels, method="forest", objective="generalization", cost=task.problem.cost(labels))

    def here(_: Workers, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        return (function(*call) for call in calls)

    monkeypatch.setattr(Workers, "run", here)
    monkeypatch.setattr(block, "make_groups", in_pairs)
    columns: dict[str, Any] = {
        "patient": {"role": "person"},
        "town": {"role": "quasi", "kind": "label"},
        "ill": {"role": "sensitive", "diversity": {"kind": "frequency", "l": 2}},
    }
    asked = Policy.parse({"k": 2, "method": "forest", "columns": columns})
    engine = LocalEngine(n_workers=1)
    try:
        path = stored(frame, tmp_path)
        rows = release_rows(engine, engine.read(path), asked, SECRET, source="table.parquet")
        LargeRelease(rows=rows, seconds={}).write(tmp_path / "out")
    finally:
        engine.close()
    assert shoal.verify(tmp_path / "out").holds
    assert "groups that share people and are published alike were joined" in rows.facts.notes
    assert rows.facts.n_groups == 1, "only with the others do the joined groups meet what was asked"
