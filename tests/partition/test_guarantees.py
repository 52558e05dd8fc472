"""What is proved of a function can be asked of the function itself, of its method, or for all of them at once."""

from __future__ import annotations

import inspect
from fractions import Fraction

import pytest

import shoal.partition
from shoal.errors import ParameterError
from shoal.method_table import METHODS
from shoal.partition import cellular, forest, gather, guarantees, microaggregate, mondrian
from shoal.partition.methods.run import loaded
from shoal.partition.microaggregation.univariate import univariate

FUNCTIONS = [
    function
    for name in shoal.partition.__all__
    if inspect.isfunction(function := getattr(shoal.partition, name)) and name != "guarantees"
]


def test_a_function_says_what_is_proved_of_it() -> None:
    assert gather.guarantee.theorem == "GATHER-1"
    assert gather.guarantee.ratio_for(5) == Fraction(2)
    assert [one.theorem for one in gather.guarantees] == [f"GATHER-{number}" for number in range(1, 7)]
    assert [one.theorem for one in cellular.guarantees] == [f"CELLULAR-{number}" for number in range(1, 9)]
    assert forest.guarantee.ratio_for(5) == Fraction(10)


def test_a_heuristic_says_that_nothing_is_proved_of_it() -> None:
    assert mondrian.guarantee is None
    assert mondrian.guarantees == ()


def test_a_heuristic_with_an_exact_variant_says_so() -> None:
    assert microaggregate.guarantee is None
    assert microaggregate.guarantees == univariate.guarantees == guarantees("optimal")


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_public_function_can_be_asked(function) -> None:
    assert function.guarantee is None or function.guarantee == function.guarantees[0]
    assert set(function.guarantees) <= set(guarantees())
    assert inspect.getdoc(function)  # the function is the one that was written, not a wrapper


def test_every_guarantee_belongs_to_a_function_that_can_be_asked() -> None:
    assert {one for function in FUNCTIONS for one in function.guarantees} == set(guarantees())


@pytest.mark.parametrize("method", METHODS)
def test_the_theorems_of_a_method_are_those_of_its_function(method: str) -> None:
    proved = guarantees(method)
    assert [one.theorem for one in proved] == list(METHODS[method].theorems)
    assert set(proved) <= set(getattr(loaded(METHODS[method].function), "guarantees", ()))
    assert all(one.function == loaded(METHODS[method].function).__name__ for one in proved) or method == "optimal"


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ParameterError, match="method=magic is not known"):
        guarantees("magic")
