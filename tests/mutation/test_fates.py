"""What became of a mutant is kept in the repository until its function, or one of its mutants, is another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.mutation import fates
from tests.repo.script import ROOT, script

MODULE = """
@decorated
def count(rows):
    return rows + 1


def x_count__mutmut_orig(rows):
    return rows + 1


def x_count__mutmut_1(
    rows,
) -> int:
    return rows - 1


def x_count__mutmut_2(rows):
    return rows + 2


mutants_x_count__mutmut['_mutmut_orig'] = x_count__mutmut_orig
class Table:
    def xǁTableǁwidth__mutmut_orig(self):
        return 7

    def xǁTableǁwidth__mutmut_1(self):
        return 8

    @property
    def height(self):
        return 9
"""
NAMES = [*(f"shoal.certify.some.x_count__mutmut_{n}" for n in (1, 2)), "shoal.certify.some.xǁTableǁwidth__mutmut_1"]
KILLED = (1, 36)


def _tree(folder: Path, codes: list[int | None], text: str = MODULE, digest: str = "aa") -> Path:
    module = folder / "src/shoal/certify/some.py"
    module.parent.mkdir(parents=True, exist_ok=True)
    module.write_text(text, encoding="utf-8")
    meta = {
        "exit_code_by_key": dict(zip(NAMES, codes, strict=True)),
        "hash_by_function_name": {"x_count": digest, "xǁTableǁwidth": "bb"},
        "other": 5,
    }
    module.with_name("some.py.meta").write_text(json.dumps(meta), encoding="utf-8")
    return folder


def _codes(folder: Path) -> list[int | None]:
    found = json.loads((folder / "src/shoal/certify/some.py.meta").read_text(encoding="utf-8"))
    assert found["other"] == 5
    return list(found["exit_code_by_key"].values())


def _after(
    tmp_path: Path, before: list[int | None], now: list[int | None], text: str = MODULE, digest: str = "aa"
) -> Any:
    file = tmp_path / "fates.json"
    fates.write(file, _tree(tmp_path / "one", before), KILLED)
    other = _tree(tmp_path / "other", now, text, digest)
    told = fates.read(file, other, KILLED)
    return told, _codes(other)


def test_a_run_on_another_machine_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    assert _after(tmp_path, [36, 0, 33], [None, None, None]) == (3, [1, 0, 33])


def test_a_mutant_that_was_not_run_has_no_fate(tmp_path: Path) -> None:
    assert _after(tmp_path, [None, 34, 1], [None, None, None]) == (1, [None, None, 1])


def test_what_one_machine_has_killed_stays_killed(tmp_path: Path) -> None:
    assert _after(tmp_path, [1, 33, 0], [0, 0, 36]) == (3, [1, 0, 36])


@pytest.mark.parametrize(
    ("old", "new"), [("return rows - 1", "return rows * 1"), ("    rows,\n", "    rows, *others\n")]
)
def test_a_function_with_another_mutant_is_tried_anew_and_no_other_is(tmp_path: Path, old: str, new: str) -> None:
    assert old in MODULE
    assert _after(tmp_path, [1, 1, 1], [None] * 3, text=MODULE.replace(old, new)) == (1, [None, None, 1])


def test_a_function_of_another_digest_is_tried_anew(tmp_path: Path) -> None:
    assert _after(tmp_path, [1, 1, 1], [None] * 3, digest="cc") == (1, [None, None, 1])


def test_a_change_elsewhere_in_the_module_leaves_every_fate(tmp_path: Path) -> None:
    text = MODULE.replace("return 9", "return 10").replace("@decorated", "@otherwise")
    assert _after(tmp_path, [1, 0, 1], [None] * 3, text=text) == (3, [1, 0, 1])


def test_without_a_file_every_mutant_is_to_be_tried(tmp_path: Path) -> None:
    folder = _tree(tmp_path, [None, 0, None])
    assert fates.read(tmp_path / "absent.json", folder, KILLED) == 0
    assert _codes(folder) == [None, 0, None]


def test_the_fates_in_the_repository_are_small_and_agree_with_what_the_evidence_counts() -> None:
    file = ROOT / "tests/mutation/fates.json"
    assert file.stat().st_size < 300_000
    kept = json.loads(file.read_text(encoding="utf-8"))
    evidence = json.loads((ROOT / "docs/evidence/mutants.json").read_text(encoding="utf-8"))
    for package in script("mutants").PACKAGES:
        letters = "".join(
            one.partition(" ")[2]
            for module, functions in kept.items()
            if module.startswith(f"{package}/")
            for one in functions.values()
        )
        counts = evidence["details"][package]
        assert letters.count(fates.KILLED) == counts.get("killed", 0), package
        assert letters.count(fates.NOT_RUN) == counts.get("not run", 0), package
        assert len(letters) == sum(counts.values()), package
