"""A released table in several files is counted as one, on any number of threads, and no file can be left out, added,
doubled, exchanged or changed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.certify import Certificate, Findings, in_threads, reading, reduced, sha256_of
from shoal.certify.certificate import issue
from shoal.certify.reduced import Reduced, reduce, reduce_files
from shoal.certify.several_files import are_complete, digest_of_files, file_names, is_one_of_several, several_of
from shoal.errors import ParameterError, SchemaError, ShoalError, TableError
from shoal.policy import Policy
from shoal.tables import scan, write_file

KINDS = ("csv", "parquet", "arrow")
ROWS = 90


def people() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": [20 + 7 * n % 60 if n % 11 else None for n in range(ROWS)],
            "sex": ["fmx"[n % 3] for n in range(ROWS)],
            "illness": [["flu", "cold", "gout", None][n * n % 4] for n in range(ROWS)],
            "note": [f"{n % 30}" for n in range(ROWS)],
        }
    )


@pytest.fixture(scope="module")
def release() -> Any:
    return shoal.anonymize(people(), k=3, l=2, quasi=["age", "sex"], sensitive="illness", other="note")


@pytest.fixture(scope="module")
def written(release: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The release in files of at most 25 rows, in every format."""
    folder = tmp_path_factory.mktemp("written")
    for kind in KINDS:
        release.write(folder / kind, format=kind, rows_per_file=25)
    return {kind: folder / kind for kind in KINDS}


@pytest.fixture(params=[False, True], ids=["whole", "in parts"])
def in_parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether files of any size are counted while they are read."""
    monkeypatch.setattr(scan, "ROWS", 4)
    monkeypatch.setattr(scan, "PART", 150)
    for kind in reading.LARGE:
        monkeypatch.setitem(reading.LARGE, kind, 0 if request.param else 1 << 60)
    return bool(request.param)


def holds(*asked: Any) -> bool:
    try:
        return bool(shoal.verify(*asked).holds)
    except ShoalError:
        return False


def files_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("release-*"))


@pytest.mark.parametrize("kind", KINDS)
def test_the_folder_holds_by_its_own_name_and_by_that_of_any_file(
    kind: str, release: Any, written: dict[str, Path], in_parts: bool
) -> None:
    out = written[kind]
    assert [file.name for file in files_in(out)] == file_names(4, kind)
    found = shoal.verify(out)
    assert found.holds
    assert (found.rows, found.groups, found.k) == (ROWS, release.findings.groups, release.findings.k)
    for file in files_in(out):
        assert shoal.verify(file) == found
    assert shoal.verify(out, release.policy).holds
    assert shoal.read_release(out).height == ROWS


def test_what_is_found_is_what_one_file_has(
    release: Any, written: dict[str, Path], in_parts: bool, tmp_path: Path
) -> None:
    one = release.write(tmp_path / "one", format="parquet").findings
    several = shoal.verify(written["parquet"])
    assert replace(one, sha256=None, files={}) == replace(several, sha256=None, files={})


def test_the_digest_of_the_table_is_that_of_the_list_of_sha256sum(written: dict[str, Path]) -> None:
    out = written["parquet"]
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files_in(out)]
    told = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
    assert told["published_sha256"] == hashlib.sha256("".join(lines).encode()).hexdigest()
    described = json.loads((out / "datapackage.json").read_text(encoding="utf-8"))["resources"][0]
    assert described["path"] == file_names(4, "parquet")
    assert described["bytes"] == sum(file.stat().st_size for file in files_in(out))
    assert described["hash"] == f"sha256:{told['published_sha256']}"
    page = (out / "codebook.html").read_text(encoding="utf-8")
    assert "4 files, <code>release-00001-of-00004.parquet</code> to" in page


def _missing(files: list[Path]) -> None:
    files[1].unlink()


def _added(files: list[Path]) -> None:
    shutil.copy(files[0], files[0].with_name(files[0].name.replace("00001-of", "00005-of")))


def _added_of_another_number(files: list[Path]) -> None:
    shutil.copy(files[0], files[0].with_name(f"release-00001-of-00001{files[0].suffix}"))


def _added_as_one_table(files: list[Path]) -> None:
    shutil.copy(files[0], files[0].with_name(f"release{files[0].suffix}"))


def _doubled(files: list[Path]) -> None:
    shutil.copy(files[0], files[1])


def _exchanged(files: list[Path]) -> None:
    files[0].rename(files[0].with_name("aside"))
    files[1].rename(files[0])
    files[0].with_name("aside").rename(files[1])


def _changed(files: list[Path]) -> None:
    frame = cells_of(files[2])
    files[2].unlink()
    write_file(frame.with_columns(illness=frame["illness"].reverse()), files[2])


def _with_a_row_less(files: list[Path]) -> None:
    frame = cells_of(files[3])
    files[3].unlink()
    write_file(frame.head(frame.height - 1), files[3])


def _renumbered(files: list[Path]) -> None:
    for file in files:
        file.rename(file.with_name(file.name.replace("-of-00004", "-of-00005")))


def _truncated(files: list[Path]) -> None:
    files[1].write_bytes(files[1].read_bytes()[:-9])


def _emptied(files: list[Path]) -> None:
    files[1].write_bytes(b"")


def _linked(files: list[Path]) -> None:
    files[1].unlink()
    files[1].symlink_to(files[0])


def _with_a_column_more(files: list[Path]) -> None:
    frame = cells_of(files[1])
    files[1].unlink()
    write_file(frame.with_columns(name=pl.lit("Anna")), files[1])


def _with_columns_in_another_order(files: list[Path]) -> None:
    frame = cells_of(files[1])
    files[1].unlink()
    write_file(frame.select(reversed(frame.columns)), files[1])


FORGERIES = [
    _missing, _added, _added_of_another_number, _added_as_one_table, _doubled, _exchanged, _changed, _with_a_row_less,
    _renumbered, _truncated, _emptied, _linked, _with_a_column_more, _with_columns_in_another_order,
]  # fmt: skip


def cells_of(file: Path) -> pl.DataFrame:
    read = {".csv": partial(pl.read_csv, infer_schema=False), ".parquet": pl.read_parquet, ".arrow": pl.read_ipc}
    made: pl.DataFrame = read[file.suffix](file.read_bytes())
    return made


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("forge", FORGERIES)
def test_a_forged_folder_is_refused(
    forge: Any, kind: str, written: dict[str, Path], in_parts: bool, tmp_path: Path
) -> None:
    out = Path(shutil.copytree(written[kind], tmp_path / "out"))
    files = files_in(out)
    own = certified(out)
    forge(files)
    assert not holds(out)
    assert not holds(files[1])
    assert not holds(files[0], own)
    with pytest.raises(ShoalError):
        shoal.read_release(out)


def certified(folder: Path) -> Policy:
    return Certificate.from_json((folder / "certificate.json").read_text(encoding="utf-8")).public_policy()


def reissued(folder: Path, **changes: Any) -> None:
    """Write a certificate of the forger's own, true to the files in the folder as they are now."""
    place = folder / "certificate.json"
    found = Certificate.from_json(place.read_text(encoding="utf-8"))
    names = [file.name for file in folder.iterdir() if file.name != place.name]
    files = {name: sha256_of(folder / name) for name in names}
    together = digest_of_files({name: files[name] for name in several_of(names)})
    place.write_text(
        replace(found, files=files, published_sha256=together, **changes).to_public_json(), encoding="utf-8"
    )


@pytest.mark.parametrize("forge", [one for one in FORGERIES if one not in (_exchanged, _linked)])
def test_so_is_one_with_a_certificate_of_the_forgers_own(
    forge: Any, written: dict[str, Path], in_parts: bool, tmp_path: Path
) -> None:
    """Every digest is right. The codebook, the numbers of rows, the columns or the names of the files are not."""
    out = Path(shutil.copytree(written["parquet"], tmp_path / "out"))
    forge(files_in(out))
    reissued(out)
    assert not holds(out)


def test_a_file_with_other_types_is_refused(written: dict[str, Path], in_parts: bool, tmp_path: Path) -> None:
    """Numbers in place of texts are the same texts when they are read back, so that nothing else would see it."""
    out = Path(shutil.copytree(written["parquet"], tmp_path / "out"))
    last = files_in(out)[-1]
    frame = pl.read_parquet(last)
    assert frame.schema["note"] == pl.String
    last.unlink()
    write_file(frame.with_columns(pl.col("note").cast(pl.Int64)), last)
    reissued(out)
    failed = shoal.verify(out).failures
    assert any("do not have the same columns" in failure.message for failure in failed)


def test_a_group_that_is_too_small_is_found_wherever_its_rows_are(in_parts: bool, tmp_path: Path) -> None:
    """Two people in one file and one in another are three; without the one they are two."""
    policy = {"k": 3, "columns": {"age": {"role": "quasi"}, "illness": {"role": "other"}}}
    for number, name in enumerate(file_names(3, "parquet")):
        frame = pl.DataFrame({"age": ["[30, 39]", "[40, 49]"], "illness": ["flu", f"{number}"]})
        write_file(frame, tmp_path / name)
    found = shoal.verify(tmp_path, policy, form="generalize")
    assert (found.holds, found.k, found.rows, found.groups) == (True, 3, 6, 2)
    last = tmp_path / file_names(3, "parquet")[2]
    last.unlink()
    write_file(pl.DataFrame({"age": ["[40, 49]", "[40, 49]"], "illness": ["flu", "2"]}), last)
    found = shoal.verify(tmp_path, policy, form="generalize")
    assert (found.holds, found.k, found.rows, found.groups) == (False, 2, 6, 2)
    last.unlink()
    failed = shoal.verify(tmp_path, policy, form="generalize").failures
    assert any("holds 2 files of its table, and their names speak of others" in one.message for one in failed)


def test_the_order_of_rows_and_which_file_has_them_change_no_count(
    written: dict[str, Path], in_parts: bool, tmp_path: Path
) -> None:
    shutil.copytree(written["parquet"], tmp_path / "out")
    policy, files = certified(tmp_path / "out"), files_in(tmp_path / "out")
    before = shoal.verify(tmp_path / "out", policy)
    (tmp_path / "out/certificate.json").unlink()
    together = pl.concat([pl.read_parquet(file) for file in files]).sample(fraction=1, shuffle=True, seed=3)
    for number, file in enumerate(files):
        file.unlink()
        write_file(together[number::4], file)
    after = shoal.verify(tmp_path / "out", policy)
    assert replace(after, sha256=None, files={}) == replace(before, sha256=None, files={})


CELL = st.sampled_from(["* or missing", "[30, 39]", "{a, b}", "*", None, "", "35"])
SENSITIVE = st.sampled_from(["flu", "cold", "1", "1.0", None, "flu "])
NAMES = ["age", "zip", "illness", "who", "note"]


@given(st.data())
def test_files_are_counted_as_one_table_on_any_number_of_threads(data: st.DataObject) -> None:
    people = st.sampled_from(["1", "2", "3", None])
    rows = data.draw(st.lists(st.tuples(CELL, CELL, SENSITIVE, people, SENSITIVE), max_size=24))
    frame = pl.DataFrame(rows, schema=dict.fromkeys(NAMES, pl.String), orient="row")
    cuts = sorted(data.draw(st.lists(st.integers(0, frame.height), max_size=5)))
    parts = [frame[start:end] for start, end in zip([0, *cuts], [*cuts, frame.height], strict=True)]
    columns = {
        "age": {"role": data.draw(st.sampled_from(["quasi", "other"]))},
        "zip": {"role": data.draw(st.sampled_from(["quasi", "sensitive"]))},
        "illness": {"role": "sensitive"},
        "who": {"role": data.draw(st.sampled_from(["person", "other"]))},
        "note": {"role": "other"},
    }
    policy = Policy.parse({"k": 2, "columns": columns})
    scans = [lambda part=part: iter([part.head(1), part.tail(-1)]) for part in parts]
    whole = reduce([frame], policy, "generalize")
    threads, many = in_threads.n_threads, reduced._MANY
    try:
        for n_threads in (1, 2, 7):
            in_threads.n_threads = lambda n=n_threads: n
            reduced._MANY = data.draw(st.sampled_from([0, 3, many]))
            assert_equal(reduce_files(scans, policy, "generalize"), whole)
    finally:
        in_threads.n_threads, reduced._MANY = threads, many


def assert_equal(found: Reduced, expected: Reduced) -> None:
    assert (found.names, found.height, found.columns) == (expected.names, expected.height, expected.columns)
    assert found.frame.equals(expected.frame)
    assert found.records.tolist() == expected.records.tolist()
    assert all(found.times[name].equals(expected.times[name]) for name in expected.names)
    assert rows_of(found.classes.people) == rows_of(expected.classes.people)
    assert found.classes.texts.keys() == expected.classes.texts.keys()
    for name, texts in expected.classes.texts.items():
        assert rows_of(found.classes.texts[name]) == rows_of(texts)
    assert found.classes.failures == expected.classes.failures


def rows_of(frame: pl.DataFrame) -> list[tuple[Any, ...]]:
    return sorted(frame.rows(), key=repr)


def test_files_with_other_columns_are_not_counted_together() -> None:
    policy = Policy.parse({"k": 2, "columns": {"a": {"role": "quasi"}, "b": {"role": "other"}}})
    one, other = pl.DataFrame({"a": ["1"], "b": ["2"]}), pl.DataFrame({"b": ["1"], "a": ["2"]})
    with pytest.raises(SchemaError, match="same columns"):
        reduce_files([lambda: iter([one]), lambda: iter([other])], policy, "generalize")


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_of_threads_are_in_the_order_of_the_calls(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_threads, "n_threads", lambda: threads)
    begun: list[int] = []
    gate = threading.Event()

    def late(number: int) -> int:
        begun.append(number)
        if number == 0 and threads > 1:  # the first ends after the second
            assert gate.wait(10)
        if number == 1:
            gate.set()
        return number * number

    assert list(in_threads.in_threads(late, range(20))) == [number * number for number in range(20)]
    assert sorted(begun) == list(range(20))


def test_an_error_in_a_thread_is_raised_and_the_rest_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_threads, "n_threads", lambda: 1)
    begun: list[int] = []

    def fails(number: int) -> int:
        begun.append(number)
        if number == 2:
            raise TableError("this cannot be read.")
        return number

    with pytest.raises(TableError, match="cannot be read"):
        list(in_threads.in_threads(fails, range(100)))
    assert max(begun) <= 4


def test_there_are_as_many_threads_as_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 8}, raising=False)
    assert in_threads.n_threads() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert in_threads.n_threads() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert in_threads.n_threads() == 1


def test_names_are_complete_only_if_every_number_is_there_once() -> None:
    names = file_names(3, "csv")
    assert names == [
        "release-00001-of-00003.csv", "release-00002-of-00003.csv", "release-00003-of-00003.csv",
    ]  # fmt: skip
    assert are_complete(names)
    assert are_complete(file_names(1, "arrow"))
    assert not are_complete([])
    assert not are_complete(names[:2])
    assert not are_complete(names[1:])
    assert not are_complete([*names, names[2]])
    assert not are_complete([*names[:2], "release-00003-of-00003.parquet"])
    assert not are_complete([*names[:2], "release-00004-of-00003.csv"])
    assert not are_complete([*names[:2], "notes.txt"])
    for odd in (
        "release-1-of-3.csv", "release-00001-of-00003.xlsx", "release-00001-of-00003.csv\n", "release.csv",
        "Release-00001-of-00003.csv", "release-٠٠٠٠١-of-00003.csv", "xrelease-00001-of-00003.csv",
    ):  # fmt: skip
        assert not is_one_of_several(odd)
    assert several_of(["release.csv", *reversed(names), "certificate.json"]) == names


def as_certified(release: Any, files: dict[str, str], published: str) -> str:
    found = replace(release.findings, files=files, sha256=published)
    return issue(found, release.policy, release.facts).to_public_json()


def test_a_certificate_lists_all_files_of_its_table(release: Any) -> None:
    digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in file_names(3, "csv")}
    whole = digest_of_files(digests)
    assert Certificate.from_json(as_certified(release, digests, whole)).files == digests
    one = {"release.csv": "0" * 64}
    first = file_names(3, "csv")[0]
    odd = [
        (digests, "0" * 64),
        (digests, digests[first]),
        (digests | one, whole),
        (digests | one, "0" * 64),
        ({first: digests[first]}, digest_of_files({first: digests[first]})),
        ({}, whole),
    ]
    for files, published in odd:
        with pytest.raises(ParameterError, match="does not list"):
            Certificate.from_json(as_certified(release, files, published))


@pytest.mark.parametrize("settings", [{"synthetic": "marginals"}, {"metadata": ["croissant"]}])
def test_nor_has_it_synthetic_rows_or_descriptions_beside_several_files(settings: dict[str, Any]) -> None:
    release = shoal.anonymize(people(), k=3, quasi=["age", "sex"], sensitive="illness", other="note", **settings)
    digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in file_names(3, "csv")}
    with pytest.raises(ParameterError, match="which a table in several files has not"):
        Certificate.from_json(as_certified(release, digests, digest_of_files(digests)))


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"release-00001-of-00002\.csv"):
        shoal.verify(tmp_path / "release-00001-of-00002.csv", {"k": 2, "columns": {"a": {"role": "quasi"}}})


def test_a_folder_with_both_one_table_and_several_files_is_ambiguous(tmp_path: Path) -> None:
    for name in ("release.csv", *file_names(2, "csv")):
        write_file(pl.DataFrame({"a": ["1", "1"]}), tmp_path / name)
    with pytest.raises(ParameterError, match="holds 2 files"):
        shoal.verify(tmp_path, {"k": 2, "columns": {"a": {"role": "quasi"}}})


def test_findings_of_any_file_say_what_files_there_are(written: dict[str, Path]) -> None:
    found = shoal.verify(files_in(written["csv"])[1])
    assert isinstance(found, Findings)
    assert {*file_names(4, "csv"), "codebook.html", "datapackage.json"} == found.files.keys()
