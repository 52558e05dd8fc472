"""Risk that is counted in a population table: k-map and delta-presence.

Guarantee   k-map: every person of the sample shares the quasi-identifiers with at least k people of the population.
            Delta-presence: for a person of the population whose quasi-identifiers are known, the probability of
            being in the sample is between the two deltas.

References
----------
.. [1] L. Sweeney (2002). "k-anonymity: a model for protecting privacy." International Journal of Uncertainty,
   Fuzziness and Knowledge-Based Systems 10(5), 557-570.
.. [2] M. E. Nergiz, M. Atzori and C. Clifton (2007). "Hiding the presence of individuals from shared databases."
   SIGMOD, 665-676.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.errors import ParameterError
from shoal.measure.population.result import Presence

_SAMPLE, _POPULATION = "\0sample", "\0population"


def presence(sample: pl.DataFrame, population: pl.DataFrame) -> Presence:
    """Return k-map and the two deltas; both tables have the quasi-identifiers only, one row per person.

    Raises ParameterError if the population table has fewer people of some combination than the sample: then it is not
    the population that the sample is of.
    """
    keys = sample.columns
    mine = sample.group_by(keys).agg(pl.len().alias(_SAMPLE))
    both = (
        population.group_by(keys).agg(pl.len().alias(_POPULATION)).join(mine, on=keys, how="full", nulls_equal=True)
    )
    counts = both.select(pl.col(_SAMPLE, _POPULATION).fill_null(0).cast(pl.Int64))
    drawn, there = counts[_SAMPLE].to_numpy(), counts[_POPULATION].to_numpy()
    absent = int(np.maximum(drawn - there, 0).sum())
    if absent:
        raise ParameterError(
            f"{absent} people of the table are not in the population table, by their quasi-identifiers.",
            "give a population table with everybody who is in the table, with cells written in the same way.",
        )
    share = drawn / there
    return Presence(
        population=int(there.sum()),
        k_map=int(there[drawn > 0].min(initial=int(there.sum()))),
        delta_min=float(share.min(initial=1.0)),
        delta_max=float(share.max(initial=0.0)),
        population_uniques=int(np.count_nonzero((drawn == 1) & (there == 1))),
    )
