"""`verify` with a preset: each line is checked on the released cells, and a table that breaks it is refused."""

from __future__ import annotations

import json
import time
import tomllib
from datetime import date
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.certify import reading
from shoal.certify.preset.zip_codes import allowed_areas
from shoal.datasets import hospital
from shoal.errors import ParameterError
from shoal.policy.preset import load_preset, preset_text
from tests.cli.running import shoal as run

HARBOR = "hipaa-safe-harbor"
LAST = date.today().year - 90
"""The last year of birth of people who are 90 or become 90 this year."""


def lines(table: dict[str, list[str | None]] | pl.DataFrame, **more: object) -> dict[str, str]:
    """The verdict on every line of Safe Harbor, on a table of which nothing else is known."""
    return {line.id: line.verdict for line in shoal.verify(pl.DataFrame(table), preset=HARBOR, **more).lines}


def broken(table: dict[str, list[str | None]]) -> set[str]:
    return {id for id, verdict in lines(table).items() if verdict == "breach"}


CLEAN: dict[str, list[str | None]] = {
    "sex": ["f", "m", "f", None],
    "state": ["Ohio", "Ohio", "Utah", "Utah"],
    "zip": ["441**", "441**", "000**", "8****"],
    "age": ["[30, 39]", "[80, >=90]", ">=90", "*"],
    "birth_year": ["1961", f"<={LAST}", "[1970, 1979]", "1980s"],
    "admission_year": ["2024", "2023", "2024", "2024"],
    "diagnosis": ["J45.0", "I10", "E11.9", "type 2 diabetes"],
    "weight": ["71.4123456789012345", "[60.5, 71.2]", "82", "1234.5"],
    "cost": ["1234.50", "99999.99", "20000", "3125551234"],
    "loinc": ["2345-7", "718-7", "2160-0", "4548-4"],
}
"""What Safe Harbor allows, and numbers that only look like something else."""
BROKEN: list[tuple[str, str, list[str | None]]] = [
    ("A", "name", ["Ada Kaya"]),
    ("A", "Mother's Name", ["Eve"]),
    ("A", "lastName", ["Kaya"]),
    ("B", "zip", ["44102"]),
    ("B", "zip", ["4410*"]),
    ("B", "patient_zip", ["{44102, 44103}"]),
    ("B", "ZipCode", ["[44102, 44199]"]),
    ("B", "zip", ["44102.0"]),
    ("B", "zip3", ["059"]),
    ("B", "zip", ["203**"]),
    ("B", "zip", ["090**"]),
    ("B", "somewhere", ["44102-1234"]),
    ("B", "city", ["Cleveland"]),
    ("B", "county", ["{Cuyahoga, Lake}"]),
    ("B", "street address", ["12 Main Street"]),
    ("B", "latitude", ["[41.4, 41.6]"]),
    ("C", "admitted", ["2024-03-17"]),
    ("C", "admitted", ["2024-01-01", "2024-03-01"]),
    ("C", "admitted", ["[2024-01-01, 2024-03-31]"]),
    ("C", "seen", ["2024-03"]),
    ("C", "seen", ["2024-Q1"]),
    ("C", "seen", ["17.03.2024"]),
    ("C", "seen", ["3/17/24"]),
    ("C", "seen", ["17 March 2024"]),
    ("C", "seen", ["Mar 17, 2024"]),
    ("C", "seen", ["20240317", "20231224"]),
    ("C", "seen", ["2024-01-01T10:30:00"]),
    ("C", "month", ["3"]),
    ("C", "age", ["91"]),
    ("C", "age", ["[85, 94]"]),
    ("C", "age at admission", [">=95"]),
    ("C", "age", ["90-94"]),
    ("C", "age", ["90"]),
    ("C", "birth_year", [f"{LAST}"]),
    ("C", "birth_year", [f"<={LAST - 5}"]),
    ("C", "year of birth", [f"[{LAST - 4}, 1950]"]),
    ("D", "contact", ["(216) 555-0123"]),
    ("D", "contact", ["+49 30 1234567"]),
    ("D", "phone", ["5550123"]),
    ("E", "fax", ["5550123"]),
    ("F", "contact", ["ada.kaya@example.org"]),
    ("F", "note", ["write to ada@example.org, please"]),
    ("G", "number", ["123-45-6789"]),
    ("G", "ssn", ["123456789"]),
    ("H", "mrn", ["77314"]),
    ("I", "subscriber_id", ["A77"]),
    ("J", "payment", ["DE89 3704 0044 0532 0130 00"]),
    ("J", "payment", ["4111 1111 1111 1111"]),
    ("J", "account_number", ["12"]),
    ("K", "license_no", ["B-7"]),
    ("L", "car", ["1HGCM82633A004352"]),
    ("L", "plate", ["B-AB 12"]),
    ("M", "pump", ["00:1B:44:11:3A:B7"]),
    ("M", "device_serial", ["X1"]),
    ("N", "source", ["see https://example.org/ada"]),
    ("N", "source", ["www.example.org"]),
    ("O", "client", ["192.168.17.4"]),
    ("O", "client", ["2001:db8:0:0:0:0:2:1"]),
    ("O", "client", ["2001:db8::2:1"]),
    ("P", "fingerprint", ["f00"]),
    ("P", "sample", ["ada.wav"]),
    ("Q", "scan", ["faces/ada.JPG"]),
    ("Q", "photo", ["1"]),
    ("R", "patient_id", ["12"]),
    ("R", "anything", ["6f1c2d9e-7b1a-4d52-9f0e-0a1b2c3d4e5f"]),
    ("R", "anything", ["d41d8cd98f00b204e9800998ecf8427e"]),
]


def test_what_is_allowed_breaks_no_line() -> None:
    assert broken(CLEAN) == set()
    assert lines(CLEAN)["(ii)"] == "judge"  # never for a program to say


@pytest.mark.parametrize(("line", "heading", "cells"), BROKEN)
def test_a_table_that_breaks_a_line_on_purpose_is_refused(line: str, heading: str, cells: list[str | None]) -> None:
    assert line in broken({heading: cells})


@pytest.mark.parametrize(("line", "heading", "cells"), BROKEN)
def test_a_missing_or_suppressed_cell_breaks_no_line(line: str, heading: str, cells: list[str | None]) -> None:
    assert broken({heading: [None, "*"]}) == set()


def test_every_line_that_can_be_checked_is_broken_by_a_table_here() -> None:
    checked = {line.id for line in load_preset(HARBOR).lines if not line.judge and not line.text}
    assert checked == {line for line, _, _ in BROKEN} == set("ABCDEFGHIJKLMNOPQR")


def test_what_no_program_can_tell_is_shown_to_a_person() -> None:
    words = [f"the patient number {i} came with her sister today" for i in range(40)]
    found = lines(
        {
            "who": [f"Ada Kaya{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(40)],
            "five": [f"{44102 + i}" for i in range(40)],
            "remark": words,
            "sample": [f"S-{i:04}" for i in range(40)],
            "day": ["2024-01-01"] * 40,
        }
    )
    assert {id for id, verdict in found.items() if verdict == "judge"} == {"A", "B", "C", "R", "text", "(ii)"}


def test_a_forged_cell_does_not_hold_up_the_check() -> None:
    hostile = ["[" + "1," * 40_000, "{" + "1 ," * 20_000 + "}", "9" * 60_000 + " ", "1 " * 40_000, "[" * 40_000]
    begun = time.process_time()
    for heading in ("age", "zip", "birth_year", "seen", "remark"):
        lines({heading: list(hostile)})
    assert time.process_time() - begun < 10  # quadratic time would be minutes


def test_the_areas_are_those_of_the_census_of_2020() -> None:
    areas = allowed_areas()
    assert len(areas) == 894 - 18
    # the list of the guidance of 2012 is of the census of 2000: five of them have grown, and six are new
    assert {"063", "790", "830", "831", "890"} <= areas
    assert not {"036", "059", "102", "202", "203", "204", "205", "369", "556", "692", "753", "772"} & areas
    assert "year = 2020" in preset_text("us-zip3.toml")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("preset") / "release"
    table = hospital(150).select("birth_date", "sex", "zip", "admitted", "diagnosis")
    policy = {"k": 5, "columns": {name: {"role": "quasi"} for name in table.columns[:-1]}}
    policy["columns"]["diagnosis"] = {"role": "sensitive"}  # type: ignore[index]
    shoal.anonymize(table, policy).write(out)
    return out


def test_a_release_that_holds_and_breaks_the_rule_has_exit_code_4(folder: Path) -> None:
    assert run("verify", folder).code == 0
    ran = run("verify", folder, "--preset", HARBOR, "--json")
    assert ran.code == 4
    told = json.loads(ran.out)
    assert {line["id"] for line in told["lines"] if line["verdict"] == "breach"} == {"B", "C"}
    assert [failure["check"] for failure in told["failures"]] == ["preset", "preset"]
    assert all(claim["holds"] for claim in told["claims"])


def test_no_cell_is_in_what_is_told(folder: Path) -> None:
    cells = {cell for row in pl.read_csv(folder / "release.csv", infer_schema=False).rows() for cell in row}
    ran = run("verify", folder, "--preset", HARBOR)
    long = [cell for cell in cells if cell is not None and len(cell) > 3]
    assert long
    assert not [cell for cell in long if cell in ran.out + ran.err]


def test_a_table_read_in_parts_gives_the_same_lines(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = shoal.verify(folder, preset=HARBOR)
    monkeypatch.setattr(reading, "LARGE", dict.fromkeys(reading.LARGE, 0))
    parts = shoal.verify(folder, preset=HARBOR)
    assert parts.lines == whole.lines
    assert [failure.message for failure in parts.failures] == [failure.message for failure in whole.failures]


@pytest.mark.parametrize(("pseudonym", "verdict"), [(False, "clear"), (True, "breach")])
def test_numbers_made_for_people_are_allowed_and_pseudonyms_are_not(
    tmp_path: Path, pseudonym: bool, verdict: str
) -> None:
    """A pseudonym is computed from the identifier, with a secret: Safe Harbor asks for codes that are not derived."""
    table = hospital(60).select("patient_id", "sex", "height_cm")
    person = {"role": "person", "consistent": True, "pseudonym": pseudonym}
    columns = {"patient_id": person, "sex": {"role": "quasi"}, "height_cm": {"role": "quasi"}}
    shoal.anonymize(table, {"k": 3, "columns": columns}, method="mondrian").write(tmp_path / "release")
    line = next(one for one in shoal.verify(tmp_path / "release", preset=HARBOR).lines if one.id == "R")
    assert line.verdict == verdict


def test_what_synthetic_rows_show_is_for_a_person_to_judge(tmp_path: Path) -> None:
    table = hospital(150).select("birth_date", "sex", "diagnosis")
    columns = {"birth_date": {"role": "quasi"}, "sex": {"role": "quasi"}, "diagnosis": {"role": "sensitive"}}
    release = shoal.anonymize(table, {"k": 5, "columns": columns}, synthetic="marginals", method="mondrian")
    release.write(tmp_path / "release")
    line = next(one for one in shoal.verify(tmp_path / "release", preset=HARBOR).lines if one.id == "C")
    assert [(one.column, one.verdict) for one in line.found] == [
        ("birth_date", "breach"),
        ("synthetic.csv, birth_date", "judge"),
    ]


def test_a_policy_that_claims_rounding_does_not_hide_a_day(folder: Path) -> None:
    """The cells decide: a policy that says years is refused itself, and the line stays broken."""
    policy = shoal.Policy.parse({"k": 5, "columns": {"admitted": {"role": "quasi", "round": "year"}}})
    table = pl.read_csv(folder / "release.csv", infer_schema=False).select("admitted")
    found = shoal.verify(table, policy, form="generalize", preset=HARBOR)
    assert next(line for line in found.lines if line.id == "C").verdict == "breach"


def test_years_of_means_and_of_two_columns_are_read() -> None:
    policy = {"k": 2, "ranges": "columns", "columns": {"age": {"role": "quasi", "kind": "number", "top": 90}}}
    table = pl.DataFrame({"age_min": ["80", "80"], "age_max": ["90", "90"]})
    found = shoal.verify(table, policy, form="generalize", preset=HARBOR)
    assert next(line for line in found.lines if line.id == "C").verdict == "clear"
    policy["columns"]["age"].pop("top")  # type: ignore[index]
    found = shoal.verify(table, policy, form="generalize", preset=HARBOR)
    assert next(line for line in found.lines if line.id == "C").verdict == "breach"


def test_a_preset_of_ones_own_is_checked_and_asks_for_its_k(tmp_path: Path) -> None:
    own = tmp_path / "house.toml"
    own.write_text(
        'title = "House rule"\nsource = "a letter"\nk = 4\n'
        "[[lines]]\nid = '1'\ntitle = 'Staff'\nheadings = ['staff \\w+']\n"
    )
    policy = {"k": 2, "columns": {"age": {"role": "quasi"}, "staff_id": {"role": "other"}}}
    table = pl.DataFrame({"age": ["[30, 39]"] * 3, "staff_id": ["7", "8", None]})
    found = shoal.verify(table, policy, form="generalize", preset=own)
    assert [(line.id, line.verdict) for line in found.lines] == [("k", "breach"), ("1", "breach")]
    assert found.failures[0].message == "House rule k: the smallest group has 3 rows"
    assert found.failures[1].message == "House rule 1: staff_id: 2 cells with values under a heading of this kind"
    assert found.failures[1].records == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('title = "x"\nsource = "y"\n', "a preset has lines, or a k"),
        ('title = "x"\nsource = "y"\nk = 1\n', "greater than or equal to 2"),
        (
            'title = "x"\nsource = "y"\n[[lines]]\nid = "1"\ntitle = "t"\nheadings = ["("]\n',
            "not a regular expression",
        ),
        ('title = "x"\nsource = "y"\n[[lines]]\nid = "1"\ntitle = "t"\ncells = ["(?=a)"]\n', "look ahead or behind"),
        ('title = "x"\nsource = "y"\n[[lines]]\nid = "1"\ntitle = "t"\ncolour = 1\n', "is not a setting"),
        ("title", "is not valid TOML"),
    ],
)
def test_a_preset_that_is_wrong_is_one_sentence(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises((ParameterError, shoal.SchemaError), match=told):
        shoal.verify(pl.DataFrame({"a": ["1"]}), preset=tmp_path / "own.toml")


def test_a_preset_that_is_not_known_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="there is no preset 'gdpr'"):
        shoal.verify(pl.DataFrame({"a": ["1"]}), preset="gdpr")
    with pytest.raises(ParameterError, match="cannot be read"):
        shoal.verify(pl.DataFrame({"a": ["1"]}), preset=tmp_path / "none.toml")


def test_the_areas_are_those_of_the_gazetteer_of_the_census_bureau(shared_data: Path) -> None:
    lines_of = (shared_data / "geo" / "Gaz_zcta_national.txt").read_text(encoding="latin-1").splitlines()
    counted = {line[:3] for line in lines_of if line[:5].isdigit()}
    table = tomllib.loads(preset_text("us-zip3.toml"))
    assert counted == allowed_areas() | set(table["small"])
    assert len(counted) == table["areas"]
