"""Tables broken on purpose: each must be refused, for the right reason and with the right count."""

from __future__ import annotations

import json
import math
import re

import polars as pl
import pytest

from shoal.certify import Failure, Findings, verify
from shoal.errors import CertificateError, ParameterError, TableError
from shoal.policy import Policy
from tests.certify import releases


def found(findings: Findings, check: str, column: str | None = None) -> Failure:
    """The only failure of its kind."""
    chosen = [f for f in findings.failures if (f.check, f.column) == (check, column)]
    assert len(chosen) == 1, findings.failures
    assert not findings.holds
    return chosen[0]


def test_a_good_release_holds():
    findings = verify(releases.release(), releases.policy())
    assert findings.holds
    assert (findings.k, findings.rows, findings.groups) == (3, 12, 4)
    assert findings.l == {"diagnosis": 2}
    assert findings.require() is findings


def test_one_group_of_k_minus_1_is_refused():
    findings = verify(releases.release()[1:], releases.policy())
    failure = found(findings, "k-anonymity")
    assert (failure.groups, failure.records) == (1, 2)
    assert findings.k == 2
    with pytest.raises(CertificateError, match="1 of 4 groups"):
        findings.require()


def test_one_homogeneous_group_is_refused():
    frame = releases.release().with_columns(
        diagnosis=pl.when(pl.col("age") == "40").then(pl.lit("flu")).otherwise("diagnosis")
    )
    findings = verify(frame, releases.policy())
    failure = found(findings, "l-diversity", "diagnosis")
    assert (failure.groups, failure.records) == (1, 3)
    assert findings.l == {"diagnosis": 1}
    assert findings.touched(findings.claims[1]) == 3


def test_a_group_unlike_the_table_is_refused():
    findings = verify(releases.release(), releases.policy(closeness={"t": 0.24}))
    failure = found(findings, "t-closeness", "diagnosis")
    assert (failure.groups, failure.records) == (2, 6)
    assert findings.t == {"diagnosis": 0.25}


EVEN = ["flu", "flu", "cold", "cold", "flu", "cold"]
RARE = ["flu", "flu", "flu", "cold", "flu", "flu"]


@pytest.mark.parametrize(
    ("check", "values", "asked", "enough", "measured"),
    [
        ("alpha-anonymity", EVEN, {"alpha": 0.6}, {"alpha": 0.67}, 2 / 3),
        ("alpha-anonymity", EVEN, {"alpha": 0.6, "values": ["flu"]}, {"alpha": 0.67, "values": ["flu"]}, 2 / 3),
        ("alpha-anonymity", RARE, {"alpha": 0.9}, {"alpha": 0.4, "values": ["cold"]}, 1.0),
        ("beta-likeness", EVEN, {"beta": 0.3}, {"beta": 0.34}, 1 / 3),
        # flu: 5 of 6 become 3 of 3, a gain of 0.2, and -ln(5 / 6) is less; cold: 1 of 6 becomes 1 of 3, a gain of 1
        ("beta-likeness", RARE, {"beta": 1.1, "kind": "enhanced"}, {"beta": 1.1}, 1.1 * 0.2 / math.log(6 / 5)),
        ("delta-disclosure", EVEN, {"delta": math.log2(1.5)}, {"delta": 0.6}, math.log2(1.5)),
    ],
)
def test_a_value_too_frequent_in_a_group_is_refused(check, values, asked, enough, measured):
    frame = pl.DataFrame({"age": ["30"] * 3 + ["40"] * 3, "diagnosis": values})
    policy = {"k": 3, "columns": {"age": {"role": "quasi"}, "diagnosis": {"role": "sensitive"}}}
    refused = verify(frame, Policy.parse(policy | {"disclosure": asked}), form="generalize")
    assert found(refused, check, "diagnosis").groups >= 1
    assert [claim.measured for claim in refused.claims[1:]] == pytest.approx([measured])
    assert verify(frame, Policy.parse(policy | {"disclosure": enough}), form="generalize").holds


def test_a_group_that_lacks_a_value_discloses_whatever_delta():
    frame = pl.DataFrame({"age": ["30"] * 3 + ["40"] * 3, "diagnosis": ["flu", "flu", "flu", "cold", "flu", "cold"]})
    columns = {"age": {"role": "quasi"}, "diagnosis": {"role": "sensitive", "disclosure": {"delta": 99}}}
    failure = found(
        verify(frame, Policy.parse({"k": 3, "columns": columns}), form="generalize"), "delta-disclosure", "diagnosis"
    )
    assert (failure.groups, failure.records) == (1, 3)


def test_a_lone_null_is_a_group_of_one():
    """A null matches nothing but null: the row is alone although every other column agrees (pycanon passes this)."""
    frame = releases.release().with_columns(city=pl.when(pl.int_range(pl.len()) == 0).then(None).otherwise("city"))
    frame = frame.filter(~((pl.col("age") == "[20, 29]") & pl.col("city").is_null()) | (pl.int_range(pl.len()) == 0))
    findings = verify(frame, releases.policy(diversity=None, closeness=None))
    failure = found(findings, "k-anonymity")
    assert findings.k == 1
    assert (failure.groups, failure.records) == (2, 3)


def test_null_is_not_the_empty_text(tmp_path):
    frame = releases.release().with_columns(city=pl.col("city").fill_null(""))
    frame = pl.concat([frame, releases.release().filter(pl.col("city").is_null())[:1]])
    (tmp_path / "release.csv").write_text(frame.write_csv(quote_style="non_numeric"))
    findings = verify(tmp_path / "release.csv", releases.policy())
    assert findings.groups == 5
    assert found(findings, "k-anonymity").records == 1


@pytest.mark.parametrize("seed", range(5))
def test_a_shuffled_pandas_frame_counts_the_same(seed):
    """Its index is out of order, as after sample(); pycanon takes labels for positions and passes l = 1 as 2."""
    broken = releases.release().with_columns(
        diagnosis=pl.when(pl.col("age") == "40").then(pl.lit("flu")).otherwise("diagnosis")
    )
    shuffled = broken.to_pandas().sample(frac=1, random_state=seed)
    findings = verify(shuffled, releases.policy())
    assert findings.l == {"diagnosis": 1}
    assert found(findings, "l-diversity", "diagnosis").records == 3
    assert findings == verify(broken, releases.policy())


def test_an_identifier_left_in_is_refused():
    findings = verify(releases.release().with_columns(name=pl.lit("x")), releases.policy())
    assert found(findings, "columns", "name").records == 12


def test_an_unknown_column_is_refused():
    findings = verify(releases.release().with_row_index("row"), releases.policy())
    assert found(findings, "columns", "row").records == 12


@pytest.mark.parametrize("column", ["age", "diagnosis"])
def test_a_column_that_is_missing_is_refused(column):
    findings = verify(releases.release().drop(column), releases.policy())
    assert "not in the release" in found(findings, "columns", column).message


def test_a_column_of_role_other_may_be_left_out():
    assert verify(releases.release().drop("note"), releases.policy()).holds


def test_no_rows_are_refused():
    findings = verify(releases.release()[:0], releases.policy())
    assert "no rows" in found(findings, "file").message


# -- people ------------------------------------------------------------------------------------------------------


def test_people_are_counted_not_rows():
    frame, policy = releases.with_people()
    findings = verify(frame, policy)
    assert findings.holds
    assert (findings.k, findings.unit, findings.rows) == (4, "people", 11)
    assert findings.l == {"diagnosis": 2.0}
    one_person_less = frame.with_columns(person=pl.col("person").replace("4", "3"))
    findings = verify(one_person_less, policy)
    assert findings.k == 3
    assert found(findings, "k-anonymity").records == 11


@pytest.mark.parametrize("number", ["17", "0", "x", None])
def test_a_person_number_that_is_not_of_its_group_is_an_identifier(number):
    frame, policy = releases.with_people()
    frame[3, "person"] = number
    findings = verify(frame, policy)
    failure = found(findings, "person", "person")
    assert (failure.groups, failure.records) == (1, 6)


@pytest.mark.parametrize(("old", "new"), [("1", "0"), ("3", None), ("3", "x"), ("4", "5")])
def test_people_are_numbered_from_1_without_gaps(old, new):
    """As many numbers as people, and the largest is their number; yet one of them is none."""
    frame, policy = releases.with_people()
    changed = pl.when((pl.col("age") == "20") & (pl.col("person") == old)).then(pl.lit(new)).otherwise("person")
    failure = found(verify(frame.with_columns(person=changed), policy), "person", "person")
    assert (failure.groups, failure.records) == (1, 6)


def test_a_lost_person_column_is_refused():
    frame, policy = releases.with_people()
    assert found(verify(frame.drop("person"), policy), "columns", "person")


# -- centers -----------------------------------------------------------------------------------------------------


def test_centers_are_counted_by_their_people():
    frame, policy = releases.centers()
    findings = verify(frame, policy)
    assert findings.holds
    assert (findings.k, findings.rows, findings.l) == (3, 2, {"diagnosis": 2.0})


def test_too_few_people_around_a_center_are_refused():
    frame, policy = releases.centers()
    frame = frame.with_columns(people=pl.Series(["2", "3"]), diagnosis=pl.Series(["flu: 1; cold: 1", "a: 1; b: 2"]))
    failure = found(verify(frame, policy), "k-anonymity")
    assert (failure.groups, failure.records) == (1, 2)


@pytest.mark.parametrize("people", ["6", "4"])
def test_people_that_do_not_add_up_are_refused(people):
    frame, policy = releases.centers()
    frame[0, "people"] = people
    assert found(verify(frame, policy), "people", "diagnosis").groups == 1


@pytest.mark.parametrize("people", ["-5", "many", None])
def test_people_that_are_no_number_are_refused(people):
    frame, policy = releases.centers()
    frame[0, "people"] = people
    assert found(verify(frame, policy), "people", "people").groups == 1


@pytest.mark.parametrize(
    "cell", ["flu: 3; cold", "flu: 3;cold: 2", "flu: 2; flu: 3", "5", '"flu: 5', "flu: 0; cold: 5", "", None]
)
def test_a_broken_multiset_is_refused(cell):
    frame, policy = releases.centers()
    frame[0, "diagnosis"] = cell
    failure = found(verify(frame, policy), "people", "diagnosis")
    assert (failure.groups, failure.records) == (1, 5)


def test_a_row_by_row_release_is_not_taken_for_centers():
    """A stray column `people` must not turn rows into groups of their own."""
    frame = releases.release().with_columns(people=pl.lit("9"))
    assert found(verify(frame[:5], releases.policy()), "columns", "people")


# -- ranges in two columns ---------------------------------------------------------------------------------------


def test_a_range_may_stand_in_two_columns():
    frame = releases.release().with_columns(age_min=pl.col("age").str.slice(0, 3), age_max=pl.col("age")).drop("age")
    assert verify(frame, releases.policy(ranges="columns")).holds
    findings = verify(frame, releases.policy())
    assert {f.column for f in findings.failures} >= {"age", "age_min", "age_max"}
    split = frame.with_columns(age_max=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("9")).otherwise("age_max"))
    assert verify(split, releases.policy(ranges="columns")).k == 1


# -- files and certificates --------------------------------------------------------------------------------------


def test_a_file_with_its_certificate_holds(tmp_path):
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    findings = verify(path)
    assert findings.holds
    assert findings.sha256
    assert verify(path, tmp_path / "certificate.json").holds
    assert verify(path, releases.policy()).holds


@pytest.mark.parametrize("lost", [1, 5, 20])
def test_a_truncated_file_is_refused(tmp_path, lost):
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    path.write_bytes(path.read_bytes()[:-lost])
    (tmp_path / "certificate.json").unlink()
    assert found(verify(path, releases.policy()), "file")


def test_a_file_truncated_at_a_line_end_is_refused_by_its_certificate(tmp_path):
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-3]))
    messages = [f.message for f in verify(path).failures if f.check == "certificate"]
    assert any("SHA-256" in message for message in messages)
    assert any("12 rows; the file has 9" in message for message in messages)


def test_an_open_quote_is_refused(tmp_path):
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    path.write_bytes(path.read_bytes().replace(b'"[30, 39]"', b'"[30, 39]', 1))
    (tmp_path / "certificate.json").unlink()
    assert found(verify(path, releases.policy()), "file")


def test_a_changed_byte_is_refused(tmp_path):
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    path.write_bytes(path.read_bytes().replace(b"\n40,B,flu,9\n", b"\n40,B,flu,8\n"))
    assert "SHA-256" in found(verify(path), "certificate").message


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"claimed": 2}, "do not agree on k-anonymity"),
        ({"measured": 5}, "says 5 for k-anonymity; the file has 3"),
    ],
)
def test_a_certificate_that_says_another_k_is_refused(tmp_path, change, said):
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    file = tmp_path / "certificate.json"
    certificate = json.loads(file.read_text())
    certificate["claims"][0] |= change
    file.write_text(json.dumps(certificate))
    assert said in found(verify(path), "certificate").message


def test_a_certificate_that_leaves_out_a_claim_of_its_policy_is_refused(tmp_path):
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    file = tmp_path / "certificate.json"
    certificate = json.loads(file.read_text())
    del certificate["claims"][1]
    file.write_text(json.dumps(certificate))
    assert "l-diversity of diagnosis" in found(verify(path), "certificate", "diagnosis").message


def test_a_policy_that_asks_for_more_than_the_certificate_is_held_too(tmp_path):
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    findings = verify(path, releases.policy(k=4))
    assert [f.check for f in findings.failures] == ["k-anonymity"]


def test_a_damaged_certificate_is_refused(tmp_path):
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    (tmp_path / "certificate.json").write_text("{")
    assert found(verify(path, releases.policy()), "certificate")
    with pytest.raises(ParameterError, match="damaged"):
        verify(path)


def test_centers_are_known_from_their_certificate(tmp_path):
    frame, policy = releases.centers()
    path, _ = releases.written(tmp_path, frame, policy, "centers")
    assert verify(path).holds


def test_wrong_calls_are_not_failures(tmp_path):
    with pytest.raises(TableError, match="no file"):
        verify(tmp_path / "absent.csv", releases.policy())
    with pytest.raises(ParameterError, match="no policy"):
        verify(releases.release())
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    with pytest.raises(ParameterError):
        verify(path, tmp_path / "absent.toml")


def test_a_policy_file_will_do(tmp_path):
    (tmp_path / "out").mkdir()
    path, _ = releases.written(tmp_path / "out", releases.release(), releases.policy())
    (tmp_path / "policy.toml").write_text(releases.policy().dumps())
    assert verify(path, tmp_path / "policy.toml").holds
    assert verify(str(path), str(tmp_path / "policy.toml")) == verify(path)


def test_failures_show_no_values():
    frame = releases.release()[1:].with_columns(
        name=pl.lit("secret"), diagnosis=pl.lit("secret"), city=pl.lit("secret")
    )
    findings = verify(frame, releases.policy(k=4))
    assert {f.check for f in findings.failures} == {"columns", "k-anonymity", "l-diversity"}
    assert "secret" not in str(findings) + json.dumps(findings.to_dict()) + findings._repr_html_()


def test_bins_and_orders_that_do_not_fit_are_refused():
    columns = releases.ROLES | {"diagnosis": {"role": "sensitive", "bins": [1.0]}}
    failure = found(verify(releases.release(), releases.policy(columns=columns)), "columns", "diagnosis")
    assert (failure.groups, failure.records) == (4, 12)
    columns = releases.ROLES | {"diagnosis": {"role": "sensitive", "order": ["flu", "fever"]}}
    assert found(verify(releases.release(), releases.policy(columns=columns)), "columns", "diagnosis").groups == 4


def test_values_that_a_hierarchy_does_not_know_are_refused(tmp_path):
    (tmp_path / "h.csv").write_text("flu;lung\ncold;lung\n")
    close = {"t": 0.9, "distance": "hierarchical"}
    for hierarchy, expected, n_groups in [
        (str(tmp_path / "h.csv"), r"1 values that are not in its hierarchy h\.csv", 1),
        ({"widths": [5]}, "3 values that are not a number", 4),
        ({"periods": ["year", "week"]}, "3 values that are not a date", 4),
    ]:
        columns = releases.ROLES | {"diagnosis": {"role": "sensitive", "hierarchy": hierarchy, "closeness": close}}
        frame = releases.release().with_columns(
            diagnosis=pl.when(pl.col("note") == "0").then(pl.lit("other")).otherwise("diagnosis")
        )
        failure = found(verify(frame, releases.policy(columns=columns)), "columns", "diagnosis")
        assert re.search(expected, failure.message)
        assert failure.groups == n_groups


def test_parquet_is_read_like_csv(tmp_path):
    releases.release().write_parquet(tmp_path / "release.parquet")
    assert verify(tmp_path / "release.parquet", releases.policy()).groups == 4
    data = (tmp_path / "release.parquet").read_bytes()
    (tmp_path / "release.parquet").write_bytes(data[:-10])
    assert found(verify(tmp_path / "release.parquet", releases.policy()), "file")


def test_settings_will_do_as_a_policy():
    settings = {"k": 3, "columns": releases.ROLES}
    assert verify(releases.release(), settings) == verify(releases.release(), Policy.parse(settings))
