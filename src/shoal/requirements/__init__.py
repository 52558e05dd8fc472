"""What a group must meet: predicates on the counts of people in it."""

from shoal.requirements.anonymity import KAnonymity
from shoal.requirements.build import build, check_feasible, records_of
from shoal.requirements.closeness import TCloseness
from shoal.requirements.counts import Counts, Records, Sparse, Tally, count
from shoal.requirements.diversity import LDiversity
from shoal.requirements.requirement import Requirement

__all__ = [
    "Counts",
    "KAnonymity",
    "LDiversity",
    "Records",
    "Requirement",
    "Sparse",
    "TCloseness",
    "Tally",
    "build",
    "check_feasible",
    "count",
    "records_of",
]
