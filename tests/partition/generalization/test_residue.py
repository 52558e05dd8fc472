"""RESIDUE-1: the rows that leave their class, and the groups that they and the others form."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.generalization.residue import residue, spread
from shoal.partition.generalization.residue_rows import _State, residue_rows, tuple_ratio
from shoal.space.space import LINE, TREE, Axis, Space, set_costs
from tests.oracles.residue import fewest_in_residue, is_eligible

QUICK, DEEP = 150, 3000


def check_residue(classes: np.ndarray, values: np.ndarray, l: int, k: int):  # noqa: E741
    """Return the residue after checking that all parts are eligible and have at least k rows or none."""
    found = residue_rows(classes, values, l, k)
    parts = [values[found.rows], *(values[(classes == one) & ~found.rows] for one in np.unique(classes))]
    for part in parts:
        assert not len(part) or (len(part) >= k and is_eligible(part.tolist(), l))
    assert found.rows.sum() <= tuple_ratio(k, l) * found.at_least  # which the proof compares with
    return found


def against_the_fewest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    l, k = int(rng.integers(1, 5)), int(rng.integers(1, 6))  # noqa: E741
    n = int(rng.integers(max(k, l), 11))
    classes = np.unique(rng.integers(0, int(rng.integers(1, 6)), n), return_inverse=True)[1]
    values = rng.integers(0, int(rng.integers(l, l + 4)), n)
    if not is_eligible(values.tolist(), l):
        return
    found = check_residue(classes, values, l, k)
    fewest = fewest_in_residue(classes.tolist(), values.tolist(), l, k)
    n_rows = int(found.rows.sum())
    assert found.at_least <= fewest <= n_rows <= tuple_ratio(k, l) * fewest, (seed, l, k, classes, values)


def thin_table(rng: np.random.Generator, l: int) -> tuple[np.ndarray, np.ndarray]:  # noqa: E741
    """Classes of l different values several times, and classes of one value: many units must leave."""
    rows: list[tuple[int, int]] = []
    n_values, number = l + int(rng.integers(1, 4)), 0
    for _ in range(int(rng.integers(2, 40))):
        held = rng.choice(n_values, l, replace=False, p=_falling(rng, n_values))
        rows += [(number, int(value)) for value in held for _ in range(int(rng.integers(1, 4)))]
        number += 1
    for value in range(n_values):
        for _ in range(int(rng.integers(0, 12))):
            rows.append((number, value))
            number += 1
    table = np.array(rows)
    return table[:, 0], table[:, 1]


def _falling(rng: np.random.Generator, n: int) -> np.ndarray:
    weights = float(rng.uniform(0.3, 1)) ** np.arange(n)
    return weights / weights.sum()


def on_a_large_table(seed: int) -> bool:
    rng = np.random.default_rng(seed)
    l, k = int(rng.integers(2, 7)), int(rng.integers(1, 12))  # noqa: E741
    classes, values = thin_table(rng, l)
    if len(classes) < k or not is_eligible(values.tolist(), l):
        return False
    return int(check_residue(classes, values, l, k).rows.sum()) > 0


@pytest.mark.parametrize("begin", range(0, QUICK, 50))
def test_the_residue_has_at_most_the_proved_number_of_times_the_fewest_rows(begin):
    for seed in range(begin, begin + 50):
        against_the_fewest(seed)


@pytest.mark.deep
def test_the_residue_has_at_most_the_proved_number_of_times_the_fewest_rows_on_many_tables():
    for seed in range(QUICK, QUICK + DEEP):
        against_the_fewest(seed)


def test_the_residue_of_a_large_table_is_within_the_ratio_of_its_own_bound():
    assert sum(on_a_large_table(seed) for seed in range(300)) > 50


@pytest.mark.deep
def test_the_residue_of_many_large_tables_is_within_the_ratio_of_its_own_bound():
    assert sum(on_a_large_table(seed) for seed in range(300, 10_000)) > 1000


def test_a_residue_of_units_is_longer_than_the_fewest():
    """Some tables need rounds of units: without them, every residue found would have the fewest rows."""
    longer = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        classes, values = thin_table(rng, 3)
        if is_eligible(values.tolist(), 3):
            found = residue_rows(classes, values, 3, 1)
            longer += found.rows.sum() > found.at_least
    assert longer > 5


def rounds_of_units(seed: int) -> int:
    """Go through the rounds of one table as `residue_rows` does, and check what the proof says of every round."""
    rng = np.random.default_rng(seed)
    l, k = int(rng.integers(2, 6)), int(rng.integers(1, 12))  # noqa: E741
    classes, values = thin_table(rng, l)
    if len(classes) < k or not is_eligible(values.tolist(), l):
        return 0
    state, n_rounds = _State(np.unique(classes, return_inverse=True)[1], values, l, k), 0
    state.take_singly(max(state.size, l * state.height, k))
    while state.size < l * state.height:
        n_rounds += 1
        lacking, size = l * state.height - state.size, state.size
        n_pillars = sum(count == state.height for count in state.held.values())
        assert n_pillars < l
        state.take_units()
        assert state.size - size <= n_pillars * (l if k <= l else k + l - 1)
        if state.size < l * state.height:
            assert l * state.height - state.size <= lacking - (l if k <= l else 1)
    return n_rounds


def test_a_round_has_no_more_units_than_pillars_and_brings_the_residue_nearer_to_be_eligible():
    assert sum(map(rounds_of_units, range(400))) > 40


def test_a_unit_leaves_out_the_value_that_is_most_frequent_in_the_residue():
    """A row of value 2 must leave. The class of 0, 0, 1 and 2 gives 0 and 1 to it, not 0 and 2."""
    found = check_residue(np.array([0, 1, 1, 1, 1]), np.array([2, 0, 0, 1, 2]), 2, 1)
    assert found.rows.tolist() == [True, True, False, True, False]
    assert (found.at_least, found.forced.tolist()) == (2, [1, 0])


def test_the_ratio_is_l_up_to_k_and_known_beyond():
    assert [tuple_ratio(k, 3) for k in (1, 2, 3)] == [3, 3, 3]
    assert tuple_ratio(4, 3) == Fraction(25, 3)
    assert [tuple_ratio(k, 2) for k in (2, 3, 5, 10)] == [2, Fraction(5, 2), Fraction(7, 2), 6]
    assert tuple_ratio(5, 1) == 2


def test_equal_records_that_can_stay_do_and_the_others_leave():
    records = [["a", "x"]] * 3 + [["b", "x"], ["c", "y"], ["c", "y"]]
    values = ["flu", "asthma", "flu", "asthma", "flu", "asthma"]
    found = residue(records, values, 2)
    assert found.labels.tolist() == [0, 0, 1, 1, 2, 2]
    assert (found.cost, found.theorem, found.ratio_proved) == (2.0, "RESIDUE-1", 4)
    assert found.lower_bound == pytest.approx(2.0)
    assert residue(records[::-1], values[::-1], 2).cost == 2.0


def test_an_eligible_class_costs_nothing():
    found = residue([["a"]] * 4, [1, 2, 1, 2], 2, k=4)
    assert (found.cost, found.lower_bound, found.n_groups, found.ratio_proved) == (0.0, 0.0, 1, 3)


def test_no_ratio_is_claimed_where_different_records_cost_nothing_together():
    """A column of weight 0 tells records apart, and yet groups of them are free."""
    flat = np.array([[0, 2], [1, 2]], dtype=np.int32)
    space = Space(np.array([[0.0], [0.0], [1.0], [1.0]]), (Axis("x", TREE, flat, np.array([0.0, 0.0])),), 1)
    found = residue(space, [1, 1, 2, 2], 2)
    assert (found.cost, found.ratio_proved, found.theorem) == (0.0, None, None)


def test_no_ratio_is_claimed_that_is_beyond_floating_point_numbers():
    """It could not be shown, and would tell nothing."""
    values = [1, 2, 1, 2]
    for gap, theorem in ((1e-310, None), (1e-290, "RESIDUE-1")):
        space = Space(np.array([[0.0], [gap], [1.0], [1.0]]), (Axis("x", LINE),), 1)
        found = residue(space, values, 2)
        assert found.theorem == theorem
        assert (found.ratio_proved is None) == (theorem is None)
        assert 0 < found.lower_bound <= found.cost


def test_the_ratio_tells_no_gap_between_numbers():
    """Gaps of 1/80 and of 1/100 of the range give one ratio; hierarchies alone give theirs."""
    line = Axis("age", LINE, weight=1.0)
    assert spread(Space(np.array([[0.0], [1 / 80], [1.0]]), (line,), 1)) == 128
    assert spread(Space(np.array([[0.0], [1 / 100], [1.0]]), (line,), 1)) == 128
    levels = Axis("town", TREE, np.array([[0, 2, 3], [1, 2, 3]], dtype=np.int32), np.array([0.0, 0.3, 1.0]))
    assert spread(Space(np.zeros((2, 1)), (levels,), 1)) == Fraction(3334, 1000)
    sets = Axis(
        "job", TREE, np.array([[0, 2], [1, 2]], dtype=np.int32), np.array([0.0, 2.0]), by_count=set_costs(1, 6)
    )
    assert spread(Space(np.zeros((2, 1)), (sets,), 1)) == 4
    assert spread(Space.from_labels([["a", "x", "1"], ["b", "y", "2"]])) == 3


@pytest.mark.parametrize(("values", "l"), [([1, 1, 1, 2], 2), ([1, 1, 2, 2], 3)])
def test_a_value_that_is_too_frequent_is_refused(values, l):  # noqa: E741
    with pytest.raises(InfeasibleError):
        residue([["a"], ["b"], ["c"], ["d"]], values, l)


def test_one_value_for_each_record_is_asked_for():
    with pytest.raises(ParameterError, match="one label for each of 2 records"):
        residue([["a"], ["b"]], [1], 2)


def test_the_order_of_rows_changes_nothing():
    rng = np.random.default_rng(5)
    records, values = rng.integers(0, 3, (60, 2)), rng.integers(0, 5, 60)
    first = residue(records, values, 3)
    for _ in range(5):
        order = rng.permutation(60)
        again = residue(records[order], values[order], 3)
        assert again.cost == first.cost
        assert Counter(again.sizes.tolist()) == Counter(first.sizes.tolist())
