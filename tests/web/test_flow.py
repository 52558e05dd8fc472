"""The whole way from a table to a release, and that what the pages show is what the API finds."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.report.pdf import pdf_browser
from shoal.web.open_table import OpenTable
from tests.web.conftest import SMALL
from tests.web.steward import Steward, words


def unpacked(content: bytes, folder: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)


def test_the_release_of_the_pages_is_the_one_that_its_command_and_its_code_make(
    steward: Steward, small: OpenTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steward.answer_all(small)
    steward.part(f"/t/{small.id}/privacy", {"k": "4", "suppressed": "10"})
    run = steward.release(small)
    at = f"/t/{small.id}"
    page = words(steward.get(f"{at}/result").text)
    assert "Every group has at least 4 records" in page

    unpacked(steward.get(f"{at}/runs/1/public-csv.zip").content, tmp_path)
    unpacked(steward.get(f"{at}/runs/1/private.zip").content, tmp_path)
    (tmp_path / "people.csv").write_text(SMALL)
    monkeypatch.chdir(tmp_path)
    found = shoal.verify("release")
    assert found.holds
    assert found.k == run.result["numbers"]["k"]
    report = steward.get(f"{at}/report").text
    code = re.search(r"<pre tabindex=\"0\">(import shoal.*?)</pre>", report, re.S)
    assert code is not None
    import html

    exec(html.unescape(code[1]), {})
    assert (tmp_path / "again" / "release.csv").read_bytes() == (tmp_path / "release" / "release.csv").read_bytes()
    command = re.search(r"<pre tabindex=\"0\">(shoal anonymize.*?)</pre>", report, re.S)
    assert command is not None
    assert html.unescape(command[1]).split() == [
        "shoal",
        "anonymize",
        "people.csv",
        "--policy",
        "release.private/policy.toml",
        "\\",
        "--secret",
        "release.private/secret.key",
        "--format",
        "csv",
        "--out",
        "again",
    ]


def test_the_numbers_shown_are_those_of_the_api(steward: Steward, small: OpenTable, tmp_path: Path) -> None:
    steward.answer_all(small)
    run = steward.release(small)
    (tmp_path / "people.csv").write_text(SMALL)
    secret = run.folder / "csv.private" / "secret.key"
    policy = shoal.Policy.parse(small.settings)
    release = shoal.anonymize(tmp_path / "people.csv", policy, secret=secret)
    numbers = run.result["numbers"]
    assert numbers["information"] == release.loss.information
    assert numbers["groups"] == release.partition.n_groups
    assert numbers["ratio_seen"] == release.facts.ratio_seen
    assert numbers["risk_before"] == release.risk.before.prosecutor_max
    for one in release.loss.columns:
        shown = numbers["columns"][one.name]
        assert (shown["information"], shown["ncp"], shown["exact"]) == (one.information, one.ncp, one.exact)
    assert set(numbers["columns"]) == {one.name for one in release.loss.columns}


def test_every_format_is_verified_and_says_the_same(steward: Steward, small: OpenTable, tmp_path: Path) -> None:
    steward.answer_all(small)
    steward.release(small)
    tables = {}
    for format in ("csv", "xlsx", "parquet"):
        answer = steward.get(f"/t/{small.id}/runs/1/public-{format}.zip")
        assert "attachment" in answer.headers["content-disposition"]
        unpacked(answer.content, tmp_path / format)
        assert shoal.verify(tmp_path / format / "release").holds
        tables[format] = shoal.read_release(tmp_path / format / "release").sort(pl.all())
    assert tables["csv"].equals(tables["xlsx"])
    assert tables["csv"].equals(tables["parquet"])


def test_before_and_after_are_rows_of_the_same_person_and_groups_look_alike(
    steward: Steward, small: OpenTable
) -> None:
    steward.answer_all(small)
    run = steward.release(small)
    pairs = pl.read_parquet(run.rows)
    assert pairs.height == 60
    assert pairs["before:illness"].equals(pairs["after:illness"].rename("before:illness"))
    assert sorted(pairs["before:name"].to_list()) == sorted(f"Person {row}" for row in range(60))
    for age, shown in pairs.select("before:age", "after:age").rows():
        low, high = re.findall(r"\d+", shown)[:2] if "[" in shown else (shown, shown)
        assert int(low) <= int(age) <= int(high)
    alike = pairs.group_by("group").agg(pl.col("after:age", "after:sex").n_unique(), size=pl.len())
    assert alike["after:age"].max() == alike["after:sex"].max() == 1
    assert alike["size"].min() >= 5
    assert pairs["group"].is_sorted()


def test_nothing_is_released_while_a_question_is_open(steward: Steward) -> None:
    table = steward.opened(steward.post("/example"))
    assert table.open_questions
    answer = steward.post(f"/t/{table.id}/run")
    assert answer.status_code == 422
    assert "questions about columns are open" in words(answer.text)
    assert table.run_job is None
    assert "disabled" in re.search(r"<button class=\"next\"[^>]*>", steward.get(f"/t/{table.id}/privacy").text)[0]
    question = table.open_questions[0]
    assert [fix.settings for fix in question.fixes] == [{"role": "quasi"}, {"role": "identifier"}]
    steward.part(f"/t/{table.id}/questions/{question.place}", {"fix": "0"})
    assert table.settings["columns"]["diagnosis"]["role"] == "quasi"
    assert not table.open_questions
    steward.desk.close(table)


def test_without_a_quasi_identifier_nothing_is_released(steward: Steward, small: OpenTable) -> None:
    steward.answer_all(small)
    for place, column in enumerate(small.columns):
        if column["role"] == "quasi":
            steward.part(f"/t/{small.id}/columns/{place}", {"role": "identifier"})
    assert not small.quasi
    answer = steward.post(f"/t/{small.id}/run")
    assert answer.status_code == 422
    assert small.run_job is None


def test_going_back_loses_nothing_and_every_change_can_be_undone(steward: Steward, small: OpenTable) -> None:
    at, before = f"/t/{small.id}", small.settings
    steward.part(f"{at}/columns/1", {"role": "quasi", "weight": "2,5", "top": "45"})
    assert small.settings["columns"]["age"]["weight"] == 2.5
    steward.part(f"{at}/privacy", {"k": "7"})
    assert small.settings["k"] == 7
    assert 'value="7"' in steward.get(f"{at}/privacy").text
    assert 'value="45.0"' in steward.get(f"{at}/columns").text
    steward.post(f"{at}/undo")
    assert small.settings["k"] == 5
    steward.post(f"{at}/undo")
    assert small.settings == before
    steward.post(f"{at}/redo")
    assert small.settings["columns"]["age"]["top"] == 45


@pytest.mark.parametrize(
    ("path", "fields", "said"),
    [
        ("/columns/1", {"role": "quasi", "weight": "-1"}, "weight"),
        ("/columns/1", {"role": "king"}, "is not a role"),
        ("/privacy", {"k": "1"}, "k"),
        ("/privacy", {"k": "many"}, "must be a number"),
        ("/privacy", {"k": "5", "suppressed": "100"}, "max_suppressed"),
        ("/privacy", {"k": "5", "method": "magic"}, "method"),
    ],
)
def test_a_change_that_is_no_policy_is_said_and_not_kept(
    steward: Steward, small: OpenTable, path: str, fields: dict[str, str], said: str
) -> None:
    before = small.settings
    answer = steward.part(f"/t/{small.id}{path}", fields)
    assert said in words(answer.text)
    assert 'role="alert"' in answer.text
    assert small.settings == before


def test_two_people_columns_are_refused_with_the_reason(steward: Steward, small: OpenTable) -> None:
    steward.part(f"/t/{small.id}/columns/0", {"role": "person"})
    answer = steward.part(f"/t/{small.id}/columns/1", {"role": "person"})
    assert "only one column can be the person" in words(answer.text)
    assert small.settings["columns"]["age"]["role"] == "quasi"


def test_a_run_is_kept_with_what_was_asked(steward: Steward, small: OpenTable) -> None:
    steward.answer_all(small)
    steward.release(small)
    steward.part(f"/t/{small.id}/privacy", {"k": "10"})
    assert "settings have changed" in words(steward.get(f"/t/{small.id}/result").text)
    steward.release(small)
    assert [(run.number, run.asked["k"]) for run in small.runs] == [(1, 5), (2, 10)]
    first = words(steward.get(f"/t/{small.id}/result?run=1").text)
    assert "Every group has at least 5 records" in first


def test_pages_are_in_the_language_of_the_reader(steward: Steward, small: OpenTable) -> None:
    german = steward.get(f"/t/{small.id}/columns", headers={"accept-language": "de-DE,de;q=0.9,en;q=0.5"})
    assert "Was ist jede Spalte?" in german.text
    assert '<html lang="de">' in german.text
    steward.post("/language", {"language": "de", "back": f"/the-token/t/{small.id}/columns"})
    assert "Was ist jede Spalte?" in steward.get(f"/t/{small.id}/columns").text
    answer = steward.post("/language", {"language": "en", "back": "https://evil.example/"}, follow_redirects=False)
    assert answer.headers["location"] == "/the-token/"
    steward.app.app.state.language = None


def test_private_files_say_so_and_other_names_lead_nowhere(steward: Steward, small: OpenTable) -> None:
    steward.answer_all(small)
    steward.release(small)
    at = f"/t/{small.id}/runs/1"
    assert 'filename="PRIVATE-secret.key"' in steward.get(f"{at}/private/secret.key").headers["content-disposition"]
    assert (
        'filename="certificate.json"' in steward.get(f"{at}/public/certificate.json").headers["content-disposition"]
    )
    assert "PRIVATE-do-not-publish" in steward.get(f"{at}/private.zip").headers["content-disposition"]
    for name in (
        "public/secret.key",
        "public/..%2Fcsv.private%2Fsecret.key",
        "elsewhere/release.csv",
        "public-exe.zip",
    ):
        assert steward.get(f"{at}/{name}").status_code in (404, 422)
    report = steward.get(f"{at}/report.html")
    assert "script-src" not in report.headers["content-security-policy"]
    assert "default-src 'none'" in report.headers["content-security-policy"]


def test_the_report_is_offered_as_pdf_where_a_browser_is(
    steward: Steward, small: OpenTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    steward.answer_all(small)
    steward.release(small)
    monkeypatch.setenv("SHOAL_BROWSER", "no-such-browser")
    assert "report.pdf" not in steward.get(f"/t/{small.id}/report").text
    answer = steward.get(f"/t/{small.id}/runs/1/report.pdf")
    assert answer.status_code == 422
    assert "no browser that can write PDF" in words(answer.text)
    monkeypatch.delenv("SHOAL_BROWSER")
    if pdf_browser() is None:
        pytest.skip("no browser is installed")
    assert "report.pdf" in steward.get(f"/t/{small.id}/report").text
    answer = steward.get(f"/t/{small.id}/runs/1/report.pdf")
    assert answer.content.startswith(b"%PDF-")
    assert 'filename="PRIVATE-report-' in answer.headers["content-disposition"]


def test_limits_on_shares_are_asked_for_kept_and_taken_back(steward: Steward, small: OpenTable) -> None:
    columns = [column["name"] for column in small.columns]
    name = next(name for name in columns if small.settings["columns"][name]["role"] == "sensitive")
    place = columns.index(name)
    page = steward.part(
        f"/t/{small.id}/privacy",
        {f"alpha:{place}": "0.8", f"beta:{place}": "3", f"beta_kind:{place}": "enhanced", f"delta:{place}": ""},
    )
    assert small.settings["columns"][name]["disclosure"] == {"alpha": 0.8, "beta": 3.0, "kind": "enhanced"}
    assert 'value="0.8"' in page.text
    steward.part(f"/t/{small.id}/privacy", {f"alpha:{place}": "2"})
    assert small.settings["columns"][name]["disclosure"]["alpha"] == 0.8  # 2 is no share; what was asked stays
    steward.answer_all(small)
    steward.release(small)
    assert "alpha = 0.8, beta = 3 (enhanced)" in steward.get(f"/t/{small.id}/runs/1/report.html").text
    steward.part(f"/t/{small.id}/privacy", {f"alpha:{place}": ""})
    assert "disclosure" not in small.settings["columns"][name]
