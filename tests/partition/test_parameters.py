"""Every numeric parameter of every method refuses what is no number of its kind, in one sentence."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest

from shoal import partition
from shoal.errors import ParameterError

POINTS = np.random.default_rng(0).random((12, 2))
ONES = np.ones(12, dtype=np.int64)
METHODS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = {
    "cell_cover": (partition.cell_cover, (POINTS,), {"k": 3}),
    "cellular": (partition.cellular, (POINTS,), {"k": 3}),
    "cover": (partition.cover, (ONES,), {"k": 3}),
    "cycles": (partition.cycles, (POINTS, np.arange(12) % 3), {}),
    "datafly": (partition.datafly, (POINTS,), {"k": 3}),
    "diverse": (partition.diverse, (POINTS, np.arange(12) % 3), {"l": 2}),
    "forest": (partition.forest, (POINTS,), {"k": 3}),
    "full_domain": (partition.full_domain, (POINTS,), {"k": 3}),
    "gather": (partition.gather, (POINTS,), {"k": 3}),
    "intervals": (partition.intervals, (POINTS[:, 0],), {"k": 3}),
    "microaggregate": (partition.microaggregate, (POINTS,), {"k": 3}),
    "mondrian": (partition.mondrian, (POINTS,), {"k": 3}),
    "pairs": (partition.pairs, (POINTS,), {}),
    "rectangles": (partition.rectangles, (POINTS,), {"k": 3}),
    "regions": (partition.regions, (nx.path_graph(12), ONES), {"k": 3}),
    "residue": (partition.residue, (POINTS, np.arange(12) % 3), {"l": 2}),
    "triples": (partition.triples, (POINTS,), {}),
}
NO_WHOLE_NUMBERS = [2.5, True, False, "3", float("nan"), float("inf"), [3], np.array([3, 3])]
NO_NUMBERS = [True, "3", float("nan"), float("inf"), [3], np.array([0.1, 0.1]), -1]
WRONG: dict[str, list[Any]] = {
    "k": [*NO_WHOLE_NUMBERS, None, 0, -1],
    "l": [*NO_WHOLE_NUMBERS, None, 0, -1],
    "max_groups": [*NO_WHOLE_NUMBERS, 0, -1],
    "n_threads": [*NO_WHOLE_NUMBERS, 0, -1],
    "seed": [*NO_WHOLE_NUMBERS, None, -1],
    "effort": NO_NUMBERS,
    "time_limit": NO_NUMBERS,
    "epsilon": [*NO_NUMBERS, 0],
    "max_suppressed": [*NO_NUMBERS, None, 1.5],
}
CASES = [
    pytest.param(name, parameter, value, id=f"{name}-{parameter}-{value!r}".replace(" ", ""))
    for name, (function, _, _) in METHODS.items()
    for parameter in inspect.signature(function).parameters
    for value in WRONG.get(parameter, [])
    if not (name == "cellular" and parameter == "k" and value is None)  # without k, it opens at given costs
]


def test_every_method_is_here():
    functions = {name for name in partition.__all__ if inspect.isfunction(getattr(partition, name))}
    assert functions - {"guarantees"} == set(METHODS)


@pytest.mark.parametrize(("name", "parameter", "value"), CASES)
def test_what_is_no_number_of_its_kind_is_refused(name, parameter, value):
    function, given, settings = METHODS[name]
    with pytest.raises(ParameterError, match=parameter):
        function(*given, **settings | {parameter: value})
