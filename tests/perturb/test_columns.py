"""Perturbed columns of a release: what is kept, what is told, what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.certify.perturbed import check_perturbed
from shoal.errors import CertificateError, ParameterError, SchemaError
from shoal.perturb import columns as perturbing
from shoal.policy import Policy
from tests.fixed_secret import SECRET

NOISE = {"method": "noise", "spread": 0.4}
SWAP = {"method": "rank-swap", "window": 0.1}
PRAM = {"method": "pram", "keep": 0.7}


def people(n: int = 120, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    pay = np.round(rng.lognormal(8, 0.4, n), 2)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 80, n),
            "sex": rng.choice(["f", "m"], n),
            "pay": pay,
            "bonus": np.round(pay * 0.1 + rng.normal(0, 20, n), 2),
            "days": pl.Series(rng.integers(0, 30, n)).cast(pl.Float64).cast(pl.Int64),
            "job": rng.choice(["nurse", "cook", "clerk", "smith"], n, p=[0.5, 0.3, 0.15, 0.05]),
        }
    )


def policy(**perturb: dict) -> dict:
    columns = {name: {"role": "quasi"} for name in ("age", "sex")}
    columns |= {name: {"role": "other", "publish_rare": True} for name in ("pay", "bonus", "days", "job")}
    for name, asked in perturb.items():
        columns[name] = columns[name] | {"perturb": asked}
    return {"k": 5, "method": "mondrian", "publication": "generalize", "columns": columns}


def released(table: pl.DataFrame, asked: dict, **more: object) -> shoal.Release:
    return shoal.anonymize(table, asked, secret=SECRET, **more)


ALL = {"pay": NOISE | {"group": "money"}, "bonus": NOISE | {"group": "money"}, "days": SWAP, "job": PRAM}


def in_order(release: shoal.Release, table: pl.DataFrame) -> pl.DataFrame:
    """The released rows beside the original ones."""
    return table[release.order[release.published.rows]]


def test_what_each_method_keeps_is_kept() -> None:
    table = people().with_columns(pl.when(pl.col("age") > 25).then(pl.col("days")).alias("days"))
    release = released(table, policy(**ALL))
    after, before = release.table, in_order(release, table)
    for name in ("pay", "bonus"):
        assert after[name].mean() == pytest.approx(table[name].mean(), rel=1e-9)
        assert after[name].std() == pytest.approx(table[name].std(), rel=1e-9)
        assert (after[name] != before[name]).all()
    together = [np.cov(frame["pay"], frame["bonus"])[0, 1] for frame in (before, after)]
    assert together[1] == pytest.approx(together[0], rel=1e-9)
    assert sorted(after["days"].drop_nulls()) == sorted(table["days"].drop_nulls())
    assert after["days"].is_null().equals(before["days"].is_null())
    assert (after["days"] != before["days"]).sum() > 0
    assert set(after["job"]) <= set(table["job"])
    assert 0.7 * 120 - 5 * 5 < (after["job"] == before["job"]).sum() < 120


def test_rows_in_another_order_and_the_same_secret_give_the_same_values_and_the_seed_alone_does_not() -> None:
    one = released(people(), policy(**ALL)).table
    shuffled = people().sample(fraction=1.0, shuffle=True, seed=4)
    assert released(shuffled, policy(**ALL)).table.equals(one)
    again = [shoal.anonymize(people(), policy(**ALL), seed=3).table.sort(pl.all()) for _ in range(2)]
    assert not again[0].equals(again[1])


def test_expected_frequencies_are_kept_over_many_secrets() -> None:
    """Of 120 rows, 400 releases: each count is a sum of independent draws, so its mean is within 5 standard errors.

    A count of n t rows has a variance below n t. The variance itself is that of independent draws.
    """
    table, asked = people(), Policy.parse(policy(job=PRAM))
    rows, seen = np.arange(120), []
    for number in range(400):
        secret = replace(SECRET, key=number.to_bytes(32, "big"))
        seen.append(perturbing.perturbed(table, table, asked, rows, secret)["job"].value_counts())
    total = pl.concat(seen).group_by("job").agg(pl.col("count").sum())
    for job, count in total.iter_rows():
        before = (table["job"] == job).sum()
        each = [dict(one.iter_rows()).get(job, 0) for one in seen]
        assert np.var(each) == pytest.approx(variance(before / 120, 120, 0.7), rel=0.3)
        assert abs(count / 400 - before) < 5 * (before / 400) ** 0.5


def variance(share: float, n: int, keep: float) -> float:
    """Of a count after PRAM: the sum of n independent indicators, of those who had the value and of the others."""
    had, had_not = keep + (1 - keep) * share, (1 - keep) * share
    return n * (share * had * (1 - had) + (1 - share) * had_not * (1 - had_not))


def test_strata_keep_their_values_to_themselves() -> None:
    table = people().with_columns(job=pl.when(pl.col("sex") == "f").then(pl.lit("a")).otherwise(pl.lit("b")))
    asked = policy(job={"method": "pram", "keep": 0.1, "within": "sex"})
    release = released(table, asked)
    before = in_order(release, table)
    assert release.table["job"].equals(before["job"])
    assert not released(table, policy(job={"method": "pram", "keep": 0.1})).table["job"].equals(before["job"])


def test_durations_can_be_perturbed_too() -> None:
    table = people().with_columns(job=pl.duration(hours=pl.col("days")))
    release = released(table, policy(job=PRAM, days=SWAP))
    assert release.table["job"].dtype == pl.Duration
    assert set(release.table["job"]) <= set(table["job"])


def test_values_of_rows_that_are_left_out_are_not_published() -> None:
    """A value of a suppressed row is in no draw."""
    table = pl.concat([people(100), people(1, seed=9).with_columns(age=pl.lit(5000, pl.Int64), job=pl.lit("spy"))])
    asked = policy(job={"method": "pram", "keep": 0.01}, pay=SWAP) | {"max_suppressed": 0.05, "method": "auto"}
    release = released(table, asked)
    assert release.partition.n_suppressed
    assert "spy" not in release.table["job"].to_list()
    kept = in_order(release, table)
    assert sorted(release.table["pay"]) == sorted(kept["pay"])


def test_a_persons_equal_values_are_changed_alike() -> None:
    """Otherwise the most frequent, or the mean, of ten rows would show the true value."""
    one = people(60).with_columns(who=pl.int_range(60))
    table = pl.concat([one] * 4)
    asked = policy(job={"method": "pram", "keep": 0.3}, pay=NOISE)
    asked["columns"]["who"] = {"role": "person"}
    release = released(table, asked)
    after = release.table.with_columns(person=in_order(release, table)["who"])
    each = after.group_by("person").agg(pl.col("job").n_unique(), pl.col("pay").n_unique())
    assert each["job"].max() == each["pay"].max() == 1
    assert after["pay"].mean() == pytest.approx(table["pay"].mean(), rel=1e-9)
    asked["columns"]["pay"]["perturb"] = SWAP
    with pytest.raises(SchemaError, match="several rows"):
        released(table, asked)


@pytest.mark.parametrize(
    ("perturb", "match"),
    [
        ({"pay": {"method": "rank-swap", "window": 0.01}}, "fewer than k - 1"),
        ({"job": SWAP}, "has no order"),
        ({"job": NOISE}, "not a column of numbers"),
        ({"job": PRAM | {"within": "age"}}, "strata of age"),
    ],
)
def test_what_would_change_nothing_or_cannot_be_done_is_refused_in_one_sentence(perturb, match) -> None:
    with pytest.raises(SchemaError, match=match) as refused:
        released(people(), policy(**perturb))
    assert refused.value.hint


def test_means_of_few_rows_are_not_kept_but_refused() -> None:
    with pytest.raises(SchemaError, match="12 rows have just these values"):
        released(people(12), policy(pay=NOISE))
    table = people().with_columns(bonus=pl.when(pl.int_range(120) > 3).then(pl.col("bonus")))
    with pytest.raises(SchemaError, match="4 rows have just these values"):
        released(table, policy(pay=NOISE | {"group": "m"}, bonus=NOISE | {"group": "m"}))
    assert released(table, policy(pay=NOISE, bonus=NOISE)).findings.holds


def test_patterns_of_missing_cells_keep_means_and_covariances() -> None:
    table = people(160).with_columns(bonus=pl.when(pl.int_range(160) > 50).then(pl.col("bonus")))
    release = released(table, policy(pay=NOISE | {"group": "m"}, bonus=NOISE | {"group": "m"}))
    after, before = release.table, in_order(release, table)
    for name in ("pay", "bonus"):
        assert after[name].mean() == pytest.approx(before[name].mean(), rel=1e-9)
    both = before["bonus"].is_not_null()
    pairs = [np.cov(frame["pay"].filter(both), frame["bonus"].filter(both))[0, 1] for frame in (before, after)]
    assert pairs[1] == pytest.approx(pairs[0], rel=1e-9)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"columns": {"age": {"role": "quasi", "perturb": PRAM}}}, "sensitive column or one with the role other"),
        ({"columns": {"x": {"role": "sensitive", "diversity": {"l": 2}, "perturb": PRAM}}}, "true values"),
        ({"diversity": {"l": 2}, "columns": {"x": {"role": "sensitive", "perturb": PRAM}}}, "true values"),
        ({"columns": {"x": {"role": "other", "kind": "set", "perturb": PRAM}}}, "does not belong to kind"),
        ({"columns": {"x": {"role": "other", "perturb": {"method": "pram"}}}}, "needs keep"),
        ({"columns": {"x": {"role": "other", "perturb": PRAM | {"window": 0.1}}}}, "does not belong"),
        ({"columns": {"x": {"role": "other", "perturb": PRAM | {"within": "x"}}}}, "not another column"),
        ({"columns": {"x": {"role": "other", "perturb": PRAM | {"within": "id"}}}}, "not another column"),
        ({"columns": {"x": {"role": "other", "top": 5.0, "perturb": NOISE}}}, "not recoded otherwise"),
        (
            {
                "columns": {
                    "x": {"role": "other", "perturb": NOISE | {"group": "g"}},
                    "y": {"role": "other", "perturb": {"method": "noise", "spread": 1.0, "group": "g"}},
                }
            },
            "same spread",
        ),
    ],
)
def test_policies_that_contradict_themselves_are_refused_in_one_sentence(changes: dict, match: str) -> None:
    columns = {"id": {"role": "identifier"}, "age": {"role": "quasi"}} | changes["columns"]
    with pytest.raises((ParameterError, SchemaError), match=match):
        Policy.parse(changes | {"columns": columns})


def test_a_sequence_is_refused_in_one_sentence() -> None:
    asked = policy(job=PRAM) | {"method": "forest"}
    asked["columns"]["who"] = {"role": "identifier"}
    with pytest.raises(ParameterError, match="in a sequence every release would draw anew"):
        released(people().with_columns(who=pl.int_range(120)), asked, link="who")


def test_a_policy_with_perturbation_is_written_and_read_again() -> None:
    asked = Policy.parse(policy(**ALL))
    assert Policy.loads(asked.dumps()) == asked
    assert 'perturb = { method = "rank-swap", window = 0.1 }' in asked.dumps()


@pytest.mark.parametrize("publication", ["generalize", "aggregate", "centers", "suppress"])
def test_the_public_folder_says_which_values_are_not_true_and_by_what_process(
    publication: str, tmp_path: Path
) -> None:
    asked = policy(**ALL) | {
        "publication": publication,
        "method": "auto" if publication != "generalize" else "mondrian",
    }
    released(people(), asked).write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    certificate = shoal.Certificate.from_json((tmp_path / "out" / "certificate.json").read_text())
    columns = certificate.policy["columns"]
    assert columns["job"]["perturb"] == {"method": "pram", "keep": 0.7}
    assert columns["pay"]["perturb"]["group"] == "1"  # the name of a group says nothing
    assert {claim.criterion for claim in certificate.claims} == {"k-anonymity"}
    assert "not true ones, and no part of any claim: bonus (noise)" in str(certificate)
    fields = json.loads((tmp_path / "out" / "datapackage.json").read_text())["resources"][0]["schema"]["fields"]
    told = {field["name"]: field["description"] for field in fields}
    assert "kept with probability 0.7" in told["job"]
    assert "at most 0.1 of all rows apart" in told["days"]
    assert "0.4 times the standard deviation" in told["pay"]
    assert not any("as it was" in told[name] for name in ALL)
    assert "perturbed" in (tmp_path / "out" / "codebook.html").read_text()
    everything = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    assert b"money" not in everything


def test_a_forged_certificate_that_requires_l_of_a_perturbed_column_is_refused(tmp_path: Path) -> None:
    released(people(), policy(**ALL)).write(tmp_path / "out")
    found = json.loads((tmp_path / "out" / "certificate.json").read_text())
    found["policy"]["columns"]["job"] |= {"role": "sensitive", "diversity": {"l": 2.0}}
    (tmp_path / "out" / "certificate.json").write_text(json.dumps(found))
    with pytest.raises(ParameterError, match="policy"):
        shoal.verify(tmp_path / "out")


def test_the_report_says_how_far_statistics_moved() -> None:
    release = released(people(), policy(**ALL | {"job": {"method": "pram", "keep": 0.2}}))
    moved = {one.name: one for one in release.loss.perturbed}
    assert moved["pay"].mean_after == pytest.approx(moved["pay"].mean_before, rel=1e-9)
    assert moved["pay"].changed == moved["pay"].cells == 120
    assert moved["days"].frequencies == 0
    assert moved["job"].frequencies > 0
    assert moved["job"].mean_before is None
    assert moved["days"].correlation > 0
    text = str(release)
    html = release.to_html()
    assert "pram: keep = 0.2" in html
    assert "k, l and t say nothing about them" in html
    assert "perturbed" in text


def test_the_next_table_of_a_plan_is_perturbed_by_its_own_statistics() -> None:
    release = released(people(), policy(**ALL))
    june = shoal.apply(release.plan, people(120, seed=2), max_suppressed=0.9)
    kept = people(120, seed=2)[june.order[june.published.rows]]
    assert june.table["pay"].mean() == pytest.approx(kept["pay"].mean(), rel=1e-9)
    assert june.certificate.policy["columns"]["pay"]["perturb"]["spread"] == 0.4


def test_cells_keep_the_text_that_was_read_where_values_are_exchanged(tmp_path: Path) -> None:
    lines = "".join(f"{20 + i % 9};{i % 7},50;00{i % 5}\n" for i in range(60))
    (tmp_path / "in.csv").write_text("age;price;grade\n" + lines)
    columns = {
        "age": {"role": "quasi"},
        "price": {"role": "other", "perturb": {"method": "rank-swap", "window": 0.2}},
        "grade": {"role": "other", "perturb": {"method": "pram", "keep": 0.5}},
    }
    release = shoal.anonymize(tmp_path / "in.csv", {"k": 3, "method": "mondrian", "columns": columns})
    release.write(tmp_path / "out")
    cells = [
        line.split(";")[-2:]
        for line in (tmp_path / "out" / "release.csv").read_text().replace('"', "").splitlines()[1:]
    ]
    before = [line.split(";")[-2:] for line in lines.splitlines()]
    assert sorted(price for price, _ in cells) == sorted(price for price, _ in before)
    assert {grade for _, grade in cells} <= {grade for _, grade in before}


def test_noise_is_written_in_the_format_of_the_column(tmp_path: Path) -> None:
    lines = "".join(f"{20 + i % 9};{1000 + 37 * i % 900},5 EUR\n" for i in range(60))
    (tmp_path / "in.csv").write_text("age;pay\n" + lines)
    number = {"decimal": ",", "suffix": " EUR"}
    asked = {"role": "other", "number": number, "perturb": NOISE | {"decimals": 1}}
    columns = {"age": {"role": "quasi"}, "pay": asked}
    release = shoal.anonymize(tmp_path / "in.csv", {"k": 3, "method": "mondrian", "columns": columns})
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    first = (tmp_path / "out" / "release.csv").read_text().splitlines()[1].split(";")[-1].strip('"')
    assert first.endswith(" EUR")
    assert "," in first


@pytest.mark.parametrize("name", ["pay", "days", "job"])
def test_values_that_do_not_keep_what_they_should_are_not_released(name: str, monkeypatch) -> None:
    true = perturbing.perturbed

    def broken(frame, as_read, asked, rows, secret):
        found = true(frame, as_read, asked, rows, secret)
        other = found[name].to_list()
        other[int(rows[0])] = "spy" if name == "job" else 77_777
        return found.with_columns(pl.Series(name, other, dtype=found[name].dtype))

    monkeypatch.setattr("shoal.pipeline.publication.perturbed", broken)
    with pytest.raises(CertificateError, match=f"column {name}, which is perturbed"):
        released(people(), policy(**ALL))


def test_the_check_finds_a_covariance_that_has_moved() -> None:
    table = people(60)
    asked = Policy.parse(policy(pay=NOISE | {"group": "m"}, bonus=NOISE | {"group": "m"}))
    assert not check_perturbed(table, table, asked)
    mixed = table.with_columns(pl.col("bonus").reverse())
    assert [failure.message for failure in check_perturbed(table, mixed, asked)] == [
        "column pay, which is perturbed, does not keep its covariance with bonus"
    ]
    shifted = table.with_columns(pl.col("pay") + 1)
    assert "mean" in check_perturbed(table, shifted, asked)[0].message
