"""Signatures by hand: who keeps one, who is left out, what is made up."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.sequence import Places, assign

FLU, COLD, GOUT, RABIES = range(4)


def placed(values: list[int], before: list[int], *, k: int = 2, counterfeits: bool = False) -> Places:
    told = np.array(values, dtype=np.int64), np.array(before, dtype=np.int64)
    return assign(*told, [(FLU, COLD), (COLD, GOUT)], m=2, k=k, counterfeits=counterfeits)


def test_who_has_a_signature_keeps_it() -> None:
    found = placed([FLU, COLD, COLD, GOUT], [0, 0, 1, 1])
    assert found.signature.tolist() == [0, 0, 1, 1]
    assert found.counterfeits == ()


@pytest.mark.parametrize("counterfeits", [True, False])
def test_people_whose_values_changed_get_no_new_signature(counterfeits: bool) -> None:
    """Two of them could hide each other in a new one; what both of theirs have in common would then be known."""
    found = placed([GOUT, RABIES, GOUT, RABIES, -1], [0, 0, 0, 0, 0], counterfeits=counterfeits)
    assert found.signature.tolist() == [-1] * 5
    assert found.counterfeits == ()  # nobody is left to be hidden
    assert found.signatures == ((FLU, COLD), (COLD, GOUT))


def test_a_new_row_takes_the_place_of_who_left() -> None:
    found = placed([FLU, COLD, RABIES], [0, -1, -1])
    assert found.signature.tolist() == [0, 0, -1]


def test_a_row_is_made_up_where_nobody_takes_the_place() -> None:
    found = placed([FLU, RABIES], [0, -1], counterfeits=True)
    assert found.signature.tolist() == [0, -1]
    assert found.counterfeits == ((0, COLD, 1),)


def test_new_rows_are_not_used_up_where_the_others_then_could_not_hide() -> None:
    """The only other value of the new rows must not be taken from them while a row can be made up."""
    found = placed([FLU, COLD, RABIES], [0, -1, -1], counterfeits=True)
    assert found.counterfeits == ((0, COLD, 1),)
    assert found.signature[1] == found.signature[2] >= 2


def test_without_counterfeits_rows_too_many_are_left_out() -> None:
    found = placed([FLU, FLU, FLU, COLD], [0, 0, 0, 0])
    assert np.bincount(found.signature + 1).tolist() == [2, 2]
    assert found.signature[3] == 0


def test_k_rows_are_needed() -> None:
    assert placed([FLU, COLD], [0, 0], k=3).signature.tolist() == [-1, -1]
    found = placed([FLU, COLD], [0, 0], k=3, counterfeits=True)
    assert found.counterfeits == ((0, FLU, 1), (0, COLD, 1))


def test_a_missing_value_hides_nobody() -> None:
    assert placed([-1, -1, -1, -1], [-1, -1, 0, 1], counterfeits=True).signature.tolist() == [-1] * 4
    assert placed([-1, FLU, -1, FLU], [-1] * 4).signature.tolist() == [-1] * 4
