"""What must be true of every release: the rules of the design, one after the other, on a table of visits."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
import shoal.pipeline.groups
import shoal.pipeline.row_order
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.partition.result import Partition
from tests.api.oracle import check, read_rows

FORMS = ("generalize", "aggregate", "centers", "suppress")
KINDS = {
    "name": "identifier",
    "patient": "person",
    "age": "quasi",
    "town": "quasi",
    "ill": "sensitive",
    "remark": "other",
}


def visits(n: int = 40, seed: int = 3) -> pl.DataFrame:
    """Visits of n / 2 patients, some cells missing."""
    chance = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"Name{i}" for i in range(n)],
            "patient": [f"P{i}" for i in chance.integers(0, n // 2, n)],
            "age": [None if chance.random() < 0.1 else int(a) for a in chance.integers(20, 60, n)],
            "town": [None if chance.random() < 0.1 else str(t) for t in chance.choice(["Ulm", "Bonn", "Köln"], n)],
            "ill": [None if chance.random() < 0.1 else str(i) for i in chance.choice(["flu", "gout", "cold"], n)],
            "remark": [f"r{i}" for i in range(n)],
        }
    )


def policy(**changes: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {name: {"role": role} for name, role in KINDS.items()}
    columns["remark"]["publish_rare"] = True  # each row has its own, so that rows can be followed
    return {"k": 4, "seed": 11, "columns": columns} | changes


# -- 1: people ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_every_group_has_k_people_not_rows(form: str) -> None:
    """Every patient is there four times with the same cells: four rows are no group of four."""
    table = pl.concat([visits().unique("patient", maintain_order=True)] * 4)
    release = shoal.anonymize(table, policy(publication=form))
    members = table.with_columns(release.mapping()["group"])
    groups = members.group_by("group").agg(pl.col("patient").n_unique())
    assert release.findings.k >= groups["patient"].min() >= 4
    assert release.findings.unit == "people"


def test_one_patient_with_many_visits_is_no_crowd() -> None:
    table = pl.DataFrame({"patient": ["P1"] * 9 + ["P2"], "age": range(10)})
    with pytest.raises(InfeasibleError, match="5 different people; the person column has 2"):
        shoal.anonymize(table, quasi=["age"], person="patient", k=5)


def test_rows_without_a_person_are_one_person() -> None:
    table = pl.DataFrame({"patient": [None] * 20 + ["P1"], "age": range(21)})
    with pytest.raises(InfeasibleError, match="has 2"):
        shoal.anonymize(table, quasi=["age"], person="patient", k=3)


def test_groups_that_share_people_and_are_published_alike_count_as_the_one_that_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each pair of rows has two values for two people; together they are three people, two of them with a cold."""
    table = pl.DataFrame(
        {
            "patient": [1, 2, 1, 3, 4, 5, 6, 7],
            "town": ["Ulm"] * 4 + ["Bonn"] * 4,
            "ill": ["flu", "cold", "flu", "cold", "flu", "flu", "cold", "gout"],
        }
    )
    pairs = np.array([0, 0, 1, 1, 2, 2, 2, 2])
    found = Partition(labels=pairs, method="forest", objective="generalization", cost=0.0)
    monkeypatch.setattr(shoal.pipeline.row_order, "own_order", lambda *_arguments: np.arange(8))
    monkeypatch.setattr(shoal.pipeline.groups, "solve", lambda *_arguments, **_options: found)
    monkeypatch.setattr(shoal.partition.repair.meet, "polished", lambda partition, *_arguments, **_options: partition)
    monkeypatch.setattr(shoal.pipeline.groups, "or_grown", lambda usual, *_arguments: usual)
    columns: dict[str, Any] = {
        "patient": {"role": "person"},
        "town": {"role": "quasi"},
    }
    columns["ill"] = {"role": "sensitive", "diversity": {"kind": "frequency", "l": 2}}
    release = shoal.anonymize(table, {"k": 2, "seed": 1, "method": "forest", "columns": columns})
    assert release.findings.holds
    assert release.partition.n_groups == 1, "only with the others do the joined groups meet what was asked"
    check(release.table.to_dicts(), {"k": 2, "columns": columns}, "generalize")


def test_centers_refuse_bins_in_which_a_person_would_be_counted_twice() -> None:
    """P1 holds 1 and 2, one bin; the multiset `1: 1; 2: 1` does not say that they are one person's."""
    table = pl.DataFrame({"patient": ["P1", "P1", "P2", "P3"], "age": [1, 1, 1, 1], "pay": [1, 2, 1, 9]})
    columns: dict[str, Any] = {"patient": {"role": "person"}, "age": {"role": "quasi"}}
    columns["pay"] = {"role": "sensitive", "bins": [5], "diversity": {"kind": "frequency", "l": 1.5}}
    asked = {"k": 3, "columns": columns}
    with pytest.raises(ParameterError, match="would be counted twice"):
        shoal.anonymize(table, asked | {"publication": "centers"})
    assert shoal.anonymize(table, asked | {"publication": "generalize"}).findings.l == {"pay": 1.5}


# -- 2: missing is a value ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_missing_cells_are_published_and_counted(form: str) -> None:
    table = visits().drop("patient")
    columns = {name: one for name, one in policy()["columns"].items() if name != "patient"}
    release = shoal.anonymize(table, policy(publication=form, columns=columns))
    if form == "centers":
        assert int(release.table["people"].sum()) == table.height
        assert any("null: " in cell for cell in release.table["ill"])
    else:
        assert release.table.height == table.height
        assert release.table["ill"].null_count() == table["ill"].null_count()


def test_a_lone_missing_cell_does_not_match_everything() -> None:
    """If null were equal to all towns, three groups would have the row and each would seem large enough."""
    table = pl.DataFrame({"town": ["a"] * 3 + ["b"] * 3 + [None]})
    release = shoal.anonymize(table, quasi=["town"], k=3, method="forest", seed=1)
    mates = release.table.filter(pl.col("town").str.ends_with(" or missing"))
    assert mates.height >= 4
    assert mates["town"].n_unique() == 1, "one group alone has the row"
    assert min(Counter(release.table["town"]).values()) >= 3
    assert release.table["town"].null_count() == 0


def test_missing_is_one_of_the_l_values_only_if_it_is_asked_for() -> None:
    table = pl.DataFrame({"age": [1, 1, 1, 1], "ill": ["flu", None, "flu", None]})
    with pytest.raises(InfeasibleError, match="reaches l=1, in which 2 missing cells do not count") as refused:
        shoal.anonymize(table, quasi=["age"], sensitive=["ill"], k=2, l=2)
    assert "count_missing = true" in (refused.value.hint or "")
    counted = {"diversity": {"l": 2, "count_missing": True}}
    assert shoal.anonymize(table, counted, quasi=["age"], sensitive=["ill"], k=2).findings.l == {"ill": 2.0}


# -- 3: order ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["generalize", "aggregate", "suppress"])
def test_rows_and_groups_are_shuffled_and_have_no_number(form: str) -> None:
    table = visits(400).sort("remark")
    release = shoal.anonymize(table, policy(publication=form))
    place = {remark: row for row, remark in enumerate(table["remark"])}
    order = [place[remark] for remark in release.table["remark"]]
    assert abs(np.corrcoef(order, np.arange(len(order)))[0, 1]) < 0.2
    groups = release.published.alike[release.published.groups]
    assert np.count_nonzero(np.diff(groups)) == len(np.unique(groups)) - 1, "a class's rows stand together"
    firsts = groups[np.flatnonzero(np.diff(groups, prepend=-1))]
    assert abs(np.corrcoef(firsts, np.arange(len(firsts)))[0, 1]) < 0.4
    within = [np.diff(np.flatnonzero(groups == g)[np.argsort(release.published.rows[groups == g])]) for g in firsts]
    assert any((steps < 0).any() for steps in within)
    assert not {"index", "row", "row_nr", "__index_level_0__", "group"} & set(release.table.columns)


def test_a_pandas_index_does_not_come_back() -> None:
    frame = visits().to_pandas()
    frame.index = [f"secret{i}" for i in range(len(frame))]
    release = shoal.anonymize(frame, policy())
    assert list(release.table.index) == list(range(len(release.table)))
    assert release.table.index.name is None


def test_without_a_secret_two_runs_give_two_orders() -> None:
    table, asked = visits(), policy()
    first, second = (shoal.anonymize(table, asked) for _ in range(2))
    assert first.secret != second.secret
    assert first.table["remark"].to_list() != second.table["remark"].to_list()


# -- 4: nothing by default ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_identifiers_are_gone(form: str, tmp_path: Path) -> None:
    release = shoal.anonymize(visits(), policy(publication=form))
    release.write(tmp_path / "out")
    assert "name" not in release.table.columns
    for file in (tmp_path / "out").iterdir():
        content = file.read_bytes()
        assert b"Name1" not in content, file.name
        assert b"P1" not in content, file.name


def test_a_column_without_a_role_stops_the_run() -> None:
    columns = {name: {"role": role} for name, role in KINDS.items() if name != "remark"}
    with pytest.raises(SchemaError, match="'remark'"):
        shoal.anonymize(visits(), policy(columns=columns))


def test_person_numbers_cannot_be_followed_from_group_to_group() -> None:
    release = shoal.anonymize(visits(200), policy(publication="generalize"))
    numbers = release.table.group_by("age", "town").agg(pl.col("patient").unique().sort())["patient"].to_list()
    assert len(numbers) > 5
    assert all(found == list(range(1, len(found) + 1)) for found in numbers)


# -- 5: all or nothing: tests/api/test_failed_runs.py ------------------------------------------------------------
# -- 6: two folders ----------------------------------------------------------------------------------------------


def test_the_public_folder_tells_nothing_exact_about_the_raw_table(tmp_path: Path) -> None:
    table = visits()
    source = tmp_path / "in.csv"
    table.write_csv(source)
    release = shoal.anonymize(source, policy())
    release.write(tmp_path / "out", mapping=True)
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        "release.csv",
        "certificate.json",
        "codebook.html",
        "datapackage.json",
    }
    public = json.loads((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    private = json.loads((tmp_path / "out.private" / "certificate.json").read_text(encoding="utf-8"))
    hidden = {"cost", "lower_bound", "ratio_seen", "theorem_cost", "notes", "repair", "reason", "seed", "timed_out"}
    assert not hidden & set(keys(public))
    assert hidden <= set(private)
    text = (tmp_path / "out" / "certificate.json").read_text(encoding="utf-8")
    assert str(release.policy.seed) not in [str(value) for value in values(public)]
    for secret in (private["cost"], private["lower_bound"], digest(source), source.name, str(tmp_path)):
        assert f'"{secret}"' not in text
    assert public["published_sha256"] == digest(tmp_path / "out" / "release.csv")


def test_the_private_folder_is_closed_to_others(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        shoal.anonymize(visits(), policy()).write(tmp_path / "out", mapping=True)
    finally:
        os.umask(before)
    private = tmp_path / "out.private"
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    files = {file.name: stat.S_IMODE(file.stat().st_mode) for file in private.iterdir()}
    assert set(files) == {
        "certificate.json",
        "policy.toml",
        "report.html",
        "measures.json",
        "mapping.csv",
        "secret.key",
        "plan.json",
    }
    assert set(files.values()) == {0o600}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.private"], "nothing is left beside them"


def test_the_mapping_is_written_only_on_request_and_speaks_of_input_rows(tmp_path: Path) -> None:
    table = visits()
    release = shoal.anonymize(table, policy(publication="suppress"))
    release.write(tmp_path / "out")
    assert not (tmp_path / "out.private" / "mapping.csv").exists()
    release.write(tmp_path / "out", mapping=True)
    rows = read_rows(tmp_path / "out.private" / "mapping.csv")
    groups = [int(row["group"]) for row in rows]
    assert [int(row["row"]) for row in rows] == list(range(table.height))
    # the remark of each released row says which input row it was
    group_of = dict(zip(table["remark"].to_list(), groups, strict=True))
    alike = {tuple(cells): set() for cells in release.table.select("age", "town").rows()}
    for age, town, remark in release.table.select("age", "town", "remark").rows():
        alike[age, town].add(group_of[remark])
    assert Counter(g for found in alike.values() for g in found) == Counter(set(groups))


@pytest.mark.parametrize("seed", [None, 7])
def test_the_private_policy_and_secret_make_the_same_release_again(tmp_path: Path, seed: int | None) -> None:
    table = visits()
    shoal.anonymize(table, policy(seed=seed)).write(tmp_path / "one")
    private = tmp_path / "one.private"
    shoal.anonymize(table, private / "policy.toml", secret=private / "secret.key").write(tmp_path / "two")
    for name in ("release.csv", "certificate.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


# -- 7: no values in messages: tests/api/test_no_value_leaves.py -------------------------------------------------
# -- 8: the same everywhere --------------------------------------------------------------------------------------

EVERYWHERE = """
import sys
import numpy as np
import polars as pl
import shoal
numbers = pl.DataFrame(np.random.default_rng(0).normal(size=(3000, 2)), schema=["a", "b"])
roles = {"quasi": ["a", "b"], "publication": "aggregate", "secret": bytes(32)}
shoal.anonymize(numbers, method="forest", k=50, **roles).write(sys.argv[1] + "forest")
shoal.anonymize(numbers.head(150), method="best", k=5, effort=100, **roles).write(sys.argv[1] + "best")
"""


def test_one_thread_gives_the_same_bytes_as_two(tmp_path: Path) -> None:
    for threads in ("1", "2"):
        limits = {"POLARS_MAX_THREADS": threads, "OMP_NUM_THREADS": threads, "NUMBA_NUM_THREADS": threads}
        cores = {"1": {min(os.sched_getaffinity(0))}, "2": os.sched_getaffinity(0)}[threads]
        root = Path(__file__).resolve().parents[2]
        subprocess.run(
            [sys.executable, "-c", EVERYWHERE, str(tmp_path / threads)],
            check=True,
            cwd=root,
            env=os.environ | limits,
            preexec_fn=lambda cores=cores: os.sched_setaffinity(0, cores),
        )
    for method in ("forest", "best"):
        one, two = tmp_path / f"1{method}", tmp_path / f"2{method}"
        assert (one / "release.csv").read_bytes() == (two / "release.csv").read_bytes()
        assert (one / "certificate.json").read_bytes() == (two / "certificate.json").read_bytes()


# -- 9: the way out ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "told", "way_out"),
    [
        ({"k": 41}, "k=41 needs at least 41 rows; the table has 40", "lower k to 40 or less"),
        ({"k": 21}, "different people", "lower k to"),
        (
            {"diversity": {"l": 9}},
            "l=9 (distinct) cannot be met in column ill",
            "lower l of ill to 3 or less, or count",
        ),
        (
            {"diversity": {"l": 9, "count_missing": True}},
            "cannot be met in column ill",
            "lower l of ill to 4 or less",
        ),
        ({"diversity": {"l": 3.9, "kind": "frequency"}}, "cannot be met in column ill", "lower l of ill to"),
    ],
)
def test_the_impossible_gets_a_sentence_with_the_way_out(changes: dict[str, Any], told: str, way_out: str) -> None:
    with pytest.raises(InfeasibleError) as refused:
        shoal.anonymize(visits(), policy(**changes))
    assert told in refused.value.message
    assert way_out in (refused.value.hint or "")
    assert refused.value.exit_code == 3


def keys(found: Any) -> list[str]:
    """Every key of nested plain data."""
    if isinstance(found, dict):
        return [*found, *(key for value in found.values() for key in keys(value))]
    return [key for value in found for key in keys(value)] if isinstance(found, list) else []


def values(found: Any) -> list[Any]:
    """Every value of nested plain data."""
    if isinstance(found, dict):
        found = list(found.values())
    return [one for value in found for one in values(value)] if isinstance(found, list) else [found]


def digest(path: Path) -> str:
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()
