"""The policy with all requirements of the user, its TOML file, and the keywords that stand for parts of it."""

from shoal.method_table import Method, Objective
from shoal.policy.column import Column
from shoal.policy.column_sources import Hierarchy, Map
from shoal.policy.model import Policy
from shoal.policy.perturbation import Perturbation
from shoal.policy.requirements import Closeness, Disclosure, Diversity
from shoal.policy.sequence import Following
from shoal.policy.setting_types import (
    CellLoss,
    DiversityKind,
    GroundDistance,
    Kind,
    LikenessKind,
    Period,
    Publication,
    Role,
    Synthetic,
)
from shoal.policy.text_file import Source

__all__ = [
    "CellLoss",
    "Closeness",
    "Column",
    "Disclosure",
    "Diversity",
    "DiversityKind",
    "Following",
    "GroundDistance",
    "Hierarchy",
    "Kind",
    "LikenessKind",
    "Map",
    "Method",
    "Objective",
    "Period",
    "Perturbation",
    "Policy",
    "Publication",
    "Role",
    "Source",
    "Synthetic",
]
