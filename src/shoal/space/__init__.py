"""Columns as points of a metric space, and their neighbours."""

from shoal.space.columns import Built, build_space
from shoal.space.derive import with_levels
from shoal.space.hierarchy import Tree
from shoal.space.recoding import Recoding
from shoal.space.space import Axis, Space

__all__ = ["Axis", "Built", "Recoding", "Space", "Tree", "build_space", "with_levels"]
