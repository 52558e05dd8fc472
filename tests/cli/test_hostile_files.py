"""Files that break other programs: each ends in a right release or in one sentence, never in a traceback."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.tables.file_bytes import UTF8_MARK
from tests.api.oracle import check, read_rows
from tests.cli.running import Ran, shoal

ROWS = [(f"n{i}", str(20 + i % 7), ("flu", "cold", "gout")[i % 3]) for i in range(24)]
HEAD = "name,age,ill\n"
PLAIN = HEAD + "".join(",".join(row) + "\n" for row in ROWS)
COLUMNS = {"name": {"role": "identifier"}, "age": {"role": "quasi"}, "ill": {"role": "sensitive"}}


def anonymize(file: Path, *more: str | Path) -> Ran:
    roles = ("--identifier", "name", "--quasi", "age", "--sensitive", "ill")
    return shoal("anonymize", file, "-o", file.parent / "out", "-k", "3", *(more or roles))


def cells(quoted: str) -> str:
    """Rows with one odd cell each."""
    return HEAD + "".join(f"{quoted},{age},{ill}\n" for _, age, ill in ROWS)


RIGHT: dict[str, bytes] = {
    "plain": PLAIN.encode(),
    "byte-order mark": UTF8_MARK + PLAIN.encode(),
    "CRLF": PLAIN.replace("\n", "\r\n").encode(),
    "CR": PLAIN.replace("\n", "\r").encode(),
    "no last line end": PLAIN.rstrip("\n").encode(),
    "UTF-16": PLAIN.encode("utf-16"),
    "latin-1": PLAIN.replace("flu", "grippé").encode("latin-1"),
    "semicolons": PLAIN.replace(",", ";").encode(),
    "tabs": PLAIN.replace(",", "\t").encode(),
    "embedded quotes and newlines": cells('"say ""hi"",\nthen; leave"').encode(),
    "quotes around everything": ("".join('"' + line.replace(",", '","') + '"\n' for line in PLAIN.split())).encode(),
    "apostrophes": cells("'quoted'").encode(),
    "a column of nulls only": (HEAD + "".join(f"{name},,{ill}\n" for name, _, ill in ROWS)).encode(),
    "nothing but nulls": (HEAD + ",,\n" * 24).encode(),
    "mixed types": PLAIN.replace(",20,", ",unknown,").encode(),
    "NaN": PLAIN.replace(",20,", ",NaN,").encode(),
    "numbers beyond 64 bits": PLAIN.replace(",20,", f",{10**30},").encode(),
    "the largest and the smallest numbers": PLAIN.replace(",20,", ",1e308,").replace(",21,", ",5e-324,").encode(),
    "blank lines": PLAIN.replace("\n", "\n\n").encode(),
    "texts like formulas and ranges": PLAIN.replace("flu", '"[1, 2]"').replace("cold", "=1+1").encode(),
    "a name that looks like data": PLAIN.replace("age", "2024", 1).encode(),
}


@pytest.mark.parametrize("case", RIGHT)
def test_an_odd_file_becomes_a_right_release(case: str, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(RIGHT[case])
    columns = {name.replace("age", "2024") if "looks like" in case else name: role for name, role in COLUMNS.items()}
    quasi = next(name for name, column in columns.items() if column["role"] == "quasi")
    ran = anonymize(
        tmp_path / "in.csv", "--identifier", "name", "--quasi", quasi, "--sensitive", "ill", "--seed", "1"
    )
    assert ran.code == 0, ran.err
    said = {
        "NaN": "column 'age': 4 NaN taken as missing.",
        "mixed types": "column 'age' is taken as labels: ",
        "latin-1": "read as cp1252, which its letters fit best; ",
    }
    assert ran.err.startswith(said.get(case, ""))
    assert ran.err.count("\n") == (case in said)
    assert shoal("verify", tmp_path / "out" / "release.csv", "-q").code == 0
    if case not in ("semicolons", "tabs"):  # the release has the separator of its source; the oracle reads commas
        encoding = {"UTF-16": "utf-16", "latin-1": "cp1252"}.get(case, "utf-8")  # that of its source
        rows = read_rows(tmp_path / "out" / "release.csv", encoding)
        assert len(rows) == 24
        assert ("grippé" in {row["ill"] for row in rows}) == (case == "latin-1")
        check(rows, {"k": 3, "columns": columns}, "generalize")


WRONG: dict[str, tuple[int, bytes]] = {
    "0 bytes": (2, b""),
    "only a line end": (2, b"\n"),
    "only spaces": (2, b"   "),
    "0 rows": (3, HEAD.encode()),
    "0 rows, no line end": (3, HEAD.rstrip().encode()),
    "1 row": (3, (HEAD + "n,1,flu\n").encode()),
    "duplicate column names": (2, PLAIN.replace("ill", "age", 1).encode()),
    "a column without a name": (2, PLAIN.replace("age", "", 1).encode()),
    "a byte-order mark and nothing": (2, UTF8_MARK),
    "infinities": (2, PLAIN.replace(",20,", ",inf,").encode()),
    "a range beyond floating point": (2, PLAIN.replace(",20,", ",1e308,").replace(",21,", ",-1e308,").encode()),
    "invalid UTF-8": (2, PLAIN.replace("n3", "n\udcff").encode(errors="surrogateescape")),
    "a NUL byte": (2, PLAIN.replace("n3", "n\0").encode()),
    "NUL bytes only": (2, b"\0" * 1000),
    "a row too short": (2, PLAIN.replace("n3,23,", "n3,").encode()),
    "a row too long": (2, PLAIN.replace("n3,", "n3,n3,").encode()),
    "a quote never closed": (2, PLAIN.replace("n3,", '"n3,').replace("n1,", '"n1",', 1).encode()),
    "no column names": (2, PLAIN.removeprefix(HEAD).replace("n", "1").encode()),
    "a picture": (2, b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20),
    "a Parquet file by another name": (2, b"PAR1" + bytes(range(256)) * 9 + b"PAR1"),
    "a page": (2, b"<!doctype html>\n<html>\n<body>404, not found</body>\n</html>\n"),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("command", ["anonymize", "profile", "compare"])
def test_a_broken_file_ends_in_one_sentence(command: str, case: str, tmp_path: Path) -> None:
    code, data = WRONG[case]
    (tmp_path / "in.csv").write_bytes(data)
    if command == "anonymize":
        ran = anonymize(tmp_path / "in.csv")
        assert ran.code == code, ran
        assert not (tmp_path / "out").exists()
    elif command == "compare":
        ran = shoal("compare", tmp_path / "in.csv", "--identifier", "name", "--quasi", "age", "--sensitive", "ill")
        assert ran.code == code, ran
    else:
        ran = shoal("profile", tmp_path / "in.csv", "--write", tmp_path / "policy.toml")
        assert ran.code in (0, code), ran  # few rows, and numbers far apart, can be looked at
    if ran.code:
        assert ran.is_one_sentence, ran.err
        assert ran.out == ""
        assert len(ran.err) < 600


@pytest.mark.parametrize("case", ["0 bytes", "invalid UTF-8", "a NUL byte", "a row too short", "a picture"])
def test_a_broken_release_does_not_hold(case: str, tmp_path: Path) -> None:
    """To verify, a damaged file is a claim that fails, or a wrong call; never a success, never a traceback."""
    (tmp_path / "good.csv").write_text(PLAIN)
    assert anonymize(tmp_path / "good.csv", "--identifier", "name", "--quasi", "age", "--other", "ill").code == 0
    (tmp_path / "out" / "release.csv").write_bytes(WRONG[case][1])
    ran = shoal("verify", tmp_path / "out" / "release.csv", "-q")
    assert ran.code in (2, 4)
    assert ran.is_one_sentence, ran.err


def test_one_column_is_a_table(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("age\n" + "".join(f"{20 + i % 7}\n" for i in range(24)) + "\n")
    assert anonymize(tmp_path / "in.csv", "--quasi", "age").code == 0
    rows = read_rows(tmp_path / "out" / "release.csv")
    assert len(rows) == 25, "in a table of one column a blank line is a missing value"
    check(rows, {"k": 3, "columns": {"age": {"role": "quasi"}}}, "aggregate")


def test_ten_thousand_columns_are_a_table(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(10_000)]
    lines = [",".join(names), *(",".join(str(i * row % 7) for i in range(10_000)) for row in range(12))]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    role = {0: "quasi", 1: "quasi", 2: "sensitive"}
    policy = "".join(f'[columns.{name}]\nrole = "{role.get(i, "identifier")}"\n' for i, name in enumerate(names))
    (tmp_path / "policy.toml").write_text(policy)
    ran = anonymize(tmp_path / "in.csv", "-p", tmp_path / "policy.toml", "-q")
    assert (ran.code, ran.err) == (0, "")
    assert shoal("verify", tmp_path / "out", "-q").code == 0
    unnamed = shoal("anonymize", tmp_path / "in.csv", "-o", tmp_path / "no", "--quasi", "c1")
    assert (unnamed.code, unnamed.is_one_sentence) == (2, True)
    assert len(unnamed.err) < 1500, "not all 9,999 names"


@pytest.fixture
def long_line(tmp_path: Path) -> Iterator[Path]:
    """Removed at once: the next test needs the room."""
    yield tmp_path / "in.csv"
    (tmp_path / "in.csv").unlink()


@pytest.mark.parametrize("begin", [HEAD + "n1,1,", HEAD + '"', ""])
def test_a_line_of_200_megabytes_is_told(begin: str, long_line: Path) -> None:
    with long_line.open("w") as file:
        file.write(begin)
        for _ in range(200):
            file.write("x" * 1_000_000)
        file.write('",1,flu\n' if '"' in begin else "\n")
    ran = anonymize(long_line)
    assert (ran.code, ran.is_one_sentence) == (2, True), ran.err
    assert len(ran.err) < 600


def test_a_folder_and_a_file_that_may_not_be_read_are_told(tmp_path: Path) -> None:
    for name in ("missing.csv", ".", "missing.xlsx", "missing"):
        ran = anonymize(tmp_path / name)
        assert (ran.code, ran.is_one_sentence) == (2, True), ran.err
    closed = tmp_path / "closed.csv"
    closed.write_text(PLAIN)
    closed.chmod(0)
    if os.access(closed, os.R_OK):  # the superuser reads everything
        assert anonymize(closed).code == 0
    else:
        ran = anonymize(closed)
        assert (ran.code, ran.is_one_sentence) == (2, True)
        assert "may not be read" in ran.err


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "in.csv")
    ran = anonymize(tmp_path / "in.csv")
    assert (ran.code, ran.is_one_sentence) == (2, True)


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_binary_files_that_are_damaged_or_odd_are_told(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"in.{ending}"
    file.write_bytes(b"")
    assert (anonymize(file).code, anonymize(file).is_one_sentence) == (2, True)
    file.write_bytes(PLAIN.encode())
    assert (anonymize(file).code, anonymize(file).is_one_sentence) == (2, True)
    names, ages, ills = zip(*ROWS, strict=True)
    nested = pa.table({"name": names, "age": [{"years": int(age)} for age in ages], "ill": ills})
    whole = pa.table({"name": names, "age": [int(age) for age in ages], "ill": ills})
    for table, code in ((nested, 2), (whole, 0)):
        if ending == "parquet":
            pq.write_table(table, file)
        else:
            with pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
        ran = anonymize(file)
        assert ran.code == code, ran.err
        assert ran.is_one_sentence or not code
    assert shoal("verify", tmp_path / "out" / f"release.{ending}", "-q").code == 0
    file.write_bytes(file.read_bytes()[:-20])
    assert (anonymize(file).code, anonymize(file).is_one_sentence) == (2, True)


def test_a_policy_for_another_table_names_the_column(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(PLAIN)
    (tmp_path / "policy.toml").write_text('[columns.aeg]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n')
    ran = anonymize(tmp_path / "in.csv", "-p", tmp_path / "policy.toml")
    assert (ran.code, ran.is_one_sentence) == (2, True)
    assert "'aeg'" in ran.err
    assert "'age'" in ran.err, "what was meant"
