"""Files of SPSS, Stata, SAS and R: codes become their labels, what they call missing is missing."""

from __future__ import annotations

import gzip
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyreadstat
import pytest
import rdata

import shoal
from shoal.errors import EngineError, ShoalError
from shoal.tables import read, room
from shoal.tables.value_labels import with_labels
from tests.cli.running import shoal as command

R_FILES = Path(rdata.__file__).parent / "tests" / "data"
"""Files that R wrote, in the package of the reader."""
PEOPLE = pd.DataFrame(
    {
        "sex": [1.0, 2.0, 1.0, 9.0],
        "age": [34.0, 99.0, 20.0, np.nan],
        "name": ["Zoë", "Max", "", "Ada"],
        "born": [date(1999, 12, 31), date(1960, 1, 1), date(2001, 2, 3), date(1850, 1, 1)],
        "dose": [0.5, 1.0, np.nan, 2.0],
    }
)
LABELS: dict[str, dict[float, str]] = {
    "sex": {1: "male", 2: "female", 3: "other", 9: "refused"},
    "age": {99: "No answer"},
}


def test_spss_has_labels_and_declared_missing_values(tmp_path: Path) -> None:
    for name in ("in.sav", "in.zsav"):
        pyreadstat.write_sav(
            PEOPLE,
            tmp_path / name,
            variable_value_labels=LABELS,
            missing_ranges={"sex": [9]},
            compress=name == "in.zsav",
        )
        table = read(tmp_path / name)
        assert table.frame["sex"].to_list() == ["male", "female", "male", None]
        assert table.frame["age"].to_list() == [34, None, 20, None]
        assert table.frame["name"].to_list() == ["Zoë", "Max", None, "Ada"]
        assert table.frame["born"].to_list() == PEOPLE["born"].to_list()
        assert table.frame["dose"].to_list() == [0.5, 1.0, None, 2.0]
        assert any("'age'" in note and "1 cell" in note for note in table.notes)
        assert table.origin.kind == "spss"


def test_portable_spss_files(tmp_path: Path) -> None:
    pyreadstat.write_por(PEOPLE.replace("Zoë", "Zoe"), tmp_path / "in.por")
    found = read(tmp_path / "in.por").frame
    assert found["AGE"].to_list() == [34, 99, 20, None]
    assert found["BORN"].to_list() == PEOPLE["born"].to_list()


def test_stata(tmp_path: Path) -> None:
    frame = PEOPLE.assign(sex=[1, 2, 1, "a"])
    pyreadstat.write_dta(
        frame,
        tmp_path / "in.dta",
        variable_value_labels={"sex": {1: "male", 2: "female"}},
        missing_user_values={"sex": ["a"]},
    )
    found = read(tmp_path / "in.dta").frame
    assert found["sex"].to_list() == ["male", "female", "male", None]
    assert found["age"].to_list() == [34, 99, 20, None]
    assert found["born"].to_list() == PEOPLE["born"].to_list()


def test_sas_transport_files(tmp_path: Path) -> None:
    pyreadstat.write_xport(PEOPLE, tmp_path / "in.xpt")
    found = read(tmp_path / "in.xpt").frame
    assert found["age"].to_list() == [34, 99, 20, None]
    assert found["name"].to_list() == ["Zoë", "Max", None, "Ada"]
    assert found["born"].to_list() == PEOPLE["born"].to_list()


@pytest.mark.parametrize(
    ("values", "labels", "expected", "told"),
    [
        ([1, 2, None], {1: "yes", 2: "no"}, ["yes", "no", None], []),
        ([1, 2, 9], {1: "yes", 2: "no", 9: "keine Angabe"}, ["yes", "no", None], ["1 cell"]),
        ([1, 2, 3], {1: "never", 3: "always"}, [1, 2, 3], ["2 labels not used"]),
        ([30, 40, 98, 99], {98: "refused", 99: "unknown"}, [30, 40, None, None], ["2 cells"]),
        ([1, 2], {1: "other", 2: "other"}, ["other (1)", "other (2)"], []),
        ([1, 9], {1: "refused", 9: "yes"}, ["refused", "yes"], []),  # may be an answer: the profile asks
        (["m", "f"], {"m": "male", "f": "female"}, ["male", "female"], []),
        ([1, 2], {}, [1, 2], []),
        ([1, 2], {7: "seven"}, [1, 2], []),
        ([9, 9], {9: "Unbekannt"}, [None, None], ["2 cells"]),
    ],
)
def test_labels(values: list[Any], labels: dict[Any, str], expected: list[Any], told: list[str]) -> None:
    found, notes = with_labels(pl.Series("x", values), labels)
    assert found.to_list() == expected
    assert len(notes) == len(told)
    assert all(part in note for part, note in zip(told, notes, strict=True))
    assert not any(label in note for note in notes for label in labels.values())


@pytest.mark.parametrize(
    "kind", ["ascii__version_3.rds", "binary__version_3.rds", "xdr__version_2.rda", "xdr__version_3.rds"]
)
def test_data_frames_that_r_wrote(kind: str) -> None:
    frame = pl.DataFrame({"class": ["a", "b", "b"], "value": [1, 2, 3]})
    assert read(R_FILES / "generated" / f"test_dataframe__{kind}").frame.equals(frame)
    named = read(R_FILES / "generated" / f"test_dataframe_rownames__{kind}")
    assert named.frame.equals(frame)
    assert any("row names" in note for note in named.notes)
    with pytest.raises(ShoalError, match="'complex'"):
        read(R_FILES / "generated" / f"test_dataframe_dtypes_with_na__{kind}")
    with pytest.raises(ShoalError, match="0 data frames"):
        read(R_FILES / "generated" / f"test_vector__{kind}")


def test_missing_values_and_types_of_r(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "whole": pd.array([1, None, 3], dtype="Int32"),
            "number": [0.5, np.nan, 2.0],
            "yes": pd.array([True, None, False], dtype="boolean"),
            "text": pd.array(["ä", None, "c"], dtype=pd.StringDtype("python")),
            "ward": pd.Categorical(["icu", "er", "er"], categories=pd.Index(["er", "icu"], dtype=object)),
        }
    )
    for name, compression in (("in.rds", "gzip"), ("bz.rds", "bzip2"), ("xz.rds", "xz")):
        rdata.write_rds(tmp_path / name, frame, compression=compression)
        found = read(tmp_path / name).frame
        assert found.rows() == [
            (1, 0.5, True, "ä", "icu"),
            (None, None, None, None, "er"),
            (3, 2.0, False, "c", "er"),
        ]
    rdata.write_rda(tmp_path / "in.rda", {"first": frame, "second": frame})
    with pytest.raises(ShoalError, match="2 data frames: 'first', 'second'"):
        read(tmp_path / "in.rda")


def build(kind: int, value: Any, **about: Any) -> Any:
    """An object of R as the parser gives it."""
    from rdata.parser import RObject, RObjectInfo, RObjectType

    info = RObjectInfo(RObjectType(kind), bool(about), bool(about), False, 8 if kind == 9 else 0, 0)
    pairs = RObject(RObjectInfo(RObjectType.NILVALUE, False, False, False, 0, 0), None, None, None, None)
    for name, one in reversed(about.items()):
        tag = RObject(
            RObjectInfo(RObjectType.SYM, False, False, False, 0, 0), build(9, name.encode()), None, None, None
        )
        pairs = RObject(RObjectInfo(RObjectType.LIST, False, False, True, 0, 0), (one, pairs), None, tag, None)
    return RObject(info, value, pairs if about else None, None, None)


def texts(*values: str) -> Any:
    return build(16, [build(9, value.encode()) for value in values])


def test_dates_times_and_labels_of_r() -> None:
    from shoal.tables.r_file import _column

    day = build(14, np.array([0.0, 19000.5, np.nan]), **{"class": texts("Date")})
    assert _column("x", day, "utf-8")[0].to_list() == [date(1970, 1, 1), date(2022, 1, 8), None]
    at = build(14, np.array([1.6e9]), **{"class": texts("POSIXct", "POSIXt"), "tzone": texts("Europe/Berlin")})
    found = _column("x", at, "utf-8")[0]
    assert found.dtype == pl.Datetime("us", "Europe/Berlin")
    assert found.dt.replace_time_zone(None).to_list() == [datetime(2020, 9, 13, 14, 26, 40)]
    local, notes = _column("x", build(14, np.array([1.6e9]), **{"class": texts("POSIXct", "POSIXt")}), "utf-8")
    assert (local.to_list(), len(notes)) == ([datetime(2020, 9, 13, 12, 26, 40)], 1)
    codes = build(14, np.array([1.0, 2.0]), names=texts("male", "female"))
    coded = build(14, np.array([1.0, 2.0, np.nan]), labels=codes, **{"class": texts("haven_labelled")})
    assert _column("x", coded, "utf-8")[0].to_list() == ["male", "female", None]


ENDINGS = ["sav", "zsav", "por", "dta", "sas7bdat", "xpt", "rds", "rda"]


def example(folder: Path, ending: str) -> Path:
    path = folder / f"in.{ending}"
    write = {"sav": "write_sav", "zsav": "write_sav", "por": "write_por", "dta": "write_dta", "xpt": "write_xport"}
    if ending in write:
        getattr(pyreadstat, write[ending])(PEOPLE.replace("Zoë", "Zoe"), path)
    elif ending in ("rds", "rda"):
        getattr(rdata, f"write_{ending}")(path, PEOPLE[["age"]] if ending == "rds" else {"x": PEOPLE[["age"]]})
    else:
        path.write_bytes(
            bytes.fromhex("00000000000000000000000c2ea8160b314cf1bd92080009c7318c181f10 11".replace(" ", "")) * 40
        )
    return path


@pytest.mark.parametrize(
    "ending", [one if one in ("sav", "rds") else pytest.param(one, marks=pytest.mark.deep) for one in ENDINGS]
)
def test_a_damaged_file_is_told_in_one_sentence(ending: str, tmp_path: Path) -> None:
    path = example(tmp_path, ending)
    data = path.read_bytes()
    broken_files = [b"", b"name,age\nZoe,34\n" * 99, data[: len(data) // 2], data[:40], gzip.compress(b"Zoe" * 99)]
    for broken in broken_files if ending.startswith("rd") else broken_files[:3:2]:
        path.write_bytes(broken)
        ran = command("anonymize", path, "-o", tmp_path / "out", "--quasi", "age", "-k", "2")
        assert ran.code in (2, 3), ran  # what is left of some files is a table of fewer rows
        assert ran.is_one_sentence, ran.err
        assert "Zoe" not in ran.err
        assert not (tmp_path / "out").exists()


def test_a_file_that_ends_the_process_of_its_reader_is_told(tmp_path: Path) -> None:
    broken = Path(__file__).parents[1] / "fuzz" / "corpus" / "spss" / "ends_the_library.sav"
    ran = command("profile", broken)
    assert (ran.code, ran.is_one_sentence) == (2, True), ran
    assert "is not a complete .sav file" in ran.err


@pytest.mark.parametrize(("ending", "package"), [("sav", "pyreadstat"), ("dta", "pyreadstat"), ("rds", "rdata")])
def test_a_missing_package_is_named_with_the_command(
    ending: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = example(tmp_path, ending)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EngineError, match=package) as told:
        read(path)
    assert "pip install 'shoal[files]'" in (told.value.hint or "")


def test_files_that_unpack_to_more_than_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyreadstat.write_sav(pd.DataFrame({"x": np.zeros(200_000)}), tmp_path / "in.zsav", compress=True)
    rdata.write_rds(tmp_path / "in.rds", pd.DataFrame({"x": np.full(2_000_000, 0.5)}))
    monkeypatch.setattr(room, "_free", lambda: 20_000_000)
    for name in ("in.zsav", "in.rds"):
        assert (tmp_path / name).stat().st_size < 100_000
        with pytest.raises(ShoalError, match="room for"):
            read(tmp_path / name)


def test_a_sequence_of_r_that_is_only_a_length_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = R_FILES / "generated" / "test_altrep_compact_intseq__xdr__version_3.rds"
    monkeypatch.setattr(room, "_free", lambda: 4000)
    data = gzip.decompress(path.read_bytes()) if path.read_bytes()[:2] == b"\x1f\x8b" else path.read_bytes()
    assert len(data) < 500
    (tmp_path / "in.rds").write_bytes(data)
    with pytest.raises(ShoalError, match="room for"):
        read(tmp_path / "in.rds")


def test_a_release_of_a_labeled_file_has_the_labels(tmp_path: Path) -> None:
    frame = pd.DataFrame({"sex": [1.0, 2.0] * 12, "age": [float(20 + row) for row in range(24)]})
    pyreadstat.write_sav(frame, tmp_path / "in.sav", variable_value_labels=LABELS)
    ran = command(
        "anonymize", tmp_path / "in.sav", "-o", tmp_path / "out", "--quasi", "age", "--sensitive", "sex", "-k", "3"
    )
    assert ran.code == 0, ran.err
    released = pl.read_csv(tmp_path / "out" / "release.csv")
    assert set(released["sex"]) == {"male", "female"}
    assert shoal.verify(tmp_path / "out").holds
    written = command(
        "anonymize", tmp_path / "in.sav", "-o", tmp_path / "x", "--other", "age,sex", "--format", "spss"
    )
    assert written.code == 2
