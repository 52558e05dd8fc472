"""Settings for the person who signs: set on the pages, used by the release, and shown with its results."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.web.open_table import OpenTable
from tests.web.page_forms import forms_of
from tests.web.steward import Steward, words
from tests.web.test_api import PROGRAM
from tests.web.test_german import ENGLISH, GERMAN

AGE, SEX, ILLNESS = 1, 2, 3
"""Places of columns in the small table."""


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"where": "age >= 25 "}, {"where": "age >= 25"}),
        ({"sample": "12,5 %"}, {"sample": 0.125}),
        ({"population": "83.000.000"}, {"population": 83_000_000}),
        ({"population": "83000000"}, {"population": 83_000_000}),
        ({"synthetic": "marginals"}, {"synthetic": "marginals"}),
        ({"evidence": "yes"}, {"evidence": True}),
    ],
)
def test_a_field_of_the_privacy_page_is_kept_shown_and_taken_back(
    steward: Steward, small: OpenTable, fields: dict[str, str], expected: dict[str, Any]
) -> None:
    ((key, value),) = expected.items()
    before = small.settings
    answer = steward.part(f"/t/{small.id}/privacy", fields)
    assert 'role="alert"' not in answer.text
    assert small.settings == before | expected
    (form,) = [one for one in forms_of(answer.text) if one.action.endswith("/privacy")]
    assert form.fields[key] in (str(value), "12.5", "yes")
    steward.part(f"/t/{small.id}/privacy", {key: "no" if key == "evidence" else ""})
    assert small.settings == before


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"where": "age >"}, "where"),
        ({"sample": "100"}, "sample"),
        ({"population": "/nowhere/people.csv"}, "neither a whole number nor a file"),
        ({"population": "0"}, "population"),
        ({"synthetic": "magic"}, "synthetic"),
    ],
)
def test_a_field_that_is_no_setting_is_said_and_not_kept(
    steward: Steward, small: OpenTable, fields: dict[str, str], said: str
) -> None:
    before = small.settings
    answer = steward.part(f"/t/{small.id}/privacy", fields)
    assert said in words(answer.text[answer.text.index('role="alert"') :])[:400]
    assert small.settings == before


def test_alpha_can_be_for_some_values_alone(steward: Steward, small: OpenTable) -> None:
    at, own = f"/t/{small.id}/privacy", lambda: small.settings["columns"]["illness"]["disclosure"]
    page = steward.part(at, {f"alpha:{ILLNESS}": "0.8"})
    assert own() == {"alpha": 0.8}
    (form,) = [one for one in forms_of(page.text) if one.action.endswith("/privacy")]
    steward.part(at, form.fields | {f"values:{ILLNESS}": "gout\r\nflu, bad"})
    assert own() == {"alpha": 0.8, "values": ["gout", "flu, bad"]}
    steward.part(at, {f"alpha:{ILLNESS}": "0.7"})
    assert own() == {"alpha": 0.7, "values": ["gout", "flu, bad"]}
    steward.part(at, {f"alpha:{ILLNESS}": "0.7", f"values:{ILLNESS}": ""})
    assert own() == {"alpha": 0.7}


def test_key_sets_are_added_changed_and_removed(steward: Steward, small: OpenTable) -> None:
    at = f"/t/{small.id}/keys"
    steward.part(at, {"name:0": "neighbor", "k:0": "9", f"column:0:{SEX}": "yes"})
    assert small.settings["keys"] == {"neighbor": {"columns": ["sex"], "k": 9}}
    wrong = steward.part(at, {"name:0": "neighbor", "k:0": "9", f"column:0:{SEX}": "yes", "name:1": "insurer"})
    assert "a key set needs a name, at least one column, and a k." in words(wrong.text)
    assert 'value="insurer"' in wrong.text  # what was written is not lost
    sent = {"name:0": "neighbor", "k:0": "8", f"column:0:{SEX}": "yes", "name:1": "insurer", "k:1": "6"}
    steward.part(at, sent | {f"column:1:{AGE}": "yes", f"column:1:{SEX}": "yes"})
    assert small.settings["keys"]["neighbor"]["k"] == 8
    assert small.settings["keys"]["insurer"] == {"columns": ["age", "sex"], "k": 6}
    (form,) = [one for one in forms_of(steward.get(f"/t/{small.id}/privacy").text) if one.action.endswith("/keys")]
    steward.part(at, form.fields | {"remove": "0"})
    assert list(small.settings["keys"]) == ["insurer"]


def test_a_person_can_be_published_alike_and_a_column_changed_by_chance(steward: Steward, small: OpenTable) -> None:
    at = f"/t/{small.id}/columns"
    steward.part(f"{at}/0", {"role": "person"})
    steward.part(f"{at}/0", {"rows_alike": "pseudonym"})
    assert small.settings["columns"]["name"] == {"role": "person", "consistent": True, "pseudonym": True}
    steward.part(f"{at}/0", {"rows_alike": "no"})
    assert small.settings["columns"]["name"] == {"role": "person"}
    steward.part(f"/t/{small.id}/privacy", {f"l:{ILLNESS}": "", f"t:{ILLNESS}": ""})
    page = steward.part(f"{at}/{ILLNESS}", {"perturb": "pram", "open": "1"})
    assert small.settings["columns"]["illness"]["perturb"] == {"method": "pram", "keep": 0.8}
    assert "This is no part of k" in words(page.text)
    steward.part(f"{at}/{ILLNESS}", {"perturb_keep": "0,7", "perturb_within": str(SEX)})
    assert small.settings["columns"]["illness"]["perturb"] == {"method": "pram", "keep": 0.7, "within": "sex"}
    refused = steward.part(f"/t/{small.id}/privacy", {f"l:{ILLNESS}": "2"})
    assert 'role="alert"' in refused.text  # true values are counted, and the column does not hold them
    steward.part(f"{at}/{ILLNESS}", {"perturb": ""})
    assert "perturb" not in small.settings["columns"]["illness"]


def test_items_of_a_set_that_others_know(steward: Steward) -> None:
    rows = "".join(f"{20 + row % 7},{('x|y', 'y', 'x')[row % 3]},flu\n" for row in range(30))
    table = steward.opened(steward.upload("sets.csv", f"age,drugs,illness\n{rows}".encode()))
    steward.part(f"/t/{table.id}/columns/1", {"role": "quasi"})
    steward.part(f"/t/{table.id}/columns/1", {"kind": "set"})
    page = steward.part(f"/t/{table.id}/columns/1", {"separator": "|"})
    assert table.settings["columns"]["drugs"]["separator"] == "|", words(page.text)
    steward.part(f"/t/{table.id}/privacy", {"m": "3"})
    assert table.settings["m"] == 3
    assert "up to 3 items of drugs" in words(steward.get(f"/t/{table.id}/privacy").text)
    steward.desk.close(table)


def test_a_rule_is_followed_from_the_start_and_left_again(steward: Steward) -> None:
    rows = "".join(f"{20 + row % 90},19{20 + row % 70}-03-0{1 + row % 9},{10000 + row}\n" for row in range(120))
    table = steward.opened(steward.upload("people.csv", f"age,birth_date,zip\n{rows}".encode()))
    plain = table.settings
    steward.part(f"/t/{table.id}/privacy", {"k": "7"})
    assert steward.post(f"/t/{table.id}/preset", {"preset": "hipaa-safe-harbor"}).status_code == 200
    steward.wait(table.job)
    assert table.settings["columns"]["age"]["top"] == 90
    assert table.settings["columns"]["birth_date"]["round"] == "year"
    assert table.settings["columns"]["zip"]["hierarchy"]["areas"] == "us-zip3"
    assert table.settings["k"] == 7  # what was decided about the whole table stays
    assert re.search(r'value="hipaa-safe-harbor" selected', steward.get(f"/t/{table.id}/columns").text)
    steward.post(f"/t/{table.id}/preset", {"preset": ""})
    steward.wait(table.job)
    assert table.settings == plain | {"k": 7}
    assert steward.post(f"/t/{table.id}/preset", {"preset": "../secret"}).status_code == 422
    steward.desk.close(table)


def test_a_release_with_all_of_it_shows_its_results_and_has_a_dossier(
    steward: Steward, small: OpenTable, tmp_path: Path
) -> None:
    at = f"/t/{small.id}"
    steward.answer_all(small)
    assert "were not tried" not in words(steward.get(f"{at}/privacy").text)
    steward.part(f"{at}/columns/{ILLNESS}", {"role": "other"})
    steward.part(f"{at}/columns/{ILLNESS}", {"perturb": "pram"})
    steward.part(f"{at}/privacy", {"k": "4", "evidence": "yes", "synthetic": "marginals", "population": "9000"})
    steward.part(f"{at}/keys", {"name:0": "neighbor", "k:0": "8", f"column:0:{SEX}": "yes"})
    steward.part(f"{at}/about/dossier", {"purpose": "Eine Studie", "decided": "2026-10-05"})
    steward.part(f"{at}/about/metadata", {"formats:croissant": "yes", "formats:ddi": "yes", "title": "People"})
    assert small.settings["dossier"] == {"purpose": "Eine Studie", "decided": "2026-10-05"}
    assert small.settings["metadata"] == {"formats": ["croissant", "ddi"], "title": "People"}
    steward.release(small)
    for headers, attacker, risk in (
        ({}, "What an attacker gets", "In a population of 9,000"),
        (GERMAN, "Was ein Angreifer bekommt", "In einer Bevölkerung von 9.000"),
    ):
        page = steward.get(f"{at}/result", headers=headers).text
        text = words(page)
        assert attacker in text
        assert re.search(r"Singling out|Herausgreifen", text)
        assert "is no part of k" in text or "kein Teil von k" in text
        assert "No k is claimed of synthetic rows" in text or "kein k zugesichert" in text
        assert risk in words(steward.get(f"{at}/risk", headers=headers).text)
    for step in ("columns", "privacy", "result", "risk", "report"):
        page = steward.get(f"{at}/{step}", headers=GERMAN).text
        main = page[page.index("<main") : page.index("</main>")]
        main = re.sub(r"<pre.*?</pre>|<select.*?</select>", "", main, flags=re.S)
        left = {sentence.strip() for sentence in re.findall(r">([^<]{12,})<", main) if ENGLISH.search(sentence)}
        assert left == set(), step
    public = zipfile.ZipFile(io.BytesIO(steward.get(f"{at}/runs/1/public-csv.zip").content))
    names = {Path(name).name for name in public.namelist()}
    assert {"synthetic.csv", "croissant.json", "ddi.xml"} <= names
    assert b"Eine Studie" not in b"".join(public.read(name) for name in public.namelist())
    public.extractall(tmp_path)
    assert shoal.verify(tmp_path / "release").holds
    private = zipfile.ZipFile(io.BytesIO(steward.get(f"{at}/runs/1/private.zip").content))
    assert "evidence" in json.loads(private.read("release.private/measures.json"))

    dossier = steward.get(f"{at}/runs/1/dossier.html")
    assert "default-src 'none'" in dossier.headers["content-security-policy"]
    text = words(dossier.text)
    assert "Eine Studie" in text
    assert "What was tested" in text
    assert "people" in text
    saved = steward.get(f"{at}/runs/1/dossier.html?save=1")
    assert 'filename="PRIVATE-dossier-people.html"' in saved.headers["content-disposition"]
    assert saved.text == dossier.text
    run = small.run(1)
    assert run is not None
    assert (run.folder / "dossier.html").stat().st_mode & 0o077 == 0
    assert {one.name for one in run.folder.iterdir() if one.is_dir()} == {"csv", "csv.private"}

    found = steward.part(f"{at}/runs/1/household", {"column": str(SEX)})
    assert re.search(r"Largest risk of a household in the original table: [\d.<>]+%", words(found.text))
    german = steward.post(f"{at}/runs/1/household", {"column": str(SEX)}, headers=GERMAN)
    assert re.search(r"in der ursprünglichen Tabelle: [\d,]+ %", words(german.text))
    assert steward.part(f"{at}/runs/1/household", {"column": "99"}).status_code == 422
    program = steward.client.get(f"/api/tables/{small.id}/runs/1/dossier", headers=PROGRAM)
    assert program.text == dossier.text
