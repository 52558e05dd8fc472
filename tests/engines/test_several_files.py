"""Releases in blocks that are written to several files: random parts of equal size, on any number of cores."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import chi2

import shoal
from shoal.certify.several_files import file_names
from shoal.engines import local, released_files
from shoal.engines.folder import LargeRelease
from shoal.engines.local import LocalEngine
from shoal.engines.pieces import pieces
from shoal.engines.release import release_rows
from shoal.errors import ParameterError, TableError
from shoal.policy import Policy
from shoal.results.several_files import write_several
from shoal.secret import Secret
from shoal.tables.file_sizes import MOST_FILES, ends_of_files
from tests.cli.running import shoal as command
from tests.engines.tables import people, policy, stored

SECRET = Secret(bytes(range(32)), 0)


def written(
    table: Path, asked: Policy, out: Path, *, n_workers: int = 1, rows_per_file: int | None = 70, size: int = 100
) -> dict[str, bytes]:
    """Return every public file of a release by its name."""
    engine = LocalEngine(out.parent, n_workers=n_workers)
    try:
        rows = release_rows(engine, engine.read(table), asked, SECRET, source="table", size=size)
        LargeRelease(rows=rows, seconds=rows.seconds).write(out, rows_per_file=rows_per_file)
    finally:
        engine.close()
    return {file.name: file.read_bytes() for file in out.iterdir()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("several")
    stored(people(300, gaps=True), made, rows=100)
    stored(people(300, gaps=True).sample(fraction=1, shuffle=True, seed=5), made, rows=70, name="shuffled.parquet")
    stored(people(240, visits=True), made, rows=100, name="visits.parquet")
    return made


@pytest.fixture(scope="module")
def one_worker(folder: Path) -> dict[str, bytes]:
    return written(folder / "table.parquet", policy(effort=1.0), folder / "one")


def frames(folder: Path) -> list[pl.DataFrame]:
    return [pl.read_parquet(file) for file in sorted(folder.glob("release-*.parquet"))]


def test_files_have_equal_sizes_and_hold_what_one_file_holds(folder: Path, one_worker: dict[str, bytes]) -> None:
    assert [name for name in sorted(one_worker) if name.startswith("release")] == file_names(5, "parquet")
    parts = frames(folder / "one")
    assert [part.height for part in parts] == [60] * 5
    written(folder / "table.parquet", policy(effort=1.0), folder / "single", rows_per_file=None)
    single = pl.read_parquet(folder / "single/release.parquet")
    assert Counter(pl.concat(parts).rows()) == Counter(single.rows())
    assert shoal.verify(folder / "one").holds
    told = json.loads((folder / "one/certificate.json").read_text(encoding="utf-8"))
    assert set(file_names(5, "parquet")) < told["files"].keys()


def test_workers_and_the_order_of_rows_change_no_byte(
    folder: Path, one_worker: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "CHUNK", 64)
    monkeypatch.setattr(local, "BUCKET", 32)  # of this process alone: the number of buckets is decided here
    again = written(folder / "shuffled.parquet", policy(effort=1.0), folder / "two", n_workers=2)
    assert again == one_worker


def test_people_are_numbered_over_all_files(folder: Path) -> None:
    asked = policy(visits=True, effort=1.0)
    written(folder / "visits.parquet", asked, folder / "visits", n_workers=2)
    assert shoal.verify(folder / "visits").holds
    written(folder / "visits.parquet", asked, folder / "visits-single", rows_per_file=None)
    single = pl.read_parquet(folder / "visits-single/release.parquet")
    assert Counter(pl.concat(frames(folder / "visits")).rows()) == Counter(single.rows())


def test_a_release_in_several_files_replaces_one_in_fewer_and_none_is_left(folder: Path) -> None:
    asked = policy(effort=1.0)
    for rows_per_file, n_files in ((70, 5), (150, 2), (1000, 1)):
        names = written(folder / "table.parquet", asked, folder / "again", rows_per_file=rows_per_file)
        assert [name for name in sorted(names) if name.startswith("release")] == file_names(n_files, "parquet")
        assert shoal.verify(folder / "again").holds


def test_a_failure_while_files_are_written_leaves_the_earlier_release(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, asked, out = folder / "table.parquet", policy(effort=1.0), folder / "kept"
    before = written(table, asked, out, rows_per_file=None)
    plain = released_files.file_names
    monkeypatch.setattr(released_files, "file_names", lambda n, kind: [*plain(n, kind)[:-1], "no/such/folder"])
    with pytest.raises(TableError, match="cannot be written"):
        written(table, asked, out)
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before
    assert not [one.name for one in folder.iterdir() if one.name.startswith((".kept.shoal-", ".shoal-"))]
    assert shoal.verify(out).holds


KILLED = """
import os, signal, sys
from pathlib import Path
from shoal.engines import folder
from tests.engines.test_several_files import written
from tests.engines.tables import policy

table, out = Path(sys.argv[1]), Path(sys.argv[2])
written(table, policy(effort=1.0), out)
plain = folder.write_several_files

def killed(*given):
    plain(*given)
    os.kill(os.getpid(), signal.SIGKILL)

folder.write_several_files = killed
written(table, policy(effort=1.0), out, rows_per_file=20)
"""


def test_a_run_that_is_killed_when_all_files_are_written_leaves_the_earlier_release(tmp_path: Path) -> None:
    table, out = stored(people(140), tmp_path, rows=100), tmp_path / "out"
    ended = subprocess.run([sys.executable, "-c", KILLED, str(table), str(out)], check=False, cwd=Path.cwd())
    assert ended.returncode == -signal.SIGKILL
    assert [file.name for file in sorted(out.glob("release-*"))] == file_names(2, "parquet")
    shoal.recover(out)
    assert [file.name for file in sorted(out.glob("release-*"))] == file_names(2, "parquet")
    assert shoal.verify(out).holds
    assert not list(tmp_path.glob(".out.shoal-[0-9a-f]*"))


def test_the_file_of_a_row_says_nothing_about_it(tmp_path: Path) -> None:
    """Files are as independent of the order of the source and of the illness as chance has it."""
    n, n_files = 1200, 4
    rows = pl.DataFrame(
        {
            "age": [20 + number % 2 for number in range(n)],  # two classes of equal people
            "illness": [f"i{number}" for number in range(n)],  # each row has its own, by which it is followed
        }
    )
    stored(rows, tmp_path, rows=300)
    columns = {"age": {"role": "quasi", "kind": "number"}, "illness": {"role": "other", "publish_rare": True}}
    asked = Policy.parse({"k": 5, "effort": 1, "columns": columns})
    written(tmp_path / "table.parquet", asked, tmp_path / "out", rows_per_file=n // n_files, size=300)
    file_of = {cell: number for number, part in enumerate(frames(tmp_path / "out")) for cell in part["illness"]}
    assert len(file_of) == n
    assert_by_chance([file_of[f"i{row}"] for row in range(n)])


def assert_by_chance(files: list[int]) -> None:
    """The four files say neither in what quarter of the table a row was, nor what class it has, nor who is next."""
    n, n_files = len(files), 4
    for known in (lambda row: 4 * row // n, lambda row: row % 2, lambda row: row // 2 % 5):
        counted = Counter((known(row), files[row]) for row in range(n))
        groups = sorted({known(row) for row in range(n)})
        expected = n / len(groups) / n_files
        square = sum((counted[group, file] - expected) ** 2 / expected for group in groups for file in range(n_files))
        assert square < chi2.ppf(1 - 1e-6, (len(groups) - 1) * (n_files - 1))
    beside = sum(files[row] == files[row + 2] for row in range(n - 2))  # of one class
    assert abs(beside - n / n_files) < 5 * (n * 3 / 16) ** 0.5


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_nor_does_it_of_a_table_in_memory(kind: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": ["20", "21"] * 600, "row": range(1200)})
    first = write_several(frame, tmp_path / f"release.{kind}", [300, 600, 900, 1200], SECRET, None)
    files = sorted(first.parent.iterdir())
    assert [file.name for file in files] == file_names(4, kind)
    parts = [pl.read_csv(file) if kind == "csv" else pl.read_parquet(file) for file in files]
    assert [part.height for part in parts] == [300] * 4
    file_of = {row: number for number, part in enumerate(parts) for row in part["row"]}
    assert_by_chance([file_of[row] for row in range(1200)])


def test_ends_of_files_are_as_equal_as_can_be() -> None:
    for n in range(1, 40):
        for rows in range(1, 45):
            ends = ends_of_files(n, rows)
            sizes = [end - start for start, end in zip([0, *ends], ends, strict=False)]
            assert ends[-1] == n
            assert max(sizes) - min(sizes) <= 1
            assert min(sizes) >= 1
            assert max(sizes) <= rows
            assert len(sizes) == -(-n // rows)
    with pytest.raises(ParameterError, match="at most 10000"):
        ends_of_files(2 * MOST_FILES + 1, 2)
    assert len(ends_of_files(2 * MOST_FILES, 2)) == MOST_FILES
    for odd in (0, -1, True, 2.0):
        with pytest.raises(ParameterError, match="whole number of rows"):
            ends_of_files(5, odd)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [1, 3, 4, 100])
def test_batches_are_cut_into_pieces_wherever_they_end(size: int) -> None:
    def batches() -> pa.RecordBatch:
        for start in range(0, 10, size):
            yield pa.record_batch({"n": list(range(start, min(start + size, 10)))})

    found = [[n for one in piece for n in one["n"].to_pylist()] for piece in pieces(batches(), [3, 4, 8, 10])]
    assert found == [[0, 1, 2], [3], [4, 5, 6, 7], [8, 9]]


def test_row_groups_have_their_number_of_rows_in_whatever_tables_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(released_files, "GROUP_ROWS", 4)
    for sizes in ([10], [3, 3, 4], [1] * 10, [4, 4, 2], [0, 9, 0, 1]):
        starts = [sum(sizes[:place]) for place in range(len(sizes))]
        tables = (
            pa.table({"n": pa.array(range(start, start + n), pa.int64())})
            for start, n in zip(starts, sizes, strict=True)
        )
        found = [one["n"].to_pylist() for one in released_files._groups(tables)]
        assert found == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


@pytest.mark.parametrize("engine", [[], ["--engine", "local"]])
def test_the_command_writes_several_files(engine: list[str], folder: Path, tmp_path: Path) -> None:
    policy(effort=1.0).write(tmp_path / "policy.toml")
    arguments = ["anonymize", str(folder / "table.parquet"), "--policy", str(tmp_path / "policy.toml"), *engine]
    found = command(*arguments, "--out", str(tmp_path / "out"), "--rows-per-file", "100", "--json")
    assert found.code == 0, found.err
    assert json.loads(found.out)["file"] == str(tmp_path / "out/release-00001-of-00003.parquet")
    assert [part.height for part in frames(tmp_path / "out")] == [100] * 3
    assert command("verify", str(tmp_path / "out"), "-q").code == 0
    (tmp_path / "out/release-00002-of-00003.parquet").unlink()
    assert command("verify", str(tmp_path / "out"), "-q").code == 4


def test_what_several_files_cannot_have_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    policy(effort=1.0).write(tmp_path / "policy.toml")
    arguments = ["anonymize", str(folder / "table.parquet"), "--policy", str(tmp_path / "policy.toml")]
    for options, said in (
        (["--format", "xlsx"], "--rows-per-file is not for spreadsheets"),
        (["--format", "csv", "--excel"], "--rows-per-file is not for spreadsheets"),
        (["--synthetic", "marginals"], "synthetic rows cannot be beside several files"),
        (["--metadata", "ddi"], "descriptions for catalogs are of one file"),
        (["--metadata", "ddi", "--engine", "local"], "descriptions for catalogs are of one file"),
    ):
        found = command(*arguments, "--out", str(tmp_path / "refused"), "--rows-per-file", "100", *options)
        assert found.code == 2
        assert said in " ".join(found.err.split())
        assert not (tmp_path / "refused").exists()
