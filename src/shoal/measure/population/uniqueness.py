"""The number of people who are unique in the population, by three estimates and the choice between them.

Dankar et al. compared the estimates on clinical tables and found a rule: where at most a tenth of the population is
in the sample, Pitman's; above that, the smaller one of Zayatz's and that of the slide negative binomial model. Where
an estimate does not exist, that of Zayatz takes its place.

References
----------
.. [1] F. K. Dankar, K. El Emam, A. Neisa and T. Roffey (2012). "Estimating the re-identification risk of clinical
   data sets." BMC Medical Informatics and Decision Making 12, 66.
"""

from __future__ import annotations

from shoal.measure.population.class_sizes import ClassSizes
from shoal.measure.population.pitman import unique_by_pitman
from shoal.measure.population.result import UniqueInPopulation
from shoal.measure.population.slide_negative_binomial import unique_by_slide_negative_binomial
from shoal.measure.population.zayatz import unique_by_zayatz

SMALL_FRACTION = 0.1
"""The sampling fraction up to which the rule takes Pitman's estimate."""


def unique_in_population(found: ClassSizes, population: int) -> UniqueInPopulation:
    """Return all three estimates, and the one that the rule of Dankar et al. chooses."""
    zayatz = unique_by_zayatz(found, population)
    slide = unique_by_slide_negative_binomial(found, population)
    pitman = unique_by_pitman(found, population)
    if found.n_people <= SMALL_FRACTION * population:
        chosen = "pitman" if pitman is not None else "zayatz"
    else:
        chosen = "slide-negative-binomial" if slide is not None and slide <= zayatz else "zayatz"
    estimates = {"zayatz": zayatz, "slide-negative-binomial": slide, "pitman": pitman}
    return UniqueInPopulation(
        population=population,
        sampling_fraction=found.n_people / population,
        zayatz=zayatz,
        slide_negative_binomial=slide,
        pitman=pitman,
        chosen=chosen,
        people=estimates[chosen] or 0.0,
        share=(estimates[chosen] or 0.0) / population,
    )
