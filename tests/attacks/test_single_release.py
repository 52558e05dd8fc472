"""One release under attack: no attacker gets more than k, l and t promise, and what they do not promise is said."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.report import limits_text, risk_text
from tests.attacks import attributes, linkage
from tests.attacks.outcome import outcome
from tests.attacks.reading import Seen, leaves_of_file
from tests.attacks.suite import attacks
from tests.attacks.tables import ILLNESSES, ROLES, adult, people, tied
from tests.attacks.truth import own_classes

KINDS: dict[str | None, str] = (
    dict.fromkeys(ILLNESSES[:4], "mild") | dict.fromkeys(ILLNESSES[4:], "grave") | {None: ""}
)
NARROW = "flu,mild\ncold,mild\nasthma,mild\ngout,mild\nulcer,grave\nlupus,grave\nhiv,grave\n"


def released(table: pl.DataFrame, **settings: Any) -> shoal.Release:
    return shoal.anonymize(table, **{"effort": 1, **ROLES, **settings})


CASES: list[dict[str, Any]] = [
    {"method": "best", "publication": "aggregate", "k": 5},
    {"method": "forest", "publication": "generalize", "k": 5, "l": 3},
    {"method": "mondrian", "publication": "generalize", "k": 4, "t": 0.4},
    {"method": "mdav", "publication": "generalize", "k": 3, "l": 2, "max_suppressed": 0.05},
    {"method": "gather", "publication": "centers", "k": 5},
    {"method": "forest", "publication": "suppress", "k": 3},
    {"method": "mst", "publication": "aggregate", "k": 4, "l": 3, "l_kind": "frequency"},
]


@pytest.mark.parametrize("make", [people, tied], ids=["people", "tied"])
@pytest.mark.parametrize("settings", CASES, ids=lambda case: " ".join(str(part) for part in case.values()))
def test_no_attacker_gets_more_than_is_promised(settings, make):
    table = make(160, 7)
    release = released(table, **settings)
    found = list(attacks(release, table, "people", sensitive="illness", kind=KINDS))
    for one in found:
        print(one)
        assert not one.exceeds, str(one)
    assert {"linkage, nearest", "homogeneity", "skewness"} <= {one.attack for one in found}
    assert all(one.tried > 0 for one in found)


def test_hierarchical_t_leaves_both_kinds_of_value(tmp_path):
    (tmp_path / "kind.csv").write_text("".join(f"{line},any\n" for line in NARROW.splitlines()))
    table = people(200, 3)
    columns = {name: {"role": "quasi"} for name in ROLES["quasi"]}
    illness = {
        "role": "sensitive",
        "hierarchy": str(tmp_path / "kind.csv"),
        "closeness": {"t": 0.1, "distance": "hierarchical"},
    }
    policy = {
        "k": 4,
        "method": "mondrian",
        "columns": {"name": {"role": "identifier"}, **columns, "illness": illness},
    }
    release = shoal.anonymize(table, policy, effort=1)
    found = list(attacks(release, table, "people", sensitive="illness", kind=KINDS))
    similar = [one for one in found if one.attack == "similarity"]
    assert [(one.promise, one.exceeds) for one in similar] == [(0.0, False)]
    assert leaves_of_file(NARROW)["grave"] == {"ulcer", "lupus", "hiv"}


@pytest.mark.deep
@pytest.mark.shared_data
@pytest.mark.parametrize("settings", [{"k": 5}, {"k": 5, "l": 3}], ids=str)
def test_adult_holds(shared_data, settings):
    table = adult(shared_data, 1500)
    quasi = ["sex", "age", "race", "marital-status", "education"]
    roles = {
        "quasi": quasi,
        "sensitive": ["occupation"],
        "identifier": ["native-country", "workclass", "salary-class"],
        "publish_rare": {"marital-status": "merged"},  # one of these 1,500 is alone in hers
    }
    for method, form in (("forest", "generalize"), ("best", "aggregate"), ("mondrian", "generalize")):
        release = shoal.anonymize(table, method=method, publication=form, effort=1, **roles, **settings)
        for one in attacks(release, table, f"Adult, {method} {form}", sensitive="occupation"):
            assert not one.exceeds, str(one)


# -- each attacker can win -------------------------------------------------------------------------------------


def weakened(release: shoal.Release, table: pl.DataFrame, keep: int) -> tuple[Seen, np.ndarray]:
    """All but `keep` rows of the first class are gone; who was in it?"""
    seen = Seen(release.table, release.policy)
    classes = seen.classes()
    own = own_classes(release, classes, len(table))
    first = classes.of_row == 0
    frame = seen.frame.filter(pl.Series(~first | (np.cumsum(first) <= keep)))
    return Seen(frame, release.policy), own


WAYS = [
    ("forest", "generalize", linkage.exact),
    ("mondrian", "generalize", linkage.nearest),
    ("mdav", "aggregate", linkage.nearest),
]


@pytest.mark.parametrize(("method", "form", "way"), WAYS, ids=lambda one: getattr(one, "__name__", one))
def test_linkage_finds_a_class_that_is_too_small(method, form, way):
    table = people(160, 7)
    seen, own = weakened(released(table, method=method, publication=form, k=5), table, 4)
    assert outcome("", "", way(seen.classes(), table, own), 1 / 5).exceeds


def test_homogeneity_finds_a_class_of_one_value():
    table = people(160, 7)
    release = released(table, method="forest", publication="generalize", k=4, l=2)
    seen, _ = weakened(release, table, 99)
    of_row = seen.classes().of_row
    one = seen.frame.with_columns(illness=pl.when(pl.Series(of_row == 0)).then(pl.lit("hiv")).otherwise("illness"))
    classes = Seen(one, release.policy).classes()
    held = attributes.left_with(classes, classes.candidates(table), "illness")
    assert outcome("", "", attributes.homogeneity(held), 0.0).exceeds
    assert attributes.skewness(held, Counter(one["illness"])).max() > 0.5


def test_by_hand():
    held = [Counter({"a": 2}), Counter({"a": 1, "b": 1}), Counter({"a": 1, "b": 2, "c": 1})]
    assert attributes.homogeneity(held).tolist() == [1, 0, 0]
    assert attributes.exclusion(held, ["a", "a", "a"]).tolist() == [1, 1, 0]
    assert attributes.similarity(held, {"a": "x", "b": "x", "c": "y"}).tolist() == [1, 1, 0]
    assert attributes.skewness(held, Counter({"a": 4, "b": 3, "c": 1})).tolist() == pytest.approx([0.5, 0.125, 0.125])


# -- what is not promised is said ------------------------------------------------------------------------------


@pytest.mark.parametrize("wish", [{}, {"l": 2}], ids=["k", "l"])
def test_what_k_and_l_leave_open_is_said_in_the_report(wish):
    table = people(400, 2).with_columns(illness=pl.when(pl.col("age") > 60).then(pl.lit("hiv")).otherwise("illness"))
    release = released(table, method="forest", publication="generalize", k=3, **wish)
    found = {one.attack: one for one in attacks(release, table, "people", sensitive="illness", kind=KINDS)}
    said = " ".join(sentence for _, sentence in limits_text.limits(release.content()))
    if not wish:
        assert (found["homogeneity"].promise, found["homogeneity"].worst) == (None, 1)
        assert "If a whole group has one value" in said
        assert "Require l" in said
    else:
        assert found["homogeneity"].worst == 0
        assert (found["skewness"].promise, found["skewness"].worst > 0.2) == (None, True)
        assert "Require t" in said
    assert found["singling out, all published columns"].rate > 0.2
    assert "are unique if all published columns" in risk_text.singled(release.risk)
    assert "knows the quasi-identifiers and nothing else" in said
