"""Releases that are computed once, so that a fault in writing them costs milliseconds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl

import shoal
from shoal.results import release_folder
from shoal.results.release import Release
from tests.api.test_rules import policy, visits
from tests.faults.plan import Scenario, tree


def writer(
    release: Release, *, mapping: bool = False, raw: pl.DataFrame | None = None, format: str | None = None
) -> Callable[[Path], None]:
    """Writes a release again and again without the steps that touch no disk: what they found is kept."""
    kept: dict[str, Any] = {}

    def once(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def found(*given: Any, **named: Any) -> Any:
            if name not in kept:
                kept[name] = real(*given, **named)
            return kept[name]

        return found

    def write(out: Path) -> None:
        with ExitStack() as patches:
            for owner, name in ((Release, "to_html"), (release_folder, "dumps"), (release_folder, "verify")):
                patches.enter_context(patch.object(owner, name, once(name, getattr(owner, name))))
            raws = None if raw is None else {"hospital.csv": raw}
            release_folder.write_release(release, out, mapping=mapping, raw=raws, format=format)

    return write


def scenario(name: str, folder: Path, old: Release | None, new: Callable[[Path], None]) -> Scenario:
    """Both releases, written once without faults and verified."""
    for half in ("old", "new"):
        (folder / half).mkdir(parents=True)
    if old is not None:
        writer(old, mapping=True)(folder / "old" / "out")
        assert shoal.verify(folder / "old" / "out").holds
    new(folder / "new" / "out")
    assert shoal.verify(folder / "new" / "out").holds
    return Scenario(name, folder / "old" if old is not None else None, tree(folder / "new"), new)


def scenarios(folder: Path) -> dict[str, Scenario]:
    """What the commands write: a first and a later release, one by a plan, a demo with its raw table."""
    first = shoal.anonymize(visits(24), policy())
    later = shoal.anonymize(visits(28), policy())
    applied = shoal.apply(first.plan, visits(24, seed=5), max_suppressed=0.9, join=True)
    return {
        "anonymize": scenario("anonymize", folder / "anonymize", first, writer(later)),
        "first": scenario("first", folder / "first", None, writer(first)),
        "apply": scenario("apply", folder / "apply", first, writer(applied, mapping=True)),
        "workbook": scenario("workbook", folder / "workbook", first, writer(later, format="xlsx")),
        "demo": scenario("demo", folder / "demo", first, writer(later, raw=visits(28))),
    }
