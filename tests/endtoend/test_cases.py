"""Generated tables and policies all the way through Shoal, and the folder counted again in SQL."""

from __future__ import annotations

import pytest

from tests.endtoend.run import run

AT_ONCE = 15


@pytest.mark.parametrize("first", range(0, 300, AT_ONCE))
def test_a_release_is_what_it_says_or_a_clean_sentence(first: int) -> None:
    """Every case is a table, a policy and a way to hand them over; its number makes it again."""
    released = sum(
        count for number in range(first, first + AT_ONCE) for what, count in run(number).items() if "released" in what
    )
    assert released >= AT_ONCE // 3  # a generator of refusals would see nothing


@pytest.mark.deep
@pytest.mark.parametrize("first", range(300, 1200, 90))
def test_a_release_is_what_it_says_in_many_more_cases(first: int) -> None:
    for number in range(first, first + 90):
        run(number)
