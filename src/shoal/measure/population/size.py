"""The size of the population that a table is a sample of."""

from __future__ import annotations

from shoal.errors import ParameterError


def check_population(population: int | None, n_people: int) -> None:
    """Raise a ParameterError if the population is smaller than the table that is a sample of it."""
    if population is not None and population < n_people:
        raise ParameterError(
            f"population={population} is fewer than the {n_people} people of the table.",
            "give the number of people that the table is a sample of, or leave it out.",
        )
