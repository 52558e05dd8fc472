"""Estimates of population uniqueness, against their definitions and on populations that are known."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.special import gammaln

from shoal.measure.population.class_sizes import ClassSizes, class_sizes
from shoal.measure.population.pitman import fit_pitman, unique_by_pitman
from shoal.measure.population.slide_negative_binomial import _shares, unique_by_slide_negative_binomial
from shoal.measure.population.uniqueness import unique_in_population
from shoal.measure.population.zayatz import unique_by_zayatz
from tests.measure.population.populations import population, sample, unique_people


def sizes_of(frame) -> ClassSizes:
    return class_sizes(frame.group_by(frame.columns).len()["len"].to_numpy().astype(np.int64))


def test_sizes_are_counted_and_empty_classes_are_none() -> None:
    found = class_sizes(np.array([1, 3, 1, 0, 2, 1]))
    assert (found.n_people, found.n_classes) == (8, 5)
    assert [found.of_size(size) for size in (1, 2, 3, 4)] == [3, 1, 1, 0]


@pytest.mark.parametrize(("people", "n_population"), [([1, 1, 1, 2, 5], 40), ([1, 2, 2, 9], 15), ([1, 1, 30], 32)])
def test_zayatz_is_bayes_rule_on_hypergeometric_draws(people: list[int], n_population: int) -> None:
    """The definition in exact fractions."""
    n, classes = sum(people), len(people)

    def drawn_once(size: int) -> Fraction:
        return Fraction(size * comb(n_population - size, n - 1), comb(n_population, n))

    ones = people.count(1)
    stays = Fraction(ones, classes) * drawn_once(1) / sum(Fraction(1, classes) * drawn_once(size) for size in people)
    exact = ones * stays * Fraction(n_population, n)
    assert unique_by_zayatz(class_sizes(np.array(people)), n_population) == pytest.approx(float(exact), rel=1e-9)


def test_shares_of_the_slide_negative_binomial_model_are_those_of_its_definition() -> None:
    """Sum over class sizes of the probability of the size times that of 1 or 2 of its people in the sample."""
    a, b, fraction = 1.7, 0.3, 0.25
    x = np.arange(0, 400)
    of_size = np.exp(gammaln(x + a) - gammaln(a) - gammaln(x + 1) + a * np.log(b) + x * np.log(1 - b))
    size = x + 1
    one = float((of_size * size * fraction * (1 - fraction) ** (size - 1)).sum())
    two = float((of_size * size * (size - 1) / 2 * fraction**2 * (1 - fraction) ** (size - 2.0)).sum())
    assert _shares(np.array([np.log(a), np.log(b / (1 - b))]), fraction) == pytest.approx([one, two], rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_slide_negative_binomial_finds_the_uniques_of_its_own_population(seed: int) -> None:
    random = np.random.default_rng(seed)
    classes = 1 + random.negative_binomial(0.8, 0.35, size=20_000)
    drawn = random.binomial(classes, 0.3)
    fits = class_sizes(drawn.astype(np.int64))
    found = unique_by_slide_negative_binomial(fits, round(fits.n_people / 0.3))
    assert found is not None
    # the number of classes in the population is an estimate of its own, by Shlosser, which is some 10 % too high here
    assert found == pytest.approx(np.count_nonzero(classes == 1), rel=0.25)


def pitman_population(n: int, theta: float, alpha: float, seed: int) -> list[int]:
    """The class of each of `n` people who come one after the other by Pitman's model."""
    random, sizes, of_person = np.random.default_rng(seed), [], []
    for m in range(n):
        if random.random() * (theta + m) < theta + alpha * len(sizes):
            sizes.append(1)
            of_person.append(len(sizes) - 1)
            continue
        while True:  # a person drawn at random leads to a class of size j with j / m; keep it with (j - alpha) / j
            there = of_person[random.integers(m)]
            if random.random() < (sizes[there] - alpha) / sizes[there]:
                break
        sizes[there] += 1
        of_person.append(there)
    return of_person


def test_pitman_finds_its_own_parameters_and_uniques() -> None:
    people = pitman_population(40_000, theta=50.0, alpha=0.4, seed=1)
    first = np.bincount(people[:4_000])
    found = class_sizes(first.astype(np.int64))
    fitted = fit_pitman(found)
    assert fitted is not None
    theta, alpha = fitted
    assert alpha == pytest.approx(0.4, abs=0.06)
    assert theta == pytest.approx(50.0, rel=0.4)
    uniques = int(np.count_nonzero(np.bincount(people) == 1))
    assert unique_by_pitman(found, 40_000) == pytest.approx(uniques, rel=0.15)


def test_pitman_fits_no_better_near_its_parameters() -> None:
    """The parameters are those of the largest likelihood, written down as the product it is."""
    found = class_sizes(np.array([1] * 12 + [2, 2, 3, 25]))

    def likelihood(theta: float, alpha: float) -> float:
        logs = sum(np.log(theta + i * alpha) for i in range(1, found.n_classes))
        logs -= sum(np.log(theta + i) for i in range(1, found.n_people))
        return logs + sum(np.log(j - alpha) for size in (2, 2, 3, 25) for j in range(1, size))

    fitted = fit_pitman(found)
    assert fitted is not None
    theta, alpha = fitted
    best = likelihood(theta, alpha)
    for dt, da in ((0.05, 0), (-0.05, 0), (0, 0.02), (0, -0.02), (0.05, -0.02)):
        assert likelihood(theta + dt, alpha + da) < best + 1e-9


def test_no_estimate_where_a_model_has_none() -> None:
    everybody = class_sizes(np.ones(50, dtype=np.int64))
    assert unique_by_pitman(everybody, 1_000) is None
    assert unique_by_slide_negative_binomial(everybody, 1_000) is None
    found = unique_in_population(everybody, 1_000)
    assert (found.chosen, found.people) == ("zayatz", 1_000.0)


def test_nobody_is_unique_in_the_population_if_nobody_is_in_the_sample() -> None:
    found = unique_in_population(class_sizes(np.array([5, 7, 5])), 1_000)
    assert (found.people, found.share) == (0.0, 0.0)


def test_a_table_that_is_the_population_has_the_uniques_it_has() -> None:
    people = population(3_000, 7)
    found = unique_in_population(sizes_of(people), people.height)
    assert found.zayatz == pytest.approx(unique_people(people))
    assert found.slide_negative_binomial == unique_people(people)


@pytest.mark.parametrize(("n", "chosen"), [(1_500, "pitman"), (12_000, None)])
def test_the_chosen_estimate_is_near_the_truth(n: int, chosen: str | None) -> None:
    """The rule of Dankar et al. on a population of independent columns, in which no model is quite right."""
    people = population(30_000, 3, values=(60, 2, 80, 6))
    found = unique_in_population(sizes_of(sample(people, n, 5)), people.height)
    assert chosen is None or found.chosen == chosen
    if chosen is None:
        assert found.chosen in ("zayatz", "slide-negative-binomial")
    true = unique_people(people)
    assert true / 2 <= found.people <= 2 * true
