"""A release is written in the encoding in which the table was read, and verified so by anyone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import ShoalError
from shoal.policy import Policy

POLICY = {
    "k": 3,
    "publication": "generalize",
    "columns": {
        "Größe": {"role": "quasi"},
        "Straße": {"role": "quasi", "kind": "label"},
        "Krankheit": {"role": "sensitive"},
    },
}


def source(path: Path, encoding: str) -> Path:
    rows = [
        f"{150 + row % 30};{('Köln', 'Münster', 'Weiß')[row % 3]};{('Übelkeit', 'Grippe')[row % 2]}"
        for row in range(60)
    ]
    path.write_bytes(("Größe;Straße;Krankheit\n" + "\n".join(rows) + "\n").encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-16-be", "utf-8"])
def test_a_release_has_the_encoding_of_its_source_and_verifies(tmp_path: Path, encoding: str) -> None:
    path = source(tmp_path / "people.csv", encoding)
    shoal.anonymize(path, POLICY).write(tmp_path / "out")
    data = (tmp_path / "out" / "release.csv").read_bytes()
    text = data.decode("utf-16" if encoding == "utf-16-be" else encoding)
    assert text.startswith("Größe;Straße;Krankheit\n")
    assert "Übelkeit" in text
    stated = json.loads((tmp_path / "out" / "certificate.json").read_text())["policy"].get("source")
    assert stated == (None if encoding == "utf-8" else {"encoding": encoding.removesuffix("-be")})
    assert shoal.verify(tmp_path / "out").holds
    assert shoal.verify(tmp_path / "out", POLICY).holds
    assert shoal.verify(tmp_path / "out" / "release.csv", tmp_path / "out" / "certificate.json").holds
    alone = tmp_path / "alone.csv"
    alone.write_bytes(data)
    assert shoal.verify(alone, POLICY).holds
    shoal.attack(path, tmp_path / "out", POLICY)


def test_the_stated_encoding_decides_where_letters_alone_would_mislead(tmp_path: Path) -> None:
    """Letters of no one language are read as they were asked to be, and so is the release."""
    rows = "\n".join(f"{row % 12},{'µ§ñ'[row % 3]}" for row in range(48))
    (tmp_path / "x.csv").write_bytes(f"å,b\n{rows}\n".encode("mac-roman"))
    policy = Policy.parse(
        {
            "k": 3,
            "source": {"encoding": "mac-roman"},
            "columns": {"å": {"role": "quasi"}, "b": {"role": "sensitive"}},
        }
    )
    shoal.anonymize(tmp_path / "x.csv", policy).write(tmp_path / "out")
    assert (tmp_path / "out" / "release.csv").read_bytes().startswith("å".encode("mac-roman"))
    found = shoal.verify(tmp_path / "out")
    assert found.holds
    assert found.encoding == "mac-roman"
    (tmp_path / "alone.csv").write_bytes((tmp_path / "out" / "release.csv").read_bytes())
    assert shoal.verify(tmp_path / "alone.csv", policy).holds


@pytest.mark.parametrize("settings", [{"excel": True}, {"format": "parquet"}])
def test_a_file_for_spreadsheets_is_utf8_with_its_mark(tmp_path: Path, settings: dict[str, object]) -> None:
    shoal.anonymize(source(tmp_path / "people.csv", "cp1252"), POLICY).write(tmp_path / "out", **settings)  # type: ignore[arg-type]
    if "excel" in settings:
        data = (tmp_path / "out" / "release.csv").read_bytes()
        assert data.startswith("\ufeffGröße;Straße;Krankheit\n".encode())
    assert "source" not in json.loads((tmp_path / "out" / "certificate.json").read_text())["policy"]
    assert shoal.verify(tmp_path / "out").holds


def test_characters_that_the_encoding_lacks_are_kept_in_utf8_and_a_note_says_so(tmp_path: Path) -> None:
    path = source(tmp_path / "people.csv", "cp1252")
    towns = ["Köln", "Münster", "Weiß"]
    (tmp_path / "towns.csv").write_text("".join(f"{town},→ West\n" for town in towns), encoding="utf-8")
    columns = POLICY["columns"] | {"Straße": {"role": "quasi", "hierarchy": str(tmp_path / "towns.csv")}}  # type: ignore[operator]
    written = shoal.anonymize(path, POLICY | {"columns": columns}, k=30).write(tmp_path / "out")
    assert "→ West" in (tmp_path / "out" / "release.csv").read_text(encoding="utf-8")
    assert any("written as UTF-8, because cp1252" in note for note in written.notes)
    assert shoal.verify(tmp_path / "out").holds


def test_a_certificate_cannot_name_an_encoding_that_no_release_has(tmp_path: Path) -> None:
    shoal.anonymize(source(tmp_path / "people.csv", "cp1252"), POLICY).write(tmp_path / "out")
    path = tmp_path / "out" / "certificate.json"
    told = json.loads(path.read_text())
    for encoding in ("utf-7", "cp037", "raw_unicode_escape", "utf-8"):
        told["policy"]["source"] = {"encoding": encoding}
        path.write_text(json.dumps(told))
        with pytest.raises(shoal.errors.ParameterError, match="not written as Shoal writes it"):
            shoal.verify(tmp_path / "out")
    told["policy"]["source"] = {"encoding": "cp1250"}  # the same bytes, other letters: the names no longer fit
    path.write_text(json.dumps(told))
    found = shoal.verify(tmp_path / "out")  # ö, ü, ß and Ü are the same in both, but the codebook says cp1252
    assert {failure.check for failure in found.failures} == {"codebook"}
    told["policy"]["source"] = {"encoding": "cp1251"}
    path.write_text(json.dumps(told))
    assert not shoal.verify(tmp_path / "out").holds


def test_a_frame_has_no_encoding() -> None:
    frame = pl.DataFrame({"Größe": [1, 2] * 6})
    release = shoal.anonymize(frame, k=3, quasi="Größe")
    assert release.certificate.public_policy().source.encoding is None


def test_an_attack_does_not_guess_what_a_damaged_certificate_states(tmp_path: Path) -> None:
    """Without a certificate the table may be any program's; beside one that cannot be read it is not guessed at."""
    rows = "\n".join(f"{30 + row % 4},{'Köln' if row % 2 else 'Ulm'}" for row in range(16))
    (tmp_path / "in.csv").write_bytes(f"age,town\n{rows}\n".encode("cp1252"))
    asked: dict[str, Any] = {"k": 4, "quasi": "age", "sensitive": "town"}
    shoal.anonymize(tmp_path / "in.csv", **asked).write(tmp_path / "out")
    table, certificate = tmp_path / "out" / "release.csv", tmp_path / "out" / "certificate.json"
    shoal.attack(tmp_path / "in.csv", table, **asked)
    certificate.write_text("{", encoding="utf-8")
    with pytest.raises(ShoalError, match="certificate"):
        shoal.attack(tmp_path / "in.csv", table, **asked)
    certificate.unlink()
    shoal.attack(tmp_path / "in.csv", table, **asked)
