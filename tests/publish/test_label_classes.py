"""Names of classes: short, stable, made of the class's own labels, and never mistaken for each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shoal.certify.legend import _fits
from shoal.publish.label_classes import LONGEST, class_names

LABELS = st.text(max_size=40) | st.sampled_from(["a", "b", "a +1", "a +1 (2)", "*", "null", "{a, b}", ""])


def test_a_class_is_called_by_its_first_label_and_the_number_of_the_others():
    assert class_names([("Adams", "Baker", "Clark"), ("Brown",), ("Cook", None)]) == ["Adams +2", "Brown", "Cook +1"]


def test_missing_values_alone_stay_missing():
    assert class_names([("a",), (None,)]) == ["a", None]


def test_a_long_label_is_cut():
    (name,) = class_names([("x" * 200, "y")])
    assert name == "x" * (LONGEST - 1) + "… +1"


def test_a_label_that_looks_like_a_name_is_told_apart():
    assert class_names([("a", "b"), ("a +1",)]) == ["a +1 (2)", "a +1"]


def test_long_labels_that_begin_alike_are_told_apart():
    long = "x" * 50
    assert len(set(class_names([(long + "1", "b"), (long + "2", "c"), (long + "3", "d")]))) == 3


def test_a_class_keeps_its_name_whatever_the_other_classes_are():
    assert class_names([("a", "z"), ("b", "c")])[1] == class_names([("aa", "d", "q"), ("b", "c")])[1] == "b +1"


@given(st.lists(LABELS, min_size=1, max_size=12, unique=True), st.data())
def test_names_are_different_and_say_no_more_than_their_labels(labels, data):
    labels = sorted(labels)
    place = data.draw(st.lists(st.integers(0, 3), min_size=len(labels), max_size=len(labels)))
    classes = [own for c in range(4) if (own := tuple(x for x, p in zip(labels, place, strict=True) if p == c))]
    names = class_names(classes)
    assert len(set(names)) == len(names)
    for name, own in zip(names, classes, strict=True):
        assert _fits(name, own)
        assert len(own) == 1 or name not in labels
        assert len(own) == 1 or len(name) <= LONGEST + 12
