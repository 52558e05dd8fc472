"""Records as points of a metric space built from the quasi-identifiers, and nearest-neighbor search in it."""

from shoal.space.build import Built, build_space
from shoal.space.default_hierarchies import with_levels
from shoal.space.hierarchy import Tree
from shoal.space.label_classes import Recoding
from shoal.space.space import Axis, Space

__all__ = ["Axis", "Built", "Recoding", "Space", "Tree", "build_space", "with_levels"]
