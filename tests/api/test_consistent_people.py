"""People who are published alike in all their rows: groups, numbers, pseudonyms, and what the verifier finds."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError, SchemaError, ShoalError
from shoal.policy import Policy
from tests.cli.running import shoal as run

SECRET = bytes(range(32))
ASKED = {"k": 4, "quasi": ["age", "ward"], "sensitive": "illness", "person": "who", "consistent": True, "effort": 1}


def visits(n_people: int, seed: int) -> pl.DataFrame:
    """People with one to five visits, who grow older and move between them."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n_people), rng.integers(1, 6, n_people))
    rng.shuffle(who)
    age = rng.integers(20, 80, n_people)[who] + rng.integers(0, 3, len(who))
    wards = np.array(["a", "b", "c"])
    ward = np.where(rng.random(len(who)) < 0.8, wards[who % 3], wards[rng.integers(0, 3, len(who))])
    ill = np.array(["flu", "gout", "mumps", "acne"])[rng.integers(0, 4, len(who))]
    return pl.DataFrame({"who": [f"patient-{one:05d}" for one in who], "age": age, "ward": ward, "illness": ill})


FORMS = [
    {"publication": "generalize"},
    {"publication": "suppress"},
    {"publication": "aggregate"},
    {"publication": "generalize", "l": 2, "t": 0.6},
    {"publication": "generalize", "max_suppressed": 0.1, "method": "mondrian"},
    {"publication": "generalize", "max_suppressed": 0.2, "l": 2},
    {"publication": "generalize", "classes": "ward"},
]


@pytest.mark.parametrize("form", FORMS)
def test_all_rows_of_a_person_are_published_alike_under_one_number(form: dict) -> None:
    table = visits(60, 3)
    release = shoal.anonymize(table, secret=SECRET, **ASKED, **form)
    released, rows = release.table, release.order[release.published.rows]
    own = table[rows.tolist()]["who"]
    cells = [name for name in released.columns if name not in ("who", "illness")]
    by_person = released.select(cells).with_columns(true=own).group_by("true").agg(pl.struct(cells).n_unique())
    assert by_person.select(pl.exclude("true")).max().row(0) == (1,)
    named = pl.DataFrame({"number": released["who"], "true": own}).unique()
    assert named["number"].n_unique() == named["true"].n_unique() == named.height
    assert sorted(named["number"]) == list(range(1, named.height + 1))
    people = released.group_by(cells).agg(pl.col("who").n_unique())["who"]
    assert people.min() >= 4
    assert own.n_unique() == table.filter(pl.col("who").is_in(own.implode()))["who"].n_unique()
    assert len(own) == table.filter(pl.col("who").is_in(own.implode())).height  # nobody is left out in part
    assert len(table) - len(own) <= form.get("max_suppressed", 0) * len(table)
    claims = {claim.criterion: claim for claim in release.certificate.claims}
    assert claims["consistent-people"].measured == claims["consistent-people"].claimed == 1
    assert release.certificate.ratio_proved is None
    assert release.certificate.lower_bound == 0


def test_centers_count_people_of_whole_persons() -> None:
    table = visits(60, 3)
    release = shoal.anonymize(table, **{**ASKED, "quasi": "age"}, other="ward", publication="centers")
    assert release.table["people"].sum() == 60
    assert "consistent-people" not in {claim.criterion for claim in release.certificate.claims}


def test_readmissions_can_be_computed() -> None:
    table = visits(80, 5)
    release = shoal.anonymize(table, **ASKED)
    before, after = (sorted(one["who"].value_counts()["count"]) for one in (table, release.table))
    assert before == after


def test_names_and_the_order_of_rows_change_nothing() -> None:
    table = visits(60, 7)
    mixed = table[np.random.default_rng(1).permutation(len(table))]
    swap = {name: f"other-{place:04d}" for place, name in enumerate(sorted(set(table["who"]), reverse=True))}
    renamed = table.with_columns(pl.col("who").replace_strict(swap))
    one, two, three = (shoal.anonymize(t, secret=SECRET, **ASKED).table for t in (table, mixed, renamed))
    assert one.equals(two)
    assert one.select("age", "ward").equals(three.select("age", "ward"))


@pytest.mark.parametrize("pseudonym", [False, True])
def test_a_person_in_two_groups_or_with_a_name_of_their_own_is_found(pseudonym: bool, tmp_path: Path) -> None:
    release = shoal.anonymize(visits(60, 3), pseudonym=pseudonym, publication="generalize", secret=SECRET, **ASKED)
    policy = release.certificate.public_policy()
    assert shoal.verify(release.table, policy).holds
    frame = release.table.with_row_index("row")
    first = frame.row(0, named=True)
    other = frame.filter(pl.col("age") != first["age"]).row(0, named=True)

    def forged(name: object) -> shoal.Findings:
        cells = [name if row == first["row"] else cell for row, cell in enumerate(release.table["who"])]
        return shoal.verify(release.table.with_columns(pl.Series("who", cells, dtype=frame["who"].dtype)), policy)

    assert "consistent-people" in {failure.check for failure in forged(other["who"]).failures}
    found = forged("patient-00001" if pseudonym else 4_711)
    assert "person" in {failure.check for failure in found.failures}
    release.write(tmp_path / "out")
    stated = json.loads((tmp_path / "out" / "certificate.json").read_text())
    stated["claims"] = [claim for claim in stated["claims"] if claim["criterion"] != "consistent-people"]
    (tmp_path / "out" / "certificate.json").write_text(json.dumps(stated))
    assert not shoal.verify(tmp_path / "out").holds
    assert (tmp_path / "out.private" / "plan.json").exists()


def test_pseudonyms_are_the_same_in_tables_of_one_secret_and_tell_no_name(tmp_path: Path) -> None:
    first, second = visits(60, 3), visits(50, 9)
    one = shoal.anonymize(first, pseudonym=True, secret=SECRET, **ASKED)
    two = shoal.anonymize(second, pseudonym=True, secret=SECRET, **ASKED)
    other = shoal.anonymize(first, pseudonym=True, **ASKED)
    of = [
        dict(zip(table[release.order[release.published.rows].tolist()]["who"], release.table["who"], strict=True))
        for table, release in ((first, one), (second, two), (first, other))
    ]
    assert all(of[0][name] == of[1][name] for name in of[1])
    assert not set(of[0].values()) & set(of[2].values())
    assert all(re.fullmatch(r"[0-9a-f]{20}", name) for name in of[0].values())
    one.write(tmp_path / "out")
    public = b"".join(file.read_bytes() for file in (tmp_path / "out").iterdir())
    assert b"patient-" not in public
    assert SECRET.hex().encode() not in public


def test_what_cannot_keep_people_together_is_refused_in_one_sentence() -> None:
    table = visits(60, 3)
    with pytest.raises(ParameterError, match="recodes whole columns"):
        shoal.anonymize(table, method="full-domain", **ASKED)
    plan = shoal.anonymize(table, **{**ASKED, "consistent": False, "method": "full-domain"}).plan
    changed = json.loads(plan.dumps())
    changed["policy"]["columns"]["who"]["consistent"] = True
    with pytest.raises(ParameterError, match="this plan recodes whole columns"):
        shoal.apply(changed, table)
    with pytest.raises(ParameterError, match="in a sequence every person has one row"):
        shoal.anonymize(table.unique("who"), link="who", **ASKED)
    with pytest.raises(ParameterError, match="pseudonym belongs to a person column with consistent"):
        Policy.parse({"columns": {"who": {"role": "person", "pseudonym": True}}})
    with pytest.raises(ParameterError, match="consistent belongs to the column of the person"):
        Policy.parse({"columns": {"who": {"role": "identifier", "consistent": True}}})
    with pytest.raises(SchemaError, match="there is none"):
        shoal.anonymize(table.drop("who"), quasi="age", sensitive=["ward", "illness"], consistent=True)
    with pytest.raises(ShoalError):
        shoal.anonymize(visits(3, 1), **ASKED)


def test_compare_and_the_command_know_it(tmp_path: Path) -> None:
    table = visits(60, 3)
    settings = {name: value for name, value in ASKED.items() if name != "k"}
    loose = shoal.compare(table, k=[4], **{**settings, "consistent": False}).trials[0]
    tight = shoal.compare(table, k=[4], **settings).trials[0]
    assert tight.loss >= loose.loss
    table.write_csv(tmp_path / "t.csv")
    done = run(
        "anonymize", tmp_path / "t.csv", "-o", tmp_path / "out", "--k", "4", "--quasi", "age,ward", "--sensitive",
        "illness", "--person", "who", "--consistent", "--pseudonym", "--effort", "1",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "All rows of one who are published alike" in " ".join(done.out.split())
    assert run("verify", tmp_path / "out").code == 0


def test_requirements_are_met_by_all_rows_and_not_only_by_those_that_groups_were_made_of() -> None:
    """Two rows of every person say nothing, and the third tells the decade of their birth."""
    age = np.repeat(np.arange(20, 80), 3)
    told = [f"born in the {one // 10}0s" if row % 3 == 2 else "none" for row, one in enumerate(age)]
    table = pl.DataFrame({"who": np.repeat(np.arange(60), 3), "age": age, "told": told})
    asked = {"k": 4, "quasi": "age", "sensitive": "told", "person": "who", "consistent": True, "effort": 1}
    loose = shoal.anonymize(table, publication="generalize", **asked)
    tight = shoal.anonymize(table, publication="generalize", t=0.2, **asked)
    assert tight.findings.t["told"] <= 0.2 < loose.findings.t["told"]
    assert tight.certificate.n_groups < loose.certificate.n_groups
