"""The reference pages are complete: every public name and every environment variable stands there."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"


@pytest.mark.parametrize("module", ["shoal", "shoal.partition", "shoal.sklearn"])
def test_every_public_name_is_in_the_api_reference_once(module: str) -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (REFERENCE / "api").glob("*.md"))
    listed = re.findall(rf"^::: {re.escape(module)}\.(\w+)$", pages, flags=re.MULTILINE)
    public = {name for name in import_module(module).__all__ if not name.startswith("__")}
    assert len(listed) == len(set(listed))
    if module == "shoal" and pages.count("\n::: shoal.*\n") == 1:  # stands for all names without a place of their own
        assert set(listed) <= public
    else:
        assert set(listed) == public, "add `::: module.name` to a page of docs/reference/api"


def test_every_environment_variable_is_documented() -> None:
    read = {
        name
        for file in (ROOT / "src").rglob("*.py")
        for name in re.findall(r"\bSHOAL_[A-Z_]+", file.read_text(encoding="utf-8"))
    }
    page = (REFERENCE / "environment.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `(SHOAL_\w+)` \|", page, flags=re.MULTILINE))
    assert read == documented


def test_every_kind_of_error_is_documented_with_its_exit_code() -> None:
    import shoal

    page = (REFERENCE / "errors.md").read_text(encoding="utf-8")
    told = {name: int(code) for code, name in re.findall(r"^\| (\d+) \| `(\w+)` \|", page, flags=re.MULTILINE)}
    kinds = {name for name in shoal.__all__ if name.endswith("Error") and name != "ShoalError"}
    assert told == {name: getattr(shoal, name).exit_code for name in kinds}


def test_every_file_of_a_release_is_on_the_page_of_its_folders(tmp_path: Path) -> None:
    import polars as pl

    import shoal
    from tests.linked_tables import SECRET, linked_policy, linked_tables

    staff = pl.DataFrame({"name": ["A", "A", "A", "B", "C", "D"], "age": [34, 35, 36, 61, 62, 60]})
    names = {"role": "quasi", "classes": "k", "publish_rare": True}
    policy = {"k": 3, "columns": {"name": names, "age": {"role": "quasi"}}}
    shoal.anonymize(staff, policy).write(tmp_path / "out", format="csv", mapping=True)
    page = (REFERENCE / "release-folder.md").read_text(encoding="utf-8")
    public, private, linked = page.split("\n## ")[1:]
    tables = {name: linked_tables(30, 1)[name] for name in ("patients", "visits")}
    shoal.anonymize_tables(tables, linked_policy(), secret=SECRET).write(tmp_path / "linked", format="csv")
    for folder in ("linked", "linked.private"):
        assert [file.name for file in (tmp_path / folder).iterdir() if f"`{file.name}`" not in linked] == []
    for folder, told in (("out", public), ("out.private", private)):
        written = {file.name for file in (tmp_path / folder).iterdir()}
        assert len(written) >= 3
        assert [name for name in written if f"`{name}`" not in told] == []
