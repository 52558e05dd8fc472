"""Privacy requirements on groups, as predicates on the numbers of people and of sensitive values in a group."""

from shoal.requirements.closeness_sizes import least_size, least_values
from shoal.requirements.counts import Counts, Records, Sparse, Tally, count
from shoal.requirements.from_policy import build, check_feasible, records_of, values_counted
from shoal.requirements.k_anonymity import KAnonymity
from shoal.requirements.l_diversity import LDiversity
from shoal.requirements.requirement import Requirement
from shoal.requirements.t_closeness import TCloseness
from shoal.requirements.value_shares import AlphaAnonymity, BetaLikeness, DeltaDisclosure, ShareLimit

__all__ = [
    "AlphaAnonymity",
    "BetaLikeness",
    "Counts",
    "DeltaDisclosure",
    "KAnonymity",
    "LDiversity",
    "Records",
    "Requirement",
    "ShareLimit",
    "Sparse",
    "TCloseness",
    "Tally",
    "build",
    "check_feasible",
    "count",
    "least_size",
    "least_values",
    "records_of",
    "values_counted",
]
