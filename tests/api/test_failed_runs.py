"""A run that fails, at whatever point, leaves the earlier release byte for byte and no trace of itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
import shoal.results.release_folder
from shoal.errors import CertificateError, InfeasibleError, ParameterError, TableError
from tests.api.test_rules import policy, visits


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder, with its bytes and when it was last written."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {str(file.relative_to(folder)): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


@pytest.fixture
def earlier(tmp_path: Path) -> dict[str, tuple[bytes, int]]:
    shoal.anonymize(visits(), policy()).write(tmp_path / "out", mapping=True)
    return contents(tmp_path)


def failing(*_arguments: Any, **_options: Any) -> Any:
    raise OSError(28, "No space left on device")


def interrupted(*_arguments: Any, **_options: Any) -> Any:
    raise KeyboardInterrupt


@pytest.mark.parametrize("step", ["write_file", "verify", "_digests", "dumps"])
@pytest.mark.parametrize("fault", [failing, interrupted])
def test_a_fault_in_any_step_of_writing_leaves_the_earlier_release(
    step: str,
    fault: Callable[..., Any],
    tmp_path: Path,
    earlier: dict[str, tuple[bytes, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release = shoal.anonymize(visits(60), policy())
    monkeypatch.setattr(shoal.results.release_folder, step, fault)
    with pytest.raises(TableError if fault is failing else KeyboardInterrupt):
        release.write(tmp_path / "out")
    assert contents(tmp_path) == earlier
    monkeypatch.undo()
    release.write(tmp_path / "out")
    assert contents(tmp_path) != earlier


def test_a_file_that_reads_back_short_is_never_put_in_place(
    tmp_path: Path, earlier: dict[str, tuple[bytes, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that loses the last line: k no longer holds, and the claim does not fit the file."""
    whole = shoal.results.release_folder.write_file

    def lossy(frame: Any, path: Path, **options: Any) -> None:
        whole(frame, path, **options)
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))

    release = shoal.anonymize(visits(60), policy())
    monkeypatch.setattr(shoal.results.release_folder, "write_file", lossy)
    with pytest.raises(CertificateError) as refused:
        release.write(tmp_path / "out")
    assert refused.value.exit_code == 4
    assert contents(tmp_path) == earlier


def test_an_infeasible_request_writes_nothing(tmp_path: Path, earlier: dict[str, tuple[bytes, int]]) -> None:
    with pytest.raises(InfeasibleError):
        shoal.anonymize(visits(), policy(k=1000)).write(tmp_path / "out")
    assert contents(tmp_path) == earlier


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    release = shoal.anonymize(visits(), policy())
    with pytest.raises(ParameterError, match="format=ods"):
        release.write(tmp_path / "out", format="ods")
    assert not any(tmp_path.iterdir())


def test_a_folder_of_other_files_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(TableError, match="neither empty nor an earlier release"):
        shoal.anonymize(visits(), policy()).write(tmp_path / "out")
    assert (tmp_path / "out" / "thesis.tex").read_text(encoding="utf-8") == "years of work"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("folder", ["out", "out.private"])
def test_a_file_that_was_put_beside_a_release_is_not_deleted_with_it(
    tmp_path: Path, earlier: dict[str, tuple[bytes, int]], folder: str
) -> None:
    (tmp_path / folder / "raw.csv").write_text("the only copy", encoding="utf-8")
    with pytest.raises(TableError, match=r"holds files that no release wrote: raw\.csv"):
        shoal.anonymize(visits(), policy()).write(tmp_path / "out")
    (tmp_path / folder / "raw.csv").unlink()
    assert contents(tmp_path) == earlier


def test_hierarchies_that_a_release_publishes_do_not_stop_the_next_one(tmp_path: Path) -> None:
    (tmp_path / "ill-ness.csv").write_text("flu,lung\ncold,lung\ngout,joint\n", encoding="utf-8")
    table = pl.DataFrame({"age": [1, 1, 1, 2, 2, 2], "ill": ["flu", "cold", "gout"] * 2})
    ill = {"hierarchy": tmp_path / "ill-ness.csv", "closeness": {"t": 0.5, "distance": "hierarchical"}}
    asked = {"k": 3, "columns": {"age": {"role": "quasi"}, "ill": {"role": "sensitive"} | ill}}
    for _ in range(2):
        shoal.anonymize(table, asked).write(tmp_path / "out", mapping=True)
    assert (tmp_path / "out" / "ill-ness.csv").is_file()


def test_a_new_release_takes_the_place_of_the_old_one_whole(
    tmp_path: Path, earlier: dict[str, tuple[bytes, int]]
) -> None:
    shoal.anonymize(visits(60), policy()).write(tmp_path / "out", format="parquet")
    assert set(contents(tmp_path)) == {
        "out/release.parquet",
        "out/certificate.json",
        "out/codebook.html",
        "out/datapackage.json",
        "out.private/certificate.json",
        "out.private/measures.json",
        "out.private/plan.json",
        "out.private/policy.toml",
        "out.private/report.html",
        "out.private/secret.key",
    }
    assert shoal.verify(tmp_path / "out" / "release.parquet").holds
