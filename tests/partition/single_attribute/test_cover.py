"""Classes of labels: the bounds on instances of every size, the worst cases, and what is refused."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.single_attribute.cover import METHODS, PROVED, cover
from shoal.partition.single_attribute.cover_packings import least_largest
from tests.oracles.covering import best_largest_class
from tests.ratio.instances import weights

KEEPING_K = sorted(PROVED)
RATIO = {method: ratio for method, (ratio, _) in PROVED.items()}


def planted(rng: np.random.Generator) -> tuple[np.ndarray, int, int]:
    """Labels of a known solution, a k, and the solution's heaviest class."""
    k = int(rng.choice([4, 6, 11, 20, 101]))
    heaviest = k + int(rng.choice([0, 0, 1, k // 8, k // 4, k // 2]))
    style, pieces = rng.choice(["pieces", "large", "nearly", "both", "oversize"]), []
    for _ in range(int(rng.integers(1, 9))):
        load = int(rng.integers(k, heaviest + 1))
        if style == "oversize" and rng.random() < 0.3:
            pieces.append(load)
            continue
        if style in ("large", "nearly") or (style == "both" and rng.random() < 0.5):
            large = (
                int(rng.integers(k // 2 + 1, k)) if style != "nearly" else k - 1 - int(rng.integers(0, k // 10 + 1))
            )
            pieces.append(large)
            load -= large
        cuts = np.sort(rng.choice(np.arange(1, load), min(int(rng.integers(0, 4)), load - 1), replace=False))
        pieces += np.diff(np.concatenate(([0], cuts, [load]))).astype(int).tolist()
    return rng.permutation([piece for piece in pieces if piece]), k, heaviest


def check_planted(seeds: range) -> None:
    for seed in seeds:
        held, k, heaviest = planted(np.random.default_rng(seed))
        for method in ("fold", "spread", "halves", "best"):
            found = cover(held, k, method=method)
            assert found.details.class_weights.min() >= k
            assert found.cost <= RATIO[method] * heaviest, (seed, method)
            assert found.lower_bound <= heaviest


def test_planted_classes_bound_every_method():
    check_planted(range(300))


@pytest.mark.deep
def test_planted_classes_bound_every_method_on_many_instances():
    check_planted(range(300, 6000))


@pytest.mark.parametrize("k", [2, 5, 100])
def test_four_piles_just_below_k_around_one_of_k(k):
    """The paper's pile of 5k - 4 can be split here, because labels touch each other all."""
    held = [k - 1, k - 1, k, k - 1, k - 1]
    for method in KEEPING_K:
        assert cover(held, k, method=method).cost <= RATIO[method] * best_largest_class(held, k)
    assert cover(held, k).cost == best_largest_class(held, k) == max(2 * k - 2, k)


@pytest.mark.parametrize("n", [3, 5, 7])
def test_an_odd_number_of_labels_just_below_k_puts_three_into_one_class(n):
    for method in KEEPING_K:
        assert cover([9] * n, 10, method=method).cost == 27


@pytest.mark.parametrize("n", [3, 5, 7])
def test_small_labels_that_were_spent_on_nearly_full_ones_do_not_cost_more_than_twice(n):
    """The middle ones fill the gaps of 1 first; the optimum keeps them for the gaps of 100."""
    held = [999] * n + [900] * n + [150] * n + [1] * n
    for method in KEEPING_K:
        assert cover(held, 1000, method=method).cost <= RATIO[method] * 1050
    assert cover(held, 1000).cost <= 1050


def test_fold_gives_the_rest_to_the_lightest_class():
    assert cover([9, 9, 5, 5, 3], 10, method="fold").cost == 18


def test_the_exact_search_needs_no_good_start():
    for seed in range(150):
        held, k = weights(np.random.default_rng(seed))
        sizes = -np.sort(-np.array([weight for weight in held if weight]))
        found = least_largest(sizes, k, np.zeros(len(sizes), dtype=np.int64))
        assert np.bincount(found, sizes).max() == best_largest_class(held, k)
        assert np.bincount(found, sizes).min() >= k


@pytest.mark.parametrize(
    ("held", "optimum"),
    [
        ([9] * 80 + [1] * 20, 18),  # 20 can be alone with a 1, the other 60 come in pairs
        ([9, 8, 7, 6] * 25, 15),  # no more than 50 classes, whatever is in them
        ([9] * 81, 27),
        ([30, 9], 39),
        ([30, 9, 9], 30),
    ],
)
def test_large_labels_prove_that_a_heavy_class_is_forced(held, optimum):
    found = cover(held, 10)
    assert found.cost == found.lower_bound == optimum
    assert cover(held, 10, method="fold").lower_bound == optimum  # by counting, without a search


def test_labels_of_about_half_a_class_come_near_the_bound():
    held = np.random.default_rng(0).integers(100, 1000, 4000)
    assert cover(held, 1000).ratio_seen < 1.12


def test_halves_can_cost_twice_the_optimum_and_best_does_not():
    assert cover([4, 3, 2, 1], 5, method="halves").cost == 10
    assert cover([4, 3, 2, 1], 5).cost == 5


def test_every_case_of_theorem_10_is_met_and_bounded():
    closed, rest_is_small = [9, 8, 7, 6, 6, 6], [5, 4]
    swapped, folded = [9, 9, 8, 8, 7, 7, 6, 3], [8, 8, 8, 8, 8, 8, 8, 1]
    searched = [7, 7, 2, 2]
    for held, cost in (
        (closed + rest_is_small, 17),
        (swapped, 16),
        (folded, 25),
        (searched, 18),
        ([15, 9, 9, 3], 18),
    ):
        assert cover(held, 10, method="spread").cost == cost
        assert cost <= Fraction(5, 2) * best_largest_class(held, 10)


def test_a_heavy_label_does_not_make_the_other_classes_heavy():
    found = cover([1000] + [1] * 1000, 10)
    assert sorted(found.details.class_weights)[-2:] == [10, 1000]
    assert found.cost == found.lower_bound == 1000


def test_best_says_that_it_is_optimal_on_small_instances():
    for seed in range(200):
        held, k = weights(np.random.default_rng(seed))
        found = cover(held, k)
        assert found.cost == found.lower_bound
        assert found.ratio_proved == 2


def test_many_labels_of_skewed_weight_meet_the_bound():
    held = np.random.default_rng(0).zipf(1.4, 20_000).clip(max=5000)
    for n_classes in (2, 3, 7, 40):
        k = int(held.sum()) // n_classes
        assert cover(held, max(k, 5000)).ratio_seen == 1


@pytest.mark.parametrize("epsilon", [0.1, 0.25, 0.4])
def test_the_scheme_keeps_what_theorem_11_promises(epsilon):
    for seed in range(120):
        held, k = weights(np.random.default_rng(seed))
        found = cover(held, k, method="scheme", epsilon=epsilon)
        share = Fraction(str(epsilon))
        assert found.details.class_weights.min() >= (1 - 2 * share) * k
        assert found.details.class_weights.sum() == sum(held)
        assert found.cost <= (1 + share) * (best_largest_class(held, k) + share * k)
        assert found.lower_bound <= found.cost


def test_the_scheme_keeps_its_promise_where_no_label_is_heavy():
    found = cover([42, 9, 26, 37], 101, method="scheme", epsilon=0.43)
    assert found.details.class_weights.min() >= 0.14 * 101


@pytest.mark.deep
def test_the_scheme_keeps_what_theorem_11_promises_on_many_instances():
    for seed in range(2000):
        rng = np.random.default_rng(seed)
        held, k = weights(rng)
        share = Fraction(int(rng.integers(5, 50)), 100)
        found = cover(held, k, method="scheme", epsilon=share)
        assert found.details.class_weights.min() >= (1 - 2 * share) * k
        assert found.cost <= (1 + share) * (best_largest_class(held, k) + share * k)


def test_the_scheme_says_aloud_that_k_does_not_hold():
    found = cover([3, 3, 3, 4], 5, method="scheme", epsilon=0.2)
    assert found.details.relaxed_k == 3
    assert found.notes[0].startswith("NOT k-anonymous: scheme relaxes k=5 to 3")
    assert found.ratio_proved is None


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_labels_changes_no_weight(method):
    options = {"epsilon": 0.2} if method == "scheme" else {}
    for seed in range(20):
        held, k = weights(np.random.default_rng(seed))
        mixed = np.random.default_rng(seed).permutation(held)
        before, after = cover(held, k, method=method, **options), cover(mixed, k, method=method, **options)
        assert sorted(before.details.class_weights) == sorted(after.details.class_weights)
        assert (before.cost, before.lower_bound) == (after.cost, after.lower_bound)


@pytest.mark.parametrize("method", METHODS)
def test_labels_that_nobody_holds_are_in_some_class(method):
    found = cover([0, 5, 0, 7, 0], 5, method=method, **({"epsilon": 0.2} if method == "scheme" else {}))
    assert found.labels.min() == 0
    assert found.details.class_weights.sum() == 12


def test_fold_can_keep_the_order_of_labels():
    assert cover([1, 9, 1, 9], 10, method="fold", keep_order=True).labels.tolist() == [0, 0, 1, 1]
    assert cover([1, 9, 1, 9], 10, method="fold").labels.tolist() == [0, 0, 0, 0]
    with pytest.raises(ParameterError, match="keep_order belongs to method='fold'"):
        cover([5, 5], 5, keep_order=True)


def test_a_partition_of_labels_can_be_pickled():
    found = cover([3, 4, 5], 5)
    assert pickle.loads(pickle.dumps(found)).labels.tolist() == found.labels.tolist()


def test_the_input_is_not_modified():
    held = np.array([3, 9, 4, 0])
    held.flags.writeable = False
    cover(held, 5)
    assert held.tolist() == [3, 9, 4, 0]


def test_too_few_people_are_told_in_one_sentence():
    with pytest.raises(InfeasibleError, match="k=5 needs labels held by at least 5 people; these are held by 3"):
        cover([1, 2], 5)
    with pytest.raises(InfeasibleError, match="held by 0"):
        cover([], 2)


def test_an_exact_search_that_would_not_end_is_refused_with_the_way_out():
    held = np.arange(1, 61) ** 3 + 100_000
    with pytest.raises(ParameterError, match=r"60 labels are too many for an exact search"):
        cover(held, int(held.sum()) // 9, method="exact")
    assert cover(held, int(held.sum()) // 9).ratio_seen < 1.2


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"weights": [1.5, 2]}, "whole numbers"),
        ({"weights": [-1, 9]}, "none negative"),
        ({"weights": [np.nan, 9]}, "none missing"),
        ({"weights": [[5, 5]]}, "one row"),
        ({"weights": ["a", "b"]}, "numbers of people"),
        ({"k": 0}, "k must be at least 1; it is 0"),
        ({"method": "greedy"}, "cover has no method 'greedy'"),
        ({"method": "scheme"}, "epsilon belongs to method='scheme'"),
        ({"epsilon": 0.1}, "epsilon belongs to method='scheme'"),
        ({"method": "scheme", "epsilon": 0.5}, "above 0 and below 1/2"),
    ],
)
def test_what_means_nothing_is_refused(changed, told):
    asked = {"weights": [4, 5, 6], "k": 5} | changed
    with pytest.raises(ParameterError, match=told):
        cover(asked.pop("weights"), asked.pop("k"), **asked)
