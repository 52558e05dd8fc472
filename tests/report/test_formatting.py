"""Numbers as people read them: rounding never flatters, and foreign text cannot act."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.report import formatting as numbers
from shoal.report.formatting import at_least, at_most, chance, listed, name, percent, seconds, shortened, significant


def read(text: str) -> Decimal:
    mantissa, _, power = text.replace(",", "").partition(" × 10")
    plain = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or "0"
    return Decimal(mantissa).scaleb(int(plain))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (5, "5"),
        (1234567, "1,234,567"),
        (1804.5, "1,804"),
        (12345.678, "12,346"),
        (123456789.0, "1.23 × 10⁸"),
        (0.5, "0.5"),
        (1.3096, "1.31"),
        (0.00012345, "1.23 × 10⁻⁴"),
        (9.999, "10"),
        (-2.5, "-2.5"),
        (Fraction(9, 2), "4.5"),
        (math.inf, "∞"),
        (math.nan, numbers.NOTHING),
        (None, numbers.NOTHING),
    ],
)
def test_numbers_have_three_significant_digits(value: float | None, shown: str) -> None:
    assert significant(value) == shown


@given(st.floats(1e-9, 1e12))
def test_at_most_is_never_below_the_number(value: float) -> None:
    assert read(at_most(value)) >= Decimal(value)
    assert read(at_most(value)) <= Decimal(value) * Decimal("1.011")


@given(st.floats(1e-9, 1e12))
def test_at_least_is_never_above_the_number(value: float) -> None:
    assert Decimal(value) * Decimal("0.989") <= read(at_least(value)) <= Decimal(value)


@given(st.floats(0, 1))
def test_nothing_and_all_are_said_only_of_nothing_and_all(share: float) -> None:
    assert (percent(share) == "0%") == (share == 0)
    assert (percent(share) == "100%") == (share == 1)


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.2341, "23.4%"), (0.5, "50%"), (0.0312, "3.12%"), (0.00051, "0.051%"), (1e-7, "<0.01%"), (0.99999, ">99.9%")],
)
def test_shares_are_percentages(share: float, shown: str) -> None:
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("probability", "shown"), [(1.0, "certain"), (0.2, "1 in 5"), (1 / 3, "1 in 3"), (0.3, "30%"), (0.0, "never")]
)
def test_a_probability_is_one_in_so_many_where_it_is(probability: float, shown: str) -> None:
    assert chance(probability) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0 ms"), (0.0312, "31 ms"), (1.2812, "1.28 s"), (125.4, "2 min 5 s"), (7260.0, "2 h 1 min")],
)
def test_durations_have_the_unit_that_fits(value: float, shown: str) -> None:
    assert seconds(value) == shown


def test_names_lose_what_could_act_and_nothing_else() -> None:
    assert name("a\x1b[31mb\u202ec\nd") == "a\\u001b[31mb\\u202ec\\u000ad"
    assert name("Größe 身長 <b>") == "Größe 身長 <b>"


def test_lists_and_long_names_are_cut_with_a_sign() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdefghijk"), 3) == "a, b, c and 8 more"
    assert listed([]) == ""
    assert shortened("abcdef", 4) == "abc…"
    assert shortened("abcd", 4) == "abcd"
