"""Re-identification risk before and after the release.

Prosecutor: the attacker knows that the target is in the table; the probability is 1 / people of the target's class.
Journalist: the table is a sample of a population of known size, so a class of f people stands for f N / n people.
Marketer: the share of people that is expected to be identified correctly if everybody is linked. Without a population
size the table is taken as the population, and the journalist risk equals the prosecutor risk.

Where a quasi-identifier is a set, the attacker knows up to m of the target's items as well, those that the fewest
people of the class share. A person with rows in several classes has the risk of the smallest. Suppressed rows have
no risk: shares and means after the release are over the people who are in it.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.measure.equivalence_classes import Bools, EquivalenceClasses, Floats, Ints, classes_after, classes_before
from shoal.measure.inferred_values import inferences
from shoal.measure.population.size import check_population
from shoal.measure.risk_result import AtRisk, Bar, Exposure, Inference, Risk, SensitiveRisk
from shoal.measure.singling import singled
from shoal.policy import Policy
from shoal.publish.result import Published
from shoal.requirements.counts import Records
from shoal.requirements.from_policy import diversity_asked, records_of, values_counted
from shoal.requirements.l_diversity import LDiversity
from shoal.requirements.requirement import TOLERANCE
from shoal.requirements.t_closeness import TCloseness

THRESHOLDS = (2, 3, 5, 10, 20, 50, 100, 1000)  # risks 1/2, 1/3, ... above which people are counted
MOST_INFERRED, FEWEST_INFERRED = 3_000, 50  # records whose values are inferred from others
INFERRED = 20_000_000  # the most comparisons of a value with a cell for that
MAX_BARS = 30  # the most bars of one whole number each; above that, bars widen
T_BARS = 20  # bars of the chart of t, which is between 0 and 1
_T_LOWS = np.arange(T_BARS) / T_BARS
# lower ends of bars that widen: 0, 1, ... 10, then 11 to 20, 21 to 50, 51 to 100, 101 to 200 and so on
_WIDENING = np.array([*range(11), *(step * 10**p + 1 for p in range(1, 10) for step in (1, 2, 5))], dtype=np.float64)


def risk(
    original: pl.DataFrame, policy: Policy, published: Published, labels: Ints, *, population: int | None = None
) -> Risk:
    """Return the risk of both tables. `population` is the number of people that the table is a sample of."""
    records = records_of(policy, original)
    n_people = records.n_people
    check_population(population, n_people)
    scale = 1.0 if population is None or not n_people else population / n_people
    before = classes_before(original, policy, records)
    after = classes_after(published, labels, records, policy)
    return Risk(
        unit="rows" if records.people is None else "people",
        population=population,
        before=_exposure(before, records, policy, scale),
        after=_exposure(after, records, policy, scale),
        singled=singled(original, policy, published),
        inference=_inferred(original, policy, published),
    )


def _inferred(original: pl.DataFrame, policy: Policy, published: Published) -> tuple[Inference, ...]:
    """Return what follows about every column from sets of the others, for a fixed random sample of the records."""
    n_classes = max(len(published.columns[0].loss) if published.columns else 1, 1)
    most = max(FEWEST_INFERRED, min(MOST_INFERRED, INFERRED // (n_classes * max(len(policy.quasi), 1))))
    drawn = np.random.default_rng(0).permutation(len(original))[:most]
    return inferences(original, policy, published, np.sort(drawn).astype(np.int64))


def smallest_class(classes: EquivalenceClasses, records: Records) -> Ints:
    """Return, for every person in the table, the number of people in the smallest class that the person is in.

    If items of a set may be known as well, it is the number of people of a class who share them.
    """
    kept = classes.of_row >= 0
    sizes = classes.counts.people[classes.of_row[kept]] if classes.sharing is None else classes.sharing[kept]
    if records.people is None:
        return sizes
    person, inverse = np.unique(records.people[kept], return_inverse=True)
    smallest = np.full(len(person), np.iinfo(np.int64).max)
    np.minimum.at(smallest, inverse, sizes)
    return smallest


def _exposure(classes: EquivalenceClasses, records: Records, policy: Policy, scale: float) -> Exposure:
    """Return the risk measures of one table; `scale` is the size of the population per person in the table."""
    people, sizes = classes.counts.people, smallest_class(classes, records)
    n = len(sizes)
    chances = 1.0 / sizes
    sampled = np.minimum(1.0, chances / scale)
    unique = int(np.count_nonzero(sizes == 1))
    thresholds = [(one_in, int(np.count_nonzero(sizes < one_in))) for one_in in THRESHOLDS]
    return Exposure(
        n_people=n,
        n_classes=len(people),
        smallest_class=int(people.min(initial=n)),
        prosecutor_max=float(chances.max(initial=0.0)),
        prosecutor_mean=_mean(chances),
        journalist_max=float(sampled.max(initial=0.0)),
        journalist_mean=_mean(sampled),
        marketer=_mean(sampled),
        unique_people=unique,
        unique_share=unique / n if n else 0.0,
        class_sizes=_whole_bars(people.astype(np.float64), people),
        at_risk=tuple(AtRisk(one_in=one_in, people=m, share=m / n if n else 0.0) for one_in, m in thresholds),
        sensitive=tuple(_sensitive(name, classes, records, policy) for name in policy.all_sensitive) if n else (),
    )


def _sensitive(name: str, classes: EquivalenceClasses, records: Records, policy: Policy) -> SensitiveRisk:
    """Return diversity and closeness of one sensitive column over the equivalence classes."""
    asked_l, asked_t = policy.diversity_of(name), policy.closeness_of(name)
    diversity = diversity_asked(name, asked_l) if asked_l else LDiversity(name, 1.0)
    closeness = TCloseness(name, asked_t.t if asked_t else 1.0, policy.distance_of(name))
    counts, people = classes.counts, classes.counts.people
    l_values, t_values = diversity.measure(counts), closeness.measure(counts)
    alone = LDiversity(name, 1.0, count_missing=diversity.count_missing).measure(counts) == 1
    known = values_counted(diversity, records) >= 0
    return SensitiveRisk(
        name=name,
        l_kind=diversity.kind,
        l_asked=asked_l.l if asked_l else None,
        l_smallest=float(l_values.min()),
        l_classes=_whole_bars(l_values, people),
        homogeneous_people=_people_in(alone, known, classes, records),
        t_distance=closeness.distance,
        t_asked=asked_t.t if asked_t else None,
        t_largest=float(t_values.max()),
        t_mean=float(np.average(t_values, weights=people)),
        t_classes=_bars(t_values, people, _T_LOWS, _T_LOWS + 1 / T_BARS),
    )


def _people_in(chosen: Bools, known: Bools, classes: EquivalenceClasses, records: Records) -> int:
    """Return the number of distinct people with a row in one of the chosen classes whose value is known."""
    rows = known & (classes.of_row >= 0) & np.append(chosen, False)[classes.of_row]
    return int(np.count_nonzero(rows)) if records.people is None else len(np.unique(records.people[rows]))


def _whole_bars(values: Floats, people: Ints) -> tuple[Bar, ...]:
    """Return one bar per whole number, or bars that widen if there are too many; fractions belong to the number
    below.
    """
    nearest = np.rint(values)
    values = np.where(np.abs(values - nearest) <= TOLERANCE, nearest, values)
    lows = np.unique(np.floor(values))
    width = 0.0 if np.array_equal(values, np.floor(values)) else 1.0
    if len(lows) <= MAX_BARS:
        return _bars(values, people, lows, lows + width)
    return _bars(values, people, _WIDENING, np.append(_WIDENING[1:] - 1, np.inf) + width)


def _bars(values: Floats, people: Ints, lows: Floats, highs: Floats) -> tuple[Bar, ...]:
    """Return the classes and people per bar; a value belongs to the last of `lows` not above it. Empty bars are
    omitted.
    """
    bar = np.searchsorted(lows, values, side="right") - 1
    classes = np.bincount(bar, minlength=len(lows))
    inside = np.bincount(bar, weights=people, minlength=len(lows))
    return tuple(
        Bar(low=float(lows[i]), high=float(highs[i]), classes=int(classes[i]), people=int(inside[i]))
        for i in np.flatnonzero(classes)
    )


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0
