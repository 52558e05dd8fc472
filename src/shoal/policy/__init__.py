"""The policy with all requirements of the user, its TOML file, and the keywords that stand for parts of it."""

from shoal.method_table import Method, Objective
from shoal.policy.model import Policy
from shoal.policy.parts import (
    CellLoss,
    Closeness,
    Column,
    Diversity,
    DiversityKind,
    Following,
    GroundDistance,
    Hierarchy,
    Kind,
    Map,
    Period,
    Publication,
    Role,
    Source,
)

__all__ = [
    "CellLoss",
    "Closeness",
    "Column",
    "Diversity",
    "DiversityKind",
    "Following",
    "GroundDistance",
    "Hierarchy",
    "Kind",
    "Map",
    "Method",
    "Objective",
    "Period",
    "Policy",
    "Publication",
    "Role",
    "Source",
]
