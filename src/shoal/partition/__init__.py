"""Points to groups: one module per problem, each with its guarantee."""

from shoal.partition.cellular import cellular
from shoal.partition.cover import cover
from shoal.partition.diverse import diverse
from shoal.partition.forest import forest
from shoal.partition.gather import gather
from shoal.partition.intervals import intervals
from shoal.partition.lattice import datafly, full_domain
from shoal.partition.microaggregate import microaggregate
from shoal.partition.mondrian import mondrian
from shoal.partition.pairs import pairs
from shoal.partition.rectangles import rectangles
from shoal.partition.regions import regions
from shoal.partition.result import Guarantee, Partition, guarantees
from shoal.partition.triples import triples

__all__ = [
    "Guarantee",
    "Partition",
    "cellular",
    "cover",
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
    "triples",
]
