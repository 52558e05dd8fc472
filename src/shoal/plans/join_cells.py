"""Merging cells, for classes that are too small in a new table and are merged: the merged cell contains them all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from shoal.plans.ends import end_of
from shoal.plans.plan import ANY, AnyOf, Cell, Node, Plan, Span
from shoal.policy import Policy
from shoal.publish.group_values import codes_of
from shoal.publish.notation import OR_MISSING
from shoal.space.hierarchy_sources import names_above


class Joiner:
    """Merges cells of one column: the hull of ranges, the union of sets, the lowest common node of a hierarchy.

    In the form `suppress` cells that differ are merged to a hidden cell.
    """

    def __init__(self, values: pl.Series, policy: Policy, plan: Plan) -> None:
        column = policy.columns[values.name]
        self.name, self.dtype, self.hides = values.name, values.dtype, plan.form == "suppress"
        self.ordered = column.kind == "ordered" and plan.form == "generalize"
        self.domain = codes_of(values, column.order)[0] if self.ordered else ()
        self.paths: Mapping[str, Sequence[str]] = {}
        if column.hierarchy is not None and plan.form == "generalize":
            mark = plan.hierarchies.get(values.name)
            length, least = mark.length if mark else None, column.least_level
            self.paths = names_above(values, column.hierarchy, length=length, least_level=least)

    def __call__(self, cells: Sequence[Cell]) -> Cell:
        if self.hides:
            return cells[0] if len(set(cells)) == 1 else ANY
        there = [cell for cell in cells if cell is not None]
        if ANY in there or not there:
            return ANY if there else None
        missing = len(there) < len(cells)
        if isinstance(there[0], Span):
            return self._hull([cell for cell in there if isinstance(cell, Span)], missing)
        if isinstance(there[0], AnyOf):
            return self._union([cell for cell in there if isinstance(cell, AnyOf)], missing)
        return self._node([cell for cell in there if isinstance(cell, Node)], missing)

    def _hull(self, spans: Sequence[Span], missing: bool) -> Cell:
        missing = missing or any(span.missing for span in spans)
        low = min(spans, key=lambda span: end_of(self.name, span.low, self.dtype)).low
        high = max(spans, key=lambda span: end_of(self.name, span.high, self.dtype)).high
        return Span(low=low, high=high, missing=missing)

    def _union(self, sets: Sequence[AnyOf], missing: bool) -> Cell:
        labels = {label for one in sets for label in one.any_of} | ({None} if missing else set())
        if not self.ordered:
            return AnyOf(any_of=tuple(sorted(labels, key=lambda label: (label is None, label or ""))))
        present = labels - {None}
        places = [place for place, label in enumerate(self.domain) if label in present]
        inside = self.domain[min(places) : max(places) + 1] if places else ()
        if not present <= set(inside):
            return ANY
        return AnyOf(any_of=(*inside, None) if None in labels else inside)

    def _node(self, nodes: Sequence[Node], missing: bool) -> Cell:
        """Return the lowest node above all given nodes; hidden if only the root is."""
        missing = missing or any(node.missing for node in nodes)
        if len({(node.node, node.level) for node in nodes}) == 1:
            return self._with_missing(nodes[0], missing)
        paths = []
        for node in nodes:
            below = (path for path in self.paths.values() if len(path) > node.level and path[node.level] == node.node)
            found = next(below, None)
            if found is None:
                return ANY
            paths.append(found)
        for level in range(max(node.level for node in nodes), min(map(len, paths))):
            if len({path[level] for path in paths}) == 1:
                return self._with_missing(Node(node=paths[0][level], level=level), missing)
        return ANY

    def _with_missing(self, node: Node, missing: bool) -> Cell:
        """Return a node "or missing"; hidden if it is the root, or if a node of the hierarchy has such a name."""
        if missing and (
            node.node == ANY or any(one.endswith(OR_MISSING) for path in self.paths.values() for one in path)
        ):
            return ANY
        return node.model_copy(update={"missing": missing})
