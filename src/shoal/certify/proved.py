"""What a certificate may say of the method: which methods there are, what each minimizes, what is proved of which.

Names and objectives are those of the table of methods. What is proved is a list of its own: the verifier does not ask
the code that made a release what is proved of it, and a test holds the list against what that code registers. What
stands here can be *said* of a release; no count on a released file can show that it was made so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from shoal.method_table import METHODS

INVARIANT = "m-invariance"
"""The method that may make up rows, and says how many."""
GROWN = "diverse"
"""Groups grown of different values."""
PLAN, PLANNED = "plan of ", "ncp"
"""A release that follows an earlier one's plan names that one's method, and loses by its classes."""


def objectives_of(method: str) -> tuple[str, ...]:
    """What a method may minimize; nothing where there is no such method.

    Two are in no policy: rows may be made up in a sequence of releases, and groups grown for diversity may take the
    place of another method's.
    """
    if method in METHODS:
        return METHODS[method].objectives_reported
    if method == INVARIANT:
        return ("sse", "loss", "generalization")
    if method == GROWN:
        return tuple({name: None for one in METHODS.values() for name in one.objectives_reported})
    return ()


def _forest(k: int) -> Fraction:
    return Fraction(max(2 * k - 1, 3 * k - 5))


def _only_for(size: int, ratio: Fraction) -> Callable[[int], Fraction | None]:
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
    "PAIRS-1": ("pairs", _only_for(2, Fraction(3, 2))),
    "PAIRS-2": ("pairs", _only_for(2, Fraction(2))),
    "TRIPLES-1": ("triples", _only_for(3, Fraction(2))),
    "TRIPLES-2": ("triples", _only_for(3, Fraction(3))),
    "UNI-1": ("optimal", Fraction(1)),
}
"""By theorem: the method that it speaks of, and the ratio that it proves for k."""
BEST_OF_ITS_KIND = {"LATTICE-1": "full-domain"}
"""The best of all choices of levels; groups that are recoded one by one may lose less, so no ratio is claimed."""


def wrong_with(method: str, objective: str, theorem: str | None, ratio: Fraction | None, k: int) -> str | None:
    """Why these cannot be said together of a release; None where they can."""
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
    about, proved = THEOREMS.get(theorem, (None, None))
    expected = proved(k) if callable(proved) else proved
    if about != method or expected is None or ratio != expected:
        return "names a theorem that does not speak of its method, or another ratio"
    return None
