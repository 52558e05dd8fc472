"""Nothing that a table, a file name or a policy holds can speak to the terminal, or turn the text of a page."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from tests.cli.running import Ran, shoal

EVIL = "a\x1b[31m\x9b2J\x1b]0;title\x07\u202e\u2066b\r"


def unsafe(text: str) -> set[str]:
    return {sign for sign in text if sign != "\n" and unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp")}


def check(ran: Ran, code: int) -> Ran:
    assert ran.code == code, ran.err
    assert not unsafe(ran.out), ran.out
    assert not unsafe(ran.err), ran.err
    return ran


@pytest.fixture
def table(tmp_path: Path) -> Path:
    source = tmp_path / "in.csv"
    rows = "".join(f"{20 + place % 4},{place % 3},x{place}\n" for place in range(12))
    source.write_text(f'"{EVIL}1","{EVIL}2","{EVIL}3"\n{rows}', encoding="utf-8", newline="")
    return source


def roles(tmp_path: Path) -> Path:
    policy = tmp_path / "policy.toml"
    name = "".join(f"\\u{ord(sign):04x}" for sign in EVIL)
    given = zip("123", ("quasi", "sensitive", "other"), strict=True)
    columns = "".join(f'[columns."{name}{place}"]\nrole = "{role}"\n' for place, role in given)
    policy.write_text(f"k = 2\n{columns}publish_rare = true\n", encoding="utf-8")
    return policy


def test_column_names_of_a_whole_run(table: Path, tmp_path: Path) -> None:
    policy, out = roles(tmp_path), tmp_path / "out"
    check(shoal("profile", table), 0)
    check(shoal("profile", table, "--json"), 0)
    check(shoal("anonymize", table, "--policy", policy, "--publication", "generalize", "--out", out), 0)
    check(shoal("anonymize", table, "--policy", policy, "--publication", "generalize", "--out", out, "--json"), 0)
    check(shoal("verify", out), 0)
    check(shoal("attack", table, out, "--policy", policy), 0)
    check(shoal("compare", table, "--policy", policy, "-k", "2,3"), 0)
    check(shoal("apply", tmp_path / "out.private" / "plan.json", table, "--out", tmp_path / "again"), 0)
    check(shoal("hierarchy", table, f"{EVIL}3", "-k", "2"), 0)
    for page in [*tmp_path.rglob("*.html")]:
        assert not unsafe(page.read_text(encoding="utf-8").replace("\t", ""))


def test_names_in_errors(table: Path, tmp_path: Path) -> None:
    missing = tmp_path / f"{EVIL}.csv"
    ran = check(shoal("profile", missing), 2)
    assert ran.is_one_sentence
    check(shoal("anonymize", table, "--quasi", EVIL, "--out", tmp_path / "out"), 2)
    check(shoal("anonymize", table, "--quasi", "age", "--out", tmp_path / "out"), 2)
    check(shoal("anonymize", table, "--policy", EVIL, "--out", tmp_path / "out"), 2)
    check(shoal("hierarchy", table, EVIL), 2)
    check(shoal("anonymize", table, f"--{EVIL}", "--out", tmp_path / "out"), 2)
    check(shoal("anonymize", table, "--method", EVIL, "--out", tmp_path / "out"), 2)
    hostile = 'k = 2\nmethod = "\\u001b[31m\\u202e"\n[columns."\\u001b"]\nrole="\\u009b"\n'
    (tmp_path / "policy.toml").write_text(hostile, encoding="utf-8")
    check(shoal("anonymize", table, "--policy", tmp_path / "policy.toml", "--out", tmp_path / "out"), 2)
    missing.write_text("a,b\n1\n", encoding="utf-8")
    check(shoal("profile", missing), 2)
    check(shoal("verify", missing, roles(tmp_path)), 4)
