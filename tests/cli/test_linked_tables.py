"""`shoal anonymize-tables` and `shoal verify` of its folder: files, exit codes, JSON; refusals change nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.policy.linked import LinkedPolicy
from tests.cli.running import shoal
from tests.linked_tables import linked_policy, linked_tables


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("linked")
    for name, table in linked_tables(60, 41).items():
        table.write_csv(folder / f"{name}.csv")
    (folder / "linked.toml").write_text(LinkedPolicy.parse(linked_policy()).dumps(), encoding="utf-8")
    made = shoal(
        "anonymize-tables", folder / "patients.csv", f"visits={folder / 'visits.csv'}",
        "-p", folder / "linked.toml", "-o", folder / "out", "--json",
    )  # fmt: skip
    assert made.code == 0, made.err
    assert made.json["k"] >= 3
    return folder


def state(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for name in ("out", "out.private") for file in (folder / name).iterdir()}


def test_the_folder_is_verified_by_itself_and_by_the_policy(here: Path) -> None:
    for released in (here / "out", here / "out" / "visits.csv"):
        found = shoal("verify", released, "--json")
        assert (found.code, found.json["holds"]) == (0, True)
    assert shoal("verify", here / "out", here / "linked.toml", "-q").code == 0
    assert "people in" in shoal("verify", here / "out").out


def test_a_release_that_does_not_hold_exits_with_4(here: Path, tmp_path: Path) -> None:
    asked = LinkedPolicy.parse(linked_policy(k=30)).dumps()
    (tmp_path / "more.toml").write_text(asked, encoding="utf-8")
    found = shoal("verify", here / "out", tmp_path / "more.toml")
    assert found.code == 4
    assert "miss 30" in found.out


def test_the_same_call_makes_the_same_files(here: Path) -> None:
    before = state(here)
    again = shoal(
        "anonymize-tables", here / "patients.csv", here / "visits.csv", "-p", here / "linked.toml",
        "-o", here / "out", "-q",
    )  # fmt: skip
    assert (again.code, again.out, again.err) == (0, "", "")
    after = state(here)
    public = {name for name in before if ".private" not in name}
    assert {name: after[name] for name in public} == {name: before[name] for name in public}


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["patients.csv"], 2, "visits, which are not given"),
        (["patients.csv", "visits.csv", "tests.csv"], 2, "no part [tables.NAME]"),
        (["patients.csv", "patients=visits.csv"], 2, "two tables are called patients"),
        (["patients.csv", "visits.csv", "--max-suppressed", "0"], 3, "have to be left out"),
        (["patients.csv", "visits.csv", "-k", "1"], 2, "k"),
        (["patients.csv", "visits=nowhere.csv"], 2, "nowhere.csv"),
    ],
)
def test_what_is_refused_leaves_the_files_as_they_were(
    here: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, says: str
) -> None:
    monkeypatch.chdir(here)
    before = state(here)
    refused = shoal("anonymize-tables", *arguments, "-p", "linked.toml", "-o", "out")
    assert refused.code == code
    assert refused.is_one_sentence, refused.err
    assert says in refused.err
    assert "P00" not in refused.err  # no cell
    assert state(here) == before


def test_a_policy_of_one_table_is_refused_with_the_way_out(here: Path, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text('k = 3\n[columns.age]\nrole = "quasi"\n', encoding="utf-8")
    refused = shoal("anonymize-tables", here / "patients.csv", "-p", tmp_path / "one.toml", "-o", tmp_path / "new")
    assert refused.code == 2
    assert "[tables.NAME]" in refused.err
    assert not (tmp_path / "new").exists()
