"""What a codebook states about a column whose values were perturbed: that they are not true, and by which process."""

from __future__ import annotations

from shoal.policy import Perturbation

NOT_TRUE = "A value that was changed by chance: it is not the value of the person of the row, or need not be."


def perturbation_words(asked: Perturbation) -> str:
    """Return how the values of a column were perturbed, with the parameters that a reader needs to judge them."""
    if asked.method == "pram":
        where = "" if asked.within is None else f" among those with the same value of {asked.within}"
        return (
            f"Perturbed by PRAM: every cell was kept with probability {_text(asked.keep)}, and otherwise became the "
            f"cell of a row drawn by chance{where}. The expected frequencies are the true ones. An empty cell stayed "
            "empty."
        )
    if asked.method == "rank-swap":
        return (
            "Perturbed by rank swapping: two values changed places if their ranks were at most "
            f"{_text(asked.window)} of all rows apart. The column has the same values as before, at other rows. "
            "An empty cell stayed empty."
        )
    together = " and covariances within the group of columns" if asked.group is not None else ""
    rounded = f", rounded to {asked.decimals} decimals," if asked.decimals is not None else ""
    return (
        f"Perturbed by noise: random numbers with {_text(asked.spread)} times the standard deviation of the column "
        f"were added, and means, variances{together} were then restored{rounded} over all published rows. "
        "An empty cell stayed empty."
    )


def _text(number: float | None) -> str:
    return f"{number:.15g}"
