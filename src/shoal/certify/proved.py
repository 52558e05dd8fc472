"""What a certificate may claim about the method: its name, its objective, and a theorem with the ratio it proves.

Names and objectives come from the table of methods. The theorems are listed here a second time, so that the verifier
does not depend on the code that makes a release; a test compares the list with what that code registers. A
certificate that claims anything else is refused, which stops an invented method, theorem or ratio. Whether the
release was really made by the method it names cannot be checked on a released file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from shoal.method_table import METHODS

INVARIANT = "m-invariance"
"""The only method that may add made-up rows; its certificate states their number."""
GROWN = "diverse"
"""The method that grows groups of different sensitive values."""
PLAN, PLANNED = "plan of ", "ncp"
"""The method and objective of a release that follows the plan of an earlier one.

The method is "plan of " and the method of the earlier release; the objective is always "ncp".
"""


def objectives_of(method: str) -> tuple[str, ...]:
    """Return the objectives that a certificate may name for a method; empty where there is no such method.

    Two methods cannot be chosen in a policy and are added here: m-invariance, which may make up rows in a sequence of
    releases, and `diverse`, which may replace the chosen method where diversity is required and it costs less.
    """
    if method in METHODS:
        return METHODS[method].objectives_reported
    if method == INVARIANT:
        return ("sse", "loss", *METHODS["forest"].objectives_reported)
    if method == GROWN:
        return tuple({name: None for one in METHODS.values() for name in one.objectives_reported})
    return ()


def _forest(k: int) -> Fraction:
    """Return the ratio that FOREST-1 proves for k."""
    return Fraction(max(2 * k - 1, 3 * k - 5))


def _greedy(k: int) -> Fraction:
    """Return the ratio that GREEDY-1 proves for k: above (2 - 1/k) (1 + 1/2 + ... + 1/k) by at most a thousandth."""
    over_k = sum(Fraction(2 * k - 1, k * i) for i in range(1, k + 1))
    return Fraction(over_k * 1000 // 1 + 1) / 1000


def _only_for(size: int, ratio: Fraction) -> Callable[[int], Fraction | None]:
    """Return a function of k that gives the ratio for k = `size`, and None for every other k."""
    return lambda k: ratio if k == size else None


Ratio = Fraction | Callable[[int], Fraction | None]
THEOREMS: Mapping[str, tuple[str, Ratio]] = {
    "CELLULAR-1": ("cellular", Fraction(3)),
    "CELLULAR-2": ("cellular", Fraction(36)),
    "CELLULAR-3": ("cellular", Fraction(60)),
    "CELLULAR-4": ("cellular", Fraction(72)),
    "CELLULAR-5": ("cellular", Fraction(306, 5)),
    "CELLULAR-6": ("cellular", Fraction(225)),
    "CELLULAR-7": ("cellular", Fraction(51, 10)),
    "CELLULAR-8": ("cellular", Fraction(102)),
    "DIVERSE-1": ("diverse", Fraction(2)),
    "DIVERSE-2": ("diverse", Fraction(1)),
    "DIVERSE-3": ("diverse", Fraction(36)),
    "FOREST-1": ("forest", _forest),
    "GATHER-1": ("gather", Fraction(2)),
    "GATHER-2": ("gather", Fraction(4)),
    "GATHER-3": ("gather", Fraction(3)),
    "GATHER-4": ("gather", Fraction(2)),
    "GATHER-5": ("gather", Fraction(4)),
    "GATHER-6": ("gather", Fraction(1)),
    "GREEDY-1": ("cell-cover", _greedy),
    "PAIRS-1": ("pairs", _only_for(2, Fraction(3, 2))),
    "PAIRS-2": ("pairs", _only_for(2, Fraction(2))),
    "TRIPLES-1": ("triples", _only_for(3, Fraction(2))),
    "TRIPLES-2": ("triples", _only_for(3, Fraction(3))),
    "UNI-1": ("optimal", Fraction(1)),
}
"""For each theorem: the method that it is about, and the ratio that it proves, fixed or as a function of k."""


def _residue(k: int, l: int) -> Fraction:  # noqa: E741 (the field's own name)
    """Return the least ratio that RESIDUE-1 proves for groups of at least k, no value in more than 1/l of them.

    It is that of columns in which all values differ by the same cost, which is that of a record that says nothing.
    """
    return Fraction(l) if k <= l else max(Fraction(2), Fraction(1 + (k + l - 1) * (l - 1) ** 2, l))


SHARES = ("RESIDUE-1", "CYCLES-1")
"""Theorems on groups in which no value has more than 1/l of the rows. They hold for the default method and for groups
of different values alike. The ratio of RESIDUE-1 depends on the columns; CYCLES-1 is for l = 2 and k up to 2."""
CLASSES: Mapping[str, Fraction | None] = {
    "COVER-1": Fraction(3),
    "COVER-2": Fraction(5, 2),
    "COVER-3": Fraction(2),
    "COVER-4": Fraction(1),
    "RECTANGLES-1": Fraction(5),
    "RECTANGLES-2": Fraction(4),
    "REGIONS-1": Fraction(4),
    "REGIONS-2": Fraction(3),
    "REGIONS-3": None,
    "REGIONS-4": Fraction(3),
}
"""For each theorem about classes of one column: the largest ratio that it proves, None where that depends on the map.

On a map or a plane the ratio of a run may be smaller: it depends on the people that a class must have at least."""
BEST_OF_ITS_KIND = {"LATTICE-1": "full-domain"}
"""Theorems without a ratio, and the method that each is about.

LATTICE-1 proves the best choice of levels among all full-domain recodings. Groups that are recoded one by one may
cost less, so it gives no ratio to the best grouping.
"""


def wrong_with_classes(theorem: str | None, ratio: Fraction | None, largest: int, lower_bound: int) -> str | None:
    """Return why a certificate cannot claim this of the classes of one column; None where it can."""
    if lower_bound > largest:
        return "has a lower bound above the largest class of a column"
    if theorem is None or ratio is None:
        return None if theorem is None and ratio is None else "names classes with half of a theorem and its ratio"
    most = CLASSES.get(theorem)
    if theorem not in CLASSES or ratio < 1 or (most is not None and ratio > most):
        return "names a theorem that does not speak of classes, or another ratio"
    return None


def wrong_with(
    method: str,
    objective: str,
    theorem: str | None,
    ratio: Fraction | None,
    k: int,
    l: int | None = None,  # noqa: E741 (the field's own name)
) -> str | None:
    """Return why a certificate cannot claim this method, objective, theorem and ratio together; None where it can.

    `k` is the smallest size that a group may have, on which some ratios depend. `l` is given if besides k the policy
    asks only that no value has more than 1/l of a group.
    """
    planned = method.startswith(PLAN)
    objectives = objectives_of(method.removeprefix(PLAN))
    if not objectives:
        return "names a method that does not exist"
    if objective not in ((PLANNED,) if planned else objectives):
        return "names an objective that its method does not have"
    if theorem is None:
        return None if ratio is None else "names a ratio without a theorem"
    if theorem in BEST_OF_ITS_KIND:
        fits = BEST_OF_ITS_KIND[theorem] == method and ratio is None
        return None if fits else "names a theorem that does not speak of its method, or another ratio"
    if theorem in SHARES:
        usual = method in ("forest", GROWN) and objective in objectives_of("forest")
        fits = usual and _fits_shares(theorem, ratio, k, l)
        return None if fits else "names a theorem that does not speak of its method or policy, or another ratio"
    about, proved = THEOREMS.get(theorem, (None, None))
    expected = proved(k) if callable(proved) else proved
    if about != method or expected is None or ratio != expected:
        return "names a theorem that does not speak of its method, or another ratio"
    return None


def _fits_shares(theorem: str, ratio: Fraction | None, k: int, l: int | None) -> bool:  # noqa: E741
    """Return whether a theorem on shares of values proves such a ratio for k and l."""
    if l is None or ratio is None:
        return False
    if theorem == "CYCLES-1":
        return k == l == 2 and ratio == Fraction(8, 3)
    return ratio >= _residue(k, l)
