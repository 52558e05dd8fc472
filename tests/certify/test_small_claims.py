"""Small changes to what the verifier counts and believes: each would let a false claim pass, or refuse a true one."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest

from shoal.certify import verify
from shoal.certify.equivalence_classes import classes_of_rows
from shoal.certify.formulas import diversity
from shoal.certify.proved import THEOREMS, objectives_of, wrong_with
from shoal.certify.rounded import check_rounded
from shoal.certify.schema import NotSoundError, read
from shoal.policy import Policy
from shoal.tables import write_file
from tests.certify import releases

PAIRS = pl.DataFrame({"class": [0, 0, 0, 1, 1], "value": [1, 2, 9, 1, 2], "held": [4, 2, 3, 3, 3]})
PEOPLE = pl.DataFrame({"class": [0, 1], "people": [9, 6]})
MISSING = 9


@pytest.mark.parametrize(
    ("kind", "c", "measures"),
    [
        ("distinct", None, [2.0, 2.0]),
        ("frequency", None, [1.5, 2.0]),  # six of the nine have a value, four of them the same
        ("recursive", 3.0, [2.0, 2.0]),  # 4 < 3 * 6 and 4 < 3 * 2; 3 < 3 * 6 and 3 < 3 * 3
        ("recursive", 2.0, [1.0, 2.0]),  # 4 is not less than 2 * 2
        ("recursive", 0.5, [0.0, 0.0]),
    ],
)
def test_people_without_a_value_do_not_count_toward_l(kind: str, c: float | None, measures: list[float]) -> None:
    found = diversity(PAIRS, PEOPLE, kind, c, missing=MISSING).sort("class")["measure"].to_list()
    assert found == measures


@pytest.mark.parametrize(("c", "l_value"), [(4 / 7, 0.0), (1.3, 1.0), (2.0, 2.0), (4.0, 2.0), (4.01, 3.0)])
def test_recursive_diversity_is_strict_and_counts_from_the_most_frequent_on(c: float, l_value: float) -> None:
    """The most frequent is held by 4, and 4 < c * 7, 4 < c * 3 and 4 < c * 1 are asked for one after the other."""
    pairs = pl.DataFrame({"class": [0, 0, 0], "value": [1, 2, 3], "held": [1, 4, 2]})
    people = pl.DataFrame({"class": [0], "people": [7]})
    assert diversity(pairs, people, "recursive", c)["measure"].to_list() == [l_value]


def test_a_missing_value_is_held_by_its_people() -> None:
    """Joined as unequal, people without a value would vanish from l and t."""
    frame = pl.DataFrame({"age": ["1", "1", "1"], "ill": ["flu", None, None]})
    policy = Policy.parse({"k": 2, "columns": {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}}})
    classes = classes_of_rows(frame, policy)
    values = pl.DataFrame({"text": ["flu", None], "value": [0, 1]}, schema={"text": pl.String, "value": pl.Int64})
    assert sorted(classes.pairs("ill", values).select("value", "held").rows()) == [(0, 1), (1, 2)]


@pytest.mark.parametrize(
    ("theorem", "method", "size"), [("PAIRS-1", "pairs", 2), ("PAIRS-2", "pairs", 2), ("TRIPLES-1", "triples", 3)]
)
def test_what_is_proved_of_pairs_and_triples_is_proved_for_no_other_k(theorem: str, method: str, size: int) -> None:
    proved = THEOREMS[theorem][1]
    assert callable(proved)
    ratio = proved(size)
    assert ratio is not None
    assert wrong_with(method, objectives_of(method)[0], theorem, ratio, size) is None
    for k in (size - 1, size + 1, 2 * size):
        assert wrong_with(method, objectives_of(method)[0], theorem, ratio, k) is not None


def test_a_release_by_a_plan_has_the_objective_of_plans_alone() -> None:
    assert wrong_with("plan of forest", "ncp", None, None, 3) is None
    assert wrong_with("plan of forest", "generalization", None, None, 3) is not None
    assert wrong_with("forest", "ncp", None, None, 3) is not None
    assert wrong_with("plan of nothing", "ncp", None, None, 3) == "names a method that does not exist"
    assert wrong_with("plan of forest", "ncp", "FOREST-1", Fraction(5), 3) is not None
    assert wrong_with("forest", "generalization", "NOBODY-1", Fraction(5), 3) is not None
    assert wrong_with("gather", "radius", "FOREST-1", Fraction(5), 3) is not None


@pytest.mark.parametrize(
    ("cell", "good"),
    [
        ("[30, 40] or missing", True),
        ("[31, 40] or missing", False),
        ("30 or missing", True),
        ("31 or missing", False),
        ("[30, 40]", True),
        ("[30, 41]", False),
        ("*", True),
    ],
)
def test_rounded_ends_are_rounded_beside_missing_values(cell: str, good: bool) -> None:
    policy = Policy.parse({"k": 2, "columns": {"age": {"role": "quasi", "round_ranges": 10}}})
    assert (check_rounded(pl.DataFrame({"age": [cell] * 2}), policy) == []) == good


def certificate(folder: Path) -> dict[str, object]:
    path = folder / "release.csv"
    frame, policy = releases.release(), releases.policy()
    write_file(frame, path)
    found: dict[str, object] = json.loads(releases.certified(path, frame, policy).to_public_json())
    return found


@pytest.mark.parametrize("name", ["../x", "certificate.json", "certificate.json.sig", "a/b", "codebook.html"])
def test_a_certificate_lists_no_file_elsewhere_no_certificate_and_no_half_codebook(tmp_path: Path, name: str) -> None:
    found = certificate(tmp_path)
    read(json.dumps(found))
    assert isinstance(found["files"], dict)
    found["files"][name] = "0" * 64
    with pytest.raises(NotSoundError):
        read(json.dumps(found))


@pytest.mark.parametrize("name", ["../x", "certificate.json"])
def test_nor_does_a_private_one(tmp_path: Path, name: str) -> None:
    path = tmp_path / "release.csv"
    write_file(releases.release(), path)
    found = json.loads(releases.certified(path, releases.release(), releases.policy()).to_private_json())
    read(json.dumps(found))
    found["files"][name] = "0" * 64
    with pytest.raises(NotSoundError, match="by names that no release writes"):
        read(json.dumps(found))


def test_a_ratio_of_nothing_is_not_written_as_a_ratio(tmp_path: Path) -> None:
    found = certificate(tmp_path) | {"ratio_proved": "1/1"}
    with pytest.raises(NotSoundError):
        read(json.dumps(found))


def test_only_a_mean_has_the_number_of_missing_values_beside_it() -> None:
    """In the form generalize, a column called so is one that the policy does not know."""
    frame = pl.DataFrame({"age": ["[1, 2]"] * 3, "age_missing": ["0"] * 3})
    asked = Policy.parse({"k": 3, "columns": {"age": {"role": "quasi"}}})
    assert [one.column for one in verify(frame, asked, form="generalize").failures] == ["age_missing"]
    assert verify(frame, asked, form="aggregate").holds
