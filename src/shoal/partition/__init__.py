"""Points to groups: one module per problem, each with its guarantee."""

from shoal.partition.cellular_cost.cellular import cellular
from shoal.partition.diversity.diverse import diverse
from shoal.partition.generalization.cell_cover import cell_cover
from shoal.partition.generalization.cycles import cycles
from shoal.partition.generalization.forest import forest
from shoal.partition.generalization.full_domain import datafly, full_domain
from shoal.partition.generalization.mondrian import mondrian
from shoal.partition.generalization.pairs import pairs
from shoal.partition.generalization.residue import residue
from shoal.partition.generalization.triples import triples
from shoal.partition.guarantee import Guarantee, Heuristic, Proved, guarantees
from shoal.partition.microaggregation.microaggregate import microaggregate
from shoal.partition.radius.gather import gather
from shoal.partition.result import Partition
from shoal.partition.single_attribute.cover import cover
from shoal.partition.single_attribute.intervals import intervals
from shoal.partition.single_attribute.rectangles import rectangles
from shoal.partition.single_attribute.regions import regions

__all__ = [
    "Guarantee",
    "Heuristic",
    "Partition",
    "Proved",
    "cell_cover",
    "cellular",
    "cover",
    "cycles",
    "datafly",
    "diverse",
    "forest",
    "full_domain",
    "gather",
    "guarantees",
    "intervals",
    "microaggregate",
    "mondrian",
    "pairs",
    "rectangles",
    "regions",
    "residue",
    "triples",
]
