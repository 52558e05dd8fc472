"""What the user asks for: the policy, its TOML file, and the keywords that stand for its parts."""

from shoal.method_table import Method, Objective
from shoal.policy.model import (
    Closeness,
    Column,
    Diversity,
    DiversityKind,
    DomainLoss,
    Following,
    GroundDistance,
    Hierarchy,
    Kind,
    Map,
    Period,
    Policy,
    Publication,
    Role,
    Source,
)

__all__ = [
    "Closeness",
    "Column",
    "Diversity",
    "DiversityKind",
    "DomainLoss",
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
