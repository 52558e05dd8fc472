"""What a certificate may say of its method is what the code registers: two lists, held against each other."""

from __future__ import annotations

from fractions import Fraction

import pytest

import shoal.partition
from shoal.certify.proved import (
    BEST_OF_ITS_KIND,
    CLASSES,
    GROWN,
    INVARIANT,
    SHARES,
    THEOREMS,
    objectives_of,
    wrong_with,
    wrong_with_classes,
)
from shoal.method_table import METHODS
from shoal.partition.guarantee import guarantees

METHOD_OF = {"univariate": "optimal", "full_domain": "full-domain", "cell_cover": "cell-cover"}
NO_RELEASE = {"cover", "intervals", "rectangles", "regions"}
"""Classes of one column: no groups of records, so they are no theorem of a method."""


def registered():
    for name in shoal.partition.__all__:
        getattr(shoal.partition, name)
    return {one.theorem: one for one in guarantees() if one.function not in NO_RELEASE}


def test_every_theorem_of_a_release_is_listed_with_its_method_and_ratio():
    found = registered()
    assert set(THEOREMS) | set(BEST_OF_ITS_KIND) | set(SHARES) == set(found)
    for theorem, (method, ratio) in THEOREMS.items():
        k = METHODS[method].only_k or 5 if method in METHODS else 5
        assert METHOD_OF.get(found[theorem].function, found[theorem].function) == method
        assert found[theorem].ratio_for(k) == (ratio(k) if callable(ratio) else ratio)
    for theorem, method in BEST_OF_ITS_KIND.items():
        assert METHOD_OF[found[theorem].function] == method


def test_every_theorem_of_classes_that_a_release_may_have_is_listed_with_its_ratio():
    """Intervals are for ordered values, which are published as ranges and not in classes."""
    registered()
    found = {one.theorem: one.ratio for one in guarantees() if one.function in NO_RELEASE - {"intervals"}}
    assert dict(CLASSES) == found


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        (("COVER-3", Fraction(2), 12, 9), None),
        (("RECTANGLES-1", Fraction(11, 3), 12, 9), None),
        (("RECTANGLES-2", Fraction(11, 3), 12, 9), None),
        (("REGIONS-3", Fraction(7), 12, 12), None),
        (("REGIONS-4", Fraction(12, 5), 12, 9), None),
        (("COVER-4", Fraction(1), 12, 12), None),
        ((None, None, 12, 9), None),
        (("COVER-3", Fraction(2), 8, 9), "bound above the largest"),
        (("COVER-3", Fraction(5, 2), 12, 9), "another ratio"),
        (("RECTANGLES-1", Fraction(11, 2), 12, 9), "another ratio"),
        (("RECTANGLES-2", Fraction(9, 2), 12, 9), "another ratio"),
        (("REGIONS-4", Fraction(7, 2), 12, 9), "another ratio"),
        (("COVER-3", Fraction(1, 2), 12, 9), "another ratio"),
        (("GATHER-1", Fraction(2), 12, 9), "does not speak of classes"),
        (("COVER-3", None, 12, 9), "half of a theorem"),
        ((None, Fraction(2), 12, 9), "half of a theorem"),
    ],
)
def test_classes_may_name_a_theorem_about_classes_and_its_ratio(said, wrong):
    found = wrong_with_classes(*said)
    assert found is None if wrong is None else wrong in found


def test_every_theorem_of_a_method_is_in_its_record():
    for method, record in METHODS.items():
        listed = {theorem for theorem, (about, _) in THEOREMS.items() if about == method}
        listed |= {theorem for theorem, about in BEST_OF_ITS_KIND.items() if about == method}
        assert set(record.theorems) == listed, method


def test_a_method_may_name_what_it_minimizes_and_nothing_else():
    cells = ("generalization", "generalization information", "generalization levels")
    assert objectives_of("forest") == cells
    assert objectives_of("optimal") == ("sse",)
    assert objectives_of("mdav") == ("sse", "loss")
    losses = ("ncp", "information", "levels", "entropy")
    assert objectives_of("datafly") == tuple(f"full-domain {loss}" for loss in losses)
    assert objectives_of(INVARIANT) == ("sse", "loss", *cells)
    assert {"sse", "loss", "radius", "cellular", "generalization"} < set(objectives_of(GROWN))
    assert objectives_of("magic") == objectives_of("auto") == ()


@pytest.mark.parametrize(
    ("said", "k"),
    [
        (("gather", "radius", "GATHER-1", Fraction(2)), 5),
        (("forest", "generalization", "FOREST-1", Fraction(10)), 5),
        (("forest", "generalization", "FOREST-1", Fraction(7)), 4),
        (("full-domain", "full-domain ncp", "LATTICE-1", None), 5),
        (("best", "loss", None, None), 5),
        (("diverse", "sse", None, None), 5),
        (("plan of forest", "ncp", None, None), 5),
        (("pairs", "generalization", "PAIRS-1", Fraction(3, 2)), 2),
    ],
)
def test_what_releases_say_can_be_said(said, k):
    assert wrong_with(*said, k) is None


@pytest.mark.parametrize(
    ("said", "k"),
    [
        (("gather", "radius", "GATHER-1", Fraction(1)), 5),
        (("gather", "radius", "GATHER-1", None), 5),
        (("gather", "radius", None, Fraction(2)), 5),
        (("gather", "sse", None, None), 5),
        (("forest", "generalization", "GATHER-1", Fraction(2)), 5),
        (("forest", "generalization", "FOREST-1", Fraction(10)), 4),
        (("full-domain", "full-domain ncp", "LATTICE-1", Fraction(1)), 5),
        (("datafly", "full-domain ncp", "LATTICE-1", None), 5),
        (("pairs", "generalization", "PAIRS-1", Fraction(3, 2)), 3),
        (("epsilon-dp", "sse", None, None), 5),
        (("plan of", "ncp", None, None), 5),
        (("plan of plan of forest", "ncp", None, None), 5),
        (("plan of forest", "generalization", None, None), 5),
        (("forest", "generalization", "COVER-1", Fraction(3)), 5),
    ],
)
def test_what_no_release_says_cannot(said, k):
    assert wrong_with(*said, k) is not None


@pytest.mark.parametrize(
    ("method", "theorem", "ratio", "k", "l", "good"),
    [
        ("forest", "RESIDUE-1", Fraction(3), 3, 3, True),
        ("diverse", "RESIDUE-1", Fraction(24), 3, 3, True),
        ("forest", "RESIDUE-1", Fraction(7, 2), 5, 2, True),
        ("forest", "CYCLES-1", Fraction(8, 3), 2, 2, True),
        ("forest", "RESIDUE-1", Fraction(2), 3, 3, False),
        ("forest", "RESIDUE-1", Fraction(3), 5, 2, False),
        ("forest", "RESIDUE-1", None, 3, 3, False),
        ("forest", "RESIDUE-1", Fraction(3), 3, None, False),
        ("mondrian", "RESIDUE-1", Fraction(3), 3, 3, False),
        ("forest", "CYCLES-1", Fraction(5, 2), 2, 2, False),
        ("forest", "CYCLES-1", Fraction(8, 3), 3, 2, False),
        ("forest", "CYCLES-1", Fraction(8, 3), 3, 3, False),
        ("forest", "CYCLES-1", Fraction(8, 3), 2, None, False),
    ],
)
def test_a_theorem_on_shares_is_named_only_where_nothing_but_shares_is_asked(method, theorem, ratio, k, l, good):  # noqa: E741
    assert (wrong_with(method, "generalization", theorem, ratio, k, l) is None) == good


def test_the_least_ratio_of_a_residue_is_the_one_that_the_source_proves():
    from shoal.partition.generalization.residue_rows import tuple_ratio

    for k in range(1, 9):
        for l in range(2, 7):  # noqa: E741
            size, least = max(k, l), tuple_ratio(k, l)
            assert wrong_with("forest", "generalization", "RESIDUE-1", least, size, l) is None
            assert wrong_with("forest", "generalization", "RESIDUE-1", least - Fraction(1, 99), size, l) is not None


THEOREM = "names a theorem that does not speak of its method, or another ratio"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (("nothing", "radius", None, None, 5), "names a method that does not exist"),
        (("gather", "nothing", None, None, 5), "names an objective that its method does not have"),
        (("gather", objectives_of("gather")[0], None, Fraction(2), 5), "names a ratio without a theorem"),
        (("gather", objectives_of("gather")[0], "LATTICE-1", None, 5), THEOREM),
        (("gather", objectives_of("gather")[0], "GATHER-1", Fraction(3), 5), THEOREM),
        (("gather", objectives_of("gather")[0], "RESIDUE-1", Fraction(3), 5),
         "names a theorem that does not speak of its method or policy, or another ratio"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(said, words):
    assert wrong_with(*said) == words
