"""`--link` and `--after` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Ran, shoal
from tests.sequence.tables import months

ASKED = [
    "--identifier", "patient", "--quasi", "age,zip", "--publish-rare", "zip", "--sensitive", "diagnosis",
    "-k", "3", "-l", "2", "--link", "patient", "--keep", "values", "--max-suppressed", "0.2",
]  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    found = []
    for month, table in enumerate(months(60, 2, seed=31, leaving=0.3, coming=0.02)):
        found.append(tmp_path / f"month{month}.csv")
        table.write_csv(found[-1])
    return found


def anonymize(source: Path, out: Path, *more: object) -> list[str]:
    return ["anonymize", str(source), "--out", str(out), *ASKED, *map(str, more)]


def test_a_release_is_begun_and_followed(files: list[Path], tmp_path: Path) -> None:
    first = shoal(*anonymize(files[0], tmp_path / "first"))
    assert first.code == 0, first.err
    after = ["--after", tmp_path / "first.private", "--counterfeits"]
    second = shoal(*anonymize(files[1], tmp_path / "second", *after, "--json"))
    assert second.code == 0, second.err
    assert "release 2 of a sequence" in " ".join(second.json["notes"])
    assert shoal("verify", str(tmp_path / "second")).code == 0
    # The folder of the release before may be the one that is replaced.
    again = shoal(*anonymize(files[1], tmp_path / "first", *after))
    assert again.code == 0, again.err
    assert json.loads((tmp_path / "first.private" / "history.json").read_text())["number"] == 2


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        (["--after", "first"], 2, "holds no history"),
        (["--after", "first.private", "-k", "4"], 2, "another k"),
        (["--after", "first.private", "--max-suppressed", "0"], 3, "would have to be left out"),
        (["--link", "zip"], 2, "must be a column with the role identifier or person"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_nothing_changes(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], code: int, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shoal(*anonymize(files[0], tmp_path / "first")).code == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    refused = shoal(*anonymize(files[1], tmp_path / "first", *more))
    assert refused.code == code
    note, error, rest = refused.err.partition("error: ")
    assert Ran(refused.code, refused.out, error + rest).is_one_sentence
    assert told in rest
    # What is remarked about the table comes first: one line about rare labels, or nothing.
    assert note == "" or (note.startswith("column 'zip': ") and note.count("\n") == 1)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
