"""The recoding of one release on another table: what fits where, what is left out, what is refused."""

from __future__ import annotations

import datetime as dt
import json
import stat
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, ParameterError, SchemaError, ShoalError
from tests.cli.running import shoal as command
from tests.fixed_secret import SECRET

ROLES: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": ["ill"], "publication": "generalize", "seed": 1}


def people(ages: list[int | None], sexes: str, ills: str | None = None) -> pl.DataFrame:
    return pl.DataFrame(
        {"age": ages, "sex": list(sexes), "ill": list(ills or "abcabcabcabcabcabcabc"[: len(sexes)])},
        schema={"age": pl.Int64, "sex": pl.String, "ill": pl.String},
    )


MAY = people([20, 22, 24, 40, 44, 48], "fffmmm")
"""With k = 3: [20, 24] f and [40, 48] m."""


def plan(table: pl.DataFrame = MAY, **settings: Any) -> shoal.Plan:
    return shoal.anonymize(table, k=3, method="mondrian", **(ROLES | settings)).plan


def cells(release: shoal.Release, *names: str) -> list[tuple[Any, ...]]:
    return sorted(release.table.select(names or ("age", "sex")).rows(), key=str)


def test_records_get_the_cells_of_the_class_that_holds_them():
    june = people([21, 20, 23, 45, 41, 48], "fffmmm")
    release = shoal.apply(plan(), june, seed=1)
    assert cells(release) == [("[20, 24]", "f")] * 3 + [("[40, 48]", "m")] * 3
    assert release.findings.holds
    assert release.certificate.method == "plan of mondrian"
    assert release.certificate.ratio_proved is None


def test_the_same_table_gets_the_same_cells_where_classes_do_not_overlap():
    rng = np.random.default_rng(5)
    table = people(rng.integers(18, 90, 200).tolist(), "".join(rng.choice(list("fmx"), 200)), "ab" * 100)
    for method in ("mondrian", "full-domain", "datafly"):
        first = shoal.anonymize(table, k=4, method=method, max_suppressed=0.1, **ROLES)
        again = shoal.apply(first.plan, table, seed=2)
        assert cells(again, "age", "sex", "ill") == cells(first, "age", "sex", "ill"), method


def test_a_table_loses_no_row_by_its_own_plan_though_classes_overlap():
    rng = np.random.default_rng(2)
    table = people(rng.integers(18, 90, 300).tolist(), "".join(rng.choice(list("fmx"), 300)), "ab" * 150)
    first = shoal.anonymize(table, k=4, method="forest", **ROLES)
    again = shoal.apply(first.plan, table)
    assert again.partition.n_suppressed == 0
    assert again.findings.k >= 4


def test_a_row_that_no_class_holds_is_left_out_within_the_limit_or_the_run_refuses_with_counts():
    june = people([21, 20, 23, 45, 41, 48, 99], "fffmmmm")
    with pytest.raises(InfeasibleError, match=r"1 of 7 rows would have to be left out, and 0 may be: 1 fit no class"):
        shoal.apply(plan(), june)
    release = shoal.apply(plan(), june, max_suppressed=0.15)
    assert (release.partition.n_suppressed, release.certificate.suppressed) == (1, 1)
    assert len(release.table) == 6


def test_a_class_that_falls_short_in_the_new_table_is_left_out_joined_or_refused():
    june = people([21, 20, 23, 45, 41], "fffmm")
    with pytest.raises(InfeasibleError, match=r"2 of 5 rows .* 0 fit no class .*, and 2 fit only classes"):
        shoal.apply(plan(), june)
    left_out = shoal.apply(plan(), june, max_suppressed=0.4)
    assert cells(left_out) == [("[20, 24]", "f")] * 3
    joined = shoal.apply(plan(), june, join=True)
    assert cells(joined) == [("[20, 48]", "{f, m}")] * 5
    assert "2 classes missed the requirements" in " ".join(joined.partition.notes)


def test_the_share_that_a_refusal_names_is_enough():
    june = people([21] * 71 + [99] * 29, "f" * 100, "abcde" * 20)
    with pytest.raises(InfeasibleError, match="29 of 100 rows") as refused:
        shoal.apply(plan(), june)
    assert "max_suppressed=0.29" in str(refused.value)
    assert "--join" not in str(refused.value)  # no class holds them
    assert len(shoal.apply(plan(), june, max_suppressed=0.29).table) == 71


def test_short_floats_are_held_against_their_own_limits():
    table = pl.DataFrame({"dose": pl.Series([0.1 * i for i in range(12)], dtype=pl.Float32)})
    for ranges in ("brackets", "columns"):
        first = shoal.anonymize(table, k=2, quasi=["dose"], publication="generalize", ranges=ranges)
        assert shoal.apply(first.plan, table).partition.n_suppressed == 0


def test_every_requirement_is_counted_anew():
    asked = plan(people([20, 22, 24, 40, 44, 48], "fffmmm", "abcabc"), l=2)
    june = people([21, 20, 23, 45, 41, 48], "fffmmm", "aaaabc")
    with pytest.raises(InfeasibleError, match="3 of 6 rows"):
        shoal.apply(asked, june)
    assert shoal.apply(asked, june, max_suppressed=0.5).findings.l == {"ill": 3}


def test_of_several_classes_the_narrowest_takes_a_record():
    overlapping = _hand_made(
        {"age": [{"from": "0", "to": "100"}, {"from": "20", "to": "30"}], "sex": ["*"]}, [[0, 0], [1, 0]]
    )
    table = people([25, 26, 27, 5, 50, 99], "ffffff")
    assert cells(shoal.apply(overlapping, table)) == [("[0, 100]", "*")] * 3 + [("[20, 30]", "*")] * 3


def test_a_wider_class_takes_records_that_a_narrow_one_can_spare_or_cannot_keep():
    overlapping = _hand_made(
        {"age": [{"from": "0", "to": "100"}, {"from": "20", "to": "30"}], "sex": ["*"]}, [[0, 0], [1, 0]]
    )
    spared = shoal.apply(overlapping, people([25, 26, 27, 28, 50, 99], "ffffff"), join=False)
    assert cells(spared)[0] == ("[0, 100]", "*")
    assert spared.findings.k == 3
    moved = shoal.apply(overlapping, people([25, 26, 50, 99], "ffff"))
    assert cells(moved) == [("[0, 100]", "*")] * 4


def _hand_made(columns: dict[str, Any], classes: list[list[int]], **changes: Any) -> dict[str, Any]:
    asked = {"k": 3, "columns": {"age": {"role": "quasi"}, "sex": {"role": "quasi"}, "ill": {"role": "sensitive"}}}
    made = {"format": 1, "shoal": "0", "form": "generalize", "method": "forest", "policy": asked}
    return made | {"columns": columns, "classes": classes} | changes


def test_a_missing_value_fits_only_what_says_so():
    table = people([None, None, None, 20, 21, 22], "ffffff")
    found = plan(table)
    assert len(found.classes) == 2
    assert cells(shoal.apply(found, table)) == sorted([("[20, 22]", "f")] * 3 + [(None, "f")] * 3, key=str)
    with pytest.raises(InfeasibleError, match="1 of 4"):
        shoal.apply(plan(), people([20, 21, 22, None], "ffff"))


def test_dates_two_columns_orders_and_hidden_cells():
    rng = np.random.default_rng(0)
    table = pl.DataFrame(
        {
            "born": [
                None if i % 9 == 0 else dt.date(1990, 1, 1) + dt.timedelta(days=int(d))
                for i, d in enumerate(rng.integers(0, 900, 60))
            ],
            "grade": rng.choice(["low", "mid", "high"], 60),
            "town": [None if i % 7 == 0 else str(t) for i, t in enumerate(rng.choice(["Ulm", "a, b", "null"], 60))],
        }
    )
    columns = {
        "born": {"role": "quasi"},
        "grade": {"role": "quasi", "order": ["low", "mid", "high"]},
        "town": {"role": "quasi"},
    }
    for settings in ({"ranges": "columns"}, {}, {"publication": "suppress"}, {"method": "mondrian"}):
        first = shoal.anonymize(
            table, {"k": 3, "seed": 1, "columns": columns} | {"publication": "generalize"} | settings
        )
        plan = shoal.Plan.parse(json.loads(first.plan.dumps()))
        assert plan == first.plan
        again = shoal.apply(plan, table, max_suppressed=0.5)
        assert again.table.schema == first.table.schema
        assert set(again.table.rows()) <= set(first.table.rows())


# -- hierarchies -------------------------------------------------------------------------------------------------


@pytest.fixture
def wards(tmp_path: Path) -> Path:
    path = tmp_path / "ward.csv"
    path.write_text("cardiology,medicine\nneurology,medicine\nsurgery,operating\northopaedics,operating\n")
    return path


def stays(wards: list[str]) -> pl.DataFrame:
    return pl.DataFrame({"ward": wards})


@pytest.mark.parametrize("method", ["forest", "full-domain"])
def test_a_value_that_the_hierarchy_does_not_know_fits_no_node(wards: Path, method: str):
    policy = {"k": 2, "seed": 1, "method": method, "columns": {"ward": {"role": "quasi", "hierarchy": str(wards)}}}
    first = shoal.anonymize(stays(["cardiology", "neurology", "surgery", "orthopaedics"]), policy)
    june = stays(["cardiology", "cardiology", "surgery", "surgery", "orthopaedics", "radiology"])
    with pytest.raises(InfeasibleError, match="1 of 6 rows"):
        shoal.apply(first.plan, june)
    again = shoal.apply(first.plan, june, max_suppressed=0.2)
    assert cells(again, "ward") == [("medicine",)] * 2 + [("operating",)] * 3


def test_a_node_joined_with_missing_values_says_so(wards: Path):
    policy = {"k": 2, "seed": 1, "columns": {"ward": {"role": "quasi", "hierarchy": str(wards)}}}
    first = shoal.anonymize(stays(["cardiology", "neurology", None, None]), policy)
    assert set(first.table["ward"]) == {"medicine", None}
    joined = shoal.apply(first.plan, stays(["cardiology", None]), join=True)
    assert joined.table["ward"].to_list() == ["medicine or missing"] * 2
    higher = shoal.anonymize(stays(["cardiology", "cardiology", "neurology", "neurology"]), policy)
    assert set(higher.table["ward"]) == {"cardiology", "neurology"}
    joined = shoal.apply(higher.plan, stays(["cardiology", "neurology"]), join=True)
    assert joined.table["ward"].to_list() == ["medicine", "medicine"]


@pytest.mark.parametrize("method", ["forest", "full-domain"])
def test_codes_are_masked_as_long_as_they_were(method: str):
    policy = {
        "k": 2,
        "seed": 1,
        "method": method,
        "columns": {"zip": {"role": "quasi", "hierarchy": {"prefix": True}}},
    }
    first = shoal.anonymize(pl.DataFrame({"zip": ["02139", "02138", "99101", "99102"]}), policy)
    assert set(first.table["zip"]) == {"0213*", "9910*"}
    again = shoal.apply(first.plan, pl.DataFrame({"zip": ["02131", "02132", "0213", "021391"]}), max_suppressed=0.5)
    assert set(again.table["zip"]) == {"0213*"}
    assert again.partition.n_suppressed == 2


def test_levels_are_applied_to_values_that_were_not_there():
    table = pl.DataFrame({"age": [20, 21, 30, 31]})
    policy = {
        "k": 2,
        "seed": 1,
        "method": "full-domain",
        "columns": {"age": {"role": "quasi", "hierarchy": {"widths": [5, 10]}}},
    }
    first = shoal.anonymize(table, policy)
    again = shoal.apply(first.plan, pl.DataFrame({"age": [62.5, 61.0, 77.0, 79.0]}))
    assert set(first.table["age"]) == {"[20, 25)", "[30, 35)"}
    with_gap = shoal.apply(first.plan, pl.DataFrame({"age": [62, 61, 77]}), max_suppressed=0.4)
    assert set(again.table["age"]) == {"[60, 65)", "[75, 80)"}
    assert set(with_gap.table["age"]) == {"[60, 65)"}


def test_another_version_of_a_hierarchy_is_refused(wards: Path):
    policy = {"k": 2, "seed": 1, "columns": {"ward": {"role": "quasi", "hierarchy": str(wards)}}}
    table = stays(["cardiology", "neurology", "surgery", "orthopaedics"])
    found = shoal.anonymize(table, policy).plan
    older = wards.with_name("older.csv")
    older.write_text(wards.read_text())
    wards.write_text(wards.read_text().replace("neurology,medicine", "neurology,operating"))
    with pytest.raises(SchemaError, match="hierarchy of ward is not the one that the plan was made with"):
        shoal.apply(found, table)
    assert shoal.apply(found, table, hierarchy={"ward": str(older)}).findings.holds
    wards.unlink()
    with pytest.raises(SchemaError, match="cannot be read"):
        shoal.apply(found, table)


# -- the file ----------------------------------------------------------------------------------------------------


def test_the_plan_stays_in_the_private_folder_and_says_no_more_than_it_must(tmp_path: Path):
    table = MAY.with_columns(name=pl.Series([f"Name{i}" for i in range(6)]))
    release = shoal.anonymize(table, k=3, identifier=["name"], method="mondrian", **(ROLES | {"seed": 987654321}))
    release.write(tmp_path / "out")
    assert not list((tmp_path / "out").glob("*plan*"))
    written = tmp_path / "out.private" / "plan.json"
    assert stat.S_IMODE(written.parent.stat().st_mode) == 0o700
    text = written.read_text()
    assert shoal.Plan.load(written) == release.plan
    assert "987654321" not in text, "the seed would undo the shuffling"
    assert "Name" not in text
    assert set(json.loads(text)) == {
        "format",
        "shoal",
        "form",
        "method",
        "policy",
        "hierarchies",
        "columns",
        "classes",
    }
    assert all(f'"{ill}"' not in text for ill in "abc"), "sensitive values have no place in it"


def test_a_release_without_cells_that_could_hold_a_record_has_no_plan(tmp_path: Path):
    release = shoal.anonymize(MAY, k=3, **(ROLES | {"publication": "aggregate"}))
    with pytest.raises(ParameterError, match="form aggregate has no plan"):
        _ = release.plan
    release.write(tmp_path / "out")
    assert not (tmp_path / "out.private" / "plan.json").exists()


def broken_plans() -> dict[str, Any]:
    whole = plan().dumps()
    good = json.loads(whole)
    return {
        "empty": "",
        "cut off": whole[: len(whole) // 2],
        "another file": '{"k": 5}',
        "a list": "[]",
        "a later format": good | {"format": 2},
        "an unknown key": good | {"more": 1},
        "a form without cells": good | {"form": "aggregate"},
        "no classes": good | {"classes": []},
        "a class too short": good | {"classes": [[0]]},
        "a cell that is not there": good | {"classes": [[0, 99]]},
        "a negative cell": good | {"classes": [[0, -1]]},
        "no columns": good | {"columns": {}},
        "another column": good | {"columns": good["columns"] | {"town": ["*"]}},
        "a cell of no kind": good | {"columns": good["columns"] | {"sex": [{"secret": "x"}]}},
        "a range of labels": good | {"columns": good["columns"] | {"sex": [{"from": "a", "to": "z"}] * 9}},
        "a range that is no number": good
        | {"columns": good["columns"] | {"age": [{"from": "secret", "to": "z"}] * 9}},
        "a policy of another kind": good | {"policy": good["policy"] | {"k": "secret"}},
        "no policy": {key: value for key, value in good.items() if key != "policy"},
    }


@pytest.mark.parametrize("name", broken_plans())
def test_a_broken_plan_is_one_sentence_without_a_value(name: str, tmp_path: Path):
    broken = broken_plans()[name]
    path = tmp_path / "plan.json"
    path.write_text(broken if isinstance(broken, str) else json.dumps(broken))
    with pytest.raises(ParameterError) as refused:
        shoal.apply(path, MAY)
    assert "secret" not in str(refused.value)
    assert refused.value.hint


def test_a_plan_that_is_not_there_is_one_sentence(tmp_path: Path):
    with pytest.raises(ParameterError, match="cannot be read"):
        shoal.apply(tmp_path / "none.json", MAY)


@pytest.mark.parametrize(
    "table",
    [
        MAY.drop("sex"),
        MAY.rename({"sex": "gender"}),
        MAY.with_columns(more=pl.lit(1)),
        MAY.with_columns(age=pl.lit("secret")),
        MAY.head(2),
        MAY.head(0),
    ],
    ids=["a column less", "another name", "a column more", "another type", "too few rows", "no rows"],
)
def test_a_table_that_does_not_fit_the_plan_is_refused(table: pl.DataFrame):
    with pytest.raises(ShoalError) as refused:
        shoal.apply(plan(), table)
    assert "secret" not in str(refused.value)


def test_the_order_of_rows_and_columns_changes_nothing_and_the_secret_repeats_it():
    rng = np.random.default_rng(1)
    table = people(rng.integers(18, 60, 60).tolist(), "".join(rng.choice(list("fm"), 60)), "ab" * 30)
    found = shoal.anonymize(table, k=4, **ROLES).plan
    june = people(rng.integers(18, 60, 60).tolist(), "".join(rng.choice(list("fm"), 60)), "ab" * 30)
    other = june.sample(fraction=1, shuffle=True, seed=3).select("ill", "sex", "age")
    one, two = (shoal.apply(found, t, max_suppressed=0.9, secret=SECRET) for t in (june, other))
    assert cells(one, "age", "sex", "ill") == cells(two, "age", "sex", "ill")
    assert one.table.equals(shoal.apply(found, june, max_suppressed=0.9, secret=SECRET).table)


def test_people_are_counted_not_rows():
    visits = MAY.with_columns(who=pl.Series([1, 2, 3, 4, 5, 6]))
    found = shoal.anonymize(visits, k=3, person="who", method="mondrian", **ROLES).plan
    june = people([21, 20, 23, 45, 41, 48], "fffmmm").with_columns(who=pl.Series([1, 1, 1, 4, 5, 6]))
    with pytest.raises(InfeasibleError, match="3 of 6 rows"):
        shoal.apply(found, june)


# -- the command -------------------------------------------------------------------------------------------------


def test_from_one_file_to_the_next_and_verified(tmp_path: Path):
    MAY.write_csv(tmp_path / "may.csv")
    people([21, 20, 23, 45, 41, 48, 99], "fffmmmm").write_csv(tmp_path / "june.csv")
    roles = ("--quasi", "age,sex", "--sensitive", "ill", "-k", "3", "--publication", "generalize")
    assert command("anonymize", tmp_path / "may.csv", "-o", tmp_path / "may", *roles, "-q").code == 0
    call = ("apply", tmp_path / "may.private" / "plan.json", tmp_path / "june.csv", "-o", tmp_path / "june")
    refused = command(*call)
    assert (refused.code, refused.is_one_sentence) == (3, True)
    assert not (tmp_path / "june").exists()
    done = command(*call, "--max-suppressed", "0.2", "--json")
    assert done.code == 0, done
    assert done.json["suppressed"] == 1
    assert command("verify", tmp_path / "june" / "release.csv", "-q").code == 0
    assert (tmp_path / "june.private" / "plan.json").read_text() == (
        tmp_path / "may.private" / "plan.json"
    ).read_text()
    (tmp_path / "bad.json").write_text("{")
    wrong = command("apply", tmp_path / "bad.json", tmp_path / "june.csv", "-o", tmp_path / "no")
    assert (wrong.code, wrong.is_one_sentence) == (2, True)
