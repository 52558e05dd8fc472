"""Cases that the end-to-end generator found, each run again whole."""

from __future__ import annotations

import pytest

from tests.endtoend.run import run


def test_groups_grown_for_diversity_claim_no_theorem_of_the_method_they_replace() -> None:
    run(920181, later=False)


@pytest.mark.parametrize("number", [804, 20463, 25805])
def test_limits_at_the_end_of_64_bits_end_in_a_release_or_one_sentence(number: int) -> None:
    run(number)


def test_synthetic_moments_in_nanoseconds_lie_in_their_two_columns_of_ends() -> None:
    run(20791)


def test_a_plan_that_does_not_fit_shows_no_date_of_the_new_table() -> None:
    run(3086)
