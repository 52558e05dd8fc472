"""Releases in blocks: what is promised of every release, and that neither partitions nor workers decide anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.engines.columns import CLASS, ROW
from shoal.engines.folder import LargeRelease
from shoal.engines.local import LocalEngine
from shoal.engines.release import Rows
from shoal.errors import CertificateError, InfeasibleError, ParameterError, SchemaError
from shoal.policy import Policy
from shoal.secret import Secret, as_secret
from tests.engines.tables import people, policy, released
from tests.fixed_secret import SECRET

N, SIZE = 6000, 1500


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    made = LocalEngine(n_workers=2)
    yield made
    made.close()


Make = Callable[..., Rows]


@pytest.fixture(scope="module")
def make(engine: LocalEngine, tmp_path_factory: pytest.TempPathFactory) -> Make:
    folder = tmp_path_factory.mktemp("tables")

    def run(frame: pl.DataFrame, wanted: Policy, secret: Secret = SECRET, *, rows: int = 1000) -> Rows:
        return released(engine, folder, frame, wanted, secret, rows=rows, size=SIZE)

    return run


def written(rows: Rows, out: Path) -> LargeRelease:
    return LargeRelease(rows=rows, seconds={}).write(out)


def final_rows(rows: Rows) -> pa.Table:
    """Return the released rows in their final order."""
    batches = rows.engine.sorted_batches(rows.data, [CLASS, ROW], stage="rows")
    return pa.Table.from_batches(list(batches)).select(rows.schema.names)


REQUIREMENTS: dict[str, dict[str, Any]] = {
    "k alone": {},
    "distinct l": {"illness": {"diversity": {"l": 3}}},
    "frequency l": {"illness": {"diversity": {"l": 2, "kind": "frequency"}}},
    "entropy l": {"illness": {"diversity": {"l": 2, "kind": "entropy"}}},
    "recursive l": {"illness": {"diversity": {"l": 2, "kind": "recursive", "c": 2.0}}},
    "equal t": {"illness": {"closeness": {"t": 0.3, "distance": "equal"}}},
    "ordered t": {
        "illness": {
            "closeness": {"t": 0.25, "distance": "ordered"},
            "order": ["asthma", "cancer", "cold", "flu", "migraine"],
        }
    },
    "alpha": {"illness": {"disclosure": {"alpha": 0.6}}},
    "suppress": {"publication": "suppress"},
    "two columns": {"ranges": "columns"},
    "mondrian": {"method": "mondrian"},
}


QUICK = ("k alone", "distinct l", "equal t", "suppress", "two columns")


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(settings, id=name, marks=() if name in QUICK else (pytest.mark.deep,))
        for name, settings in REQUIREMENTS.items()
    ],
)
def test_a_release_in_blocks_meets_its_policy(make: Make, tmp_path: Path, settings: dict[str, Any]) -> None:
    gaps = settings.get("publication") != "suppress"
    frame = people(N, 1, gaps=gaps).with_columns(pl.col("illness").fill_null("cold"))
    rows = make(frame, policy(**dict(settings)))
    assert len(rows.blocks) > 1
    release = written(rows, tmp_path / "out")
    assert release.certificate.holds
    assert release.findings is not None
    assert release.findings.rows == N
    found = shoal.verify(tmp_path / "out")
    assert found.holds
    assert found.k >= 5
    certificate = json.loads((tmp_path / "out.private" / "certificate.json").read_text())
    assert certificate["ratio_proved"] is None
    public = (tmp_path / "out" / "certificate.json").read_text()
    assert "lower_bound" not in public
    assert 0 < release.loss < 1


def test_blocks_that_differ_from_the_table_still_keep_t(make: Make, tmp_path: Path) -> None:
    """BLOCKS-3: t is of the whole table, and blocks are nearer or farther from it."""
    frame = people(N, 9)
    common = pl.when((pl.col("pay") > 3000) & (pl.int_range(pl.len()) % 5 < 2)).then(pl.lit("flu"))
    frame = frame.with_columns(illness=common.otherwise(pl.col("illness")))
    rows = make(frame, policy(illness={"closeness": {"t": 0.25, "distance": "equal"}}))
    assert len(rows.blocks) > 1
    assert written(rows, tmp_path / "out").certificate.holds


def test_people_with_several_rows_are_counted_once(make: Make, tmp_path: Path) -> None:
    frame = people(N, 2, visits=True)
    release = written(make(frame, policy(visits=True, illness={"diversity": {"l": 2}})), tmp_path / "out")
    assert release.certificate.holds
    claims = {claim.criterion: claim for claim in release.certificate.claims}
    assert claims["k-anonymity"].unit == "people"
    released = pl.read_parquet(tmp_path / "out" / "release.parquet")
    quasi = ["born", "sex", "zip", "pay"]
    who = pl.col("who")
    counted = released.group_by(quasi).agg(who.n_unique(), first=who.min(), last=who.max())
    assert counted["who"].min() >= 5  # type: ignore[operator]
    # numbers are those of a class, and say nothing about another one
    assert (counted["first"] == 1).all()
    assert (counted["last"] == counted["who"]).all()


def test_neither_partitions_nor_the_order_of_rows_decide_anything(make: Make) -> None:
    frame, wanted = people(N, 3, gaps=True), policy()
    first = final_rows(make(frame, wanted))
    again = final_rows(make(frame.sample(fraction=1.0, shuffle=True, seed=1), wanted, rows=777))
    assert first.equals(again)


@pytest.mark.deep
def test_neither_partitions_nor_the_order_of_rows_decide_where_people_go(make: Make) -> None:
    frame, wanted = people(N, 3, visits=True), policy(visits=True)
    first = final_rows(make(frame, wanted)).drop_columns(["who"])
    again = final_rows(make(frame.sample(fraction=1.0, shuffle=True, seed=1), wanted, rows=777)).drop_columns(["who"])
    names = first.column_names
    assert first.sort_by([(name, "ascending") for name in names]).equals(
        again.sort_by([(name, "ascending") for name in names])
    )


def test_groups_do_not_depend_on_values_without_a_requirement(make: Make) -> None:
    frame, quasi = people(N, 3, gaps=True), ["born", "sex", "zip", "pay"]
    first = final_rows(make(frame, policy())).select(quasi)
    moved = frame.with_columns(pl.col("illness").shuffle(seed=5), name=pl.col("name").reverse())
    assert first.equals(final_rows(make(moved, policy())).select(quasi))


@pytest.mark.deep
def test_another_secret_gives_another_order(make: Make) -> None:
    frame, wanted = people(N, 3), policy()
    first, other = final_rows(make(frame, wanted)), final_rows(make(frame, wanted, Secret(b"x" * 32)))
    assert not first.equals(other)


def test_identifiers_are_not_even_stored_meanwhile(engine: LocalEngine, make: Make) -> None:
    make(people(N, 4), policy())
    stored_bytes = b"".join(path.read_bytes() for path in engine.folder.iterdir())
    assert b"asthma" in stored_bytes
    assert b"person number" not in stored_bytes


def test_the_names_of_people_are_nowhere_in_the_folders(make: Make, tmp_path: Path) -> None:
    written(make(people(N, 4), policy()), tmp_path / "out")
    for folder in ("out", "out.private"):
        for path in (tmp_path / folder).iterdir():
            assert b"person number" not in path.read_bytes()


@pytest.mark.deep
def test_the_same_table_again_keeps_its_secret_and_another_does_not(make: Make, tmp_path: Path) -> None:
    frame, wanted = people(N, 5), policy()
    written(make(frame, wanted), tmp_path / "out")
    earlier = as_secret(tmp_path / "out.private", seed=None)
    again = make(frame, wanted, earlier)  # type: ignore[arg-type]
    assert again.secret.key == SECRET.key
    other = make(people(N, 6), wanted, earlier)  # type: ignore[arg-type]
    assert other.secret.key != SECRET.key


def test_too_few_rows_are_said_to_be_too_few(make: Make) -> None:
    with pytest.raises(InfeasibleError, match="needs at least 5 rows"):
        make(people(4), policy())


def test_an_l_that_the_whole_table_misses_is_infeasible(make: Make) -> None:
    with pytest.raises(InfeasibleError, match="l=9"):
        make(people(N, 7), policy(illness={"diversity": {"l": 9}}))


def test_a_small_table_is_one_block(make: Make, tmp_path: Path) -> None:
    rows = make(people(60), policy())
    assert len(rows.blocks) == 1
    assert written(rows, tmp_path / "out").certificate.holds


def test_a_condition_gives_the_release_of_the_rows_that_meet_it(make: Make, tmp_path: Path) -> None:
    frame = people(2000, 9, gaps=True)
    rows = make(frame, policy(where="sex = 'f' and pay > 2900"))
    chosen = frame.filter((pl.col("sex") == "f") & (pl.col("pay") > 2900))
    assert final_rows(rows).equals(final_rows(make(chosen, policy())))
    assert f"{chosen.height} rows meet the condition" in " ".join(rows.facts.notes)
    assert written(rows, tmp_path / "out").certificate.holds


def test_a_condition_that_no_row_meets_is_infeasible(make: Make) -> None:
    with pytest.raises(InfeasibleError, match="no row meets the condition"):
        make(people(300), policy(where="sex = 'x'"))
    with pytest.raises(SchemaError, match="names 'height', which the table does not have"):
        make(people(300), policy(where="height > 3"))


REFUSED: dict[str, dict[str, Any]] = {
    "a condition on an identifier": {"where": "name = 'person number 0000001'"},
    "sample": {"sample": 0.5},
    "synthetic": {"synthetic": "marginals"},
    "evidence": {"evidence": True},
    "aggregate": {"publication": "aggregate"},
    "loss": {"loss": "information"},
    "full-domain": {"method": "full-domain"},
    "beta": {"illness": {"disclosure": {"beta": 2.0}}},
    "perturb": {"illness": {"perturb": {"method": "pram", "keep": 0.8}}},
}


def test_t_of_people_with_several_rows_is_refused(make: Make) -> None:
    with pytest.raises(ParameterError, match="t of illness with a person column"):
        make(people(200, visits=True), policy(visits=True, illness={"closeness": {"t": 0.3}}))


@pytest.mark.parametrize("settings", REFUSED.values(), ids=REFUSED)
def test_what_blocks_cannot_keep_is_refused(make: Make, settings: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="divided into blocks"):
        make(people(200), policy(**dict(settings)))


def test_a_column_without_a_role_stops_the_run(make: Make) -> None:
    with pytest.raises(SchemaError, match="note"):
        make(people(200).with_columns(note=pl.lit("x")), policy())


def test_a_release_below_its_claim_is_never_written(make: Make, tmp_path: Path) -> None:
    rows = make(people(N, 8), policy())
    stricter = rows.policy.model_copy(update={"k": 50})
    with pytest.raises(CertificateError):
        LargeRelease(rows=replace(rows, policy=stricter), seconds={}).write(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "out.private").exists()
