"""Drawing cells: the same seed gives the same table on every machine."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta


class Draw(random.Random):
    """A generator of cells for a table of `n` rows."""

    def __init__(self, seed: str, n: int) -> None:
        super().__init__(seed)
        self.n = n

    def cells(self, one: Callable[[], object]) -> list[str]:
        """Return `n` cells, each drawn by itself."""
        return [str(one()) for _ in range(self.n)]

    def of(self, values: Sequence[object], weights: Sequence[float] | None = None) -> list[str]:
        """Return `n` cells out of the values; without weights, earlier values are more frequent."""
        shares = weights or [1 / (at + 1.5) for at in range(len(values))]
        return [str(value) for value in self.choices(values, shares, k=self.n)]

    def even(self, values: Sequence[object]) -> list[str]:
        """Return `n` cells out of the values, each as likely as any other."""
        return [str(value) for value in self.choices(values, k=self.n)]

    def whole(self, low: int, high: int) -> list[str]:
        return self.cells(lambda: self.randint(low, high))

    def around(self, mean: float, spread: float, low: float, high: float, digits: int = 0) -> list[str]:
        """Return `n` numbers of a bell curve, cut off at both ends, with so many decimals."""
        return self.cells(lambda: f"{min(max(self.gauss(mean, spread), low), high):.{digits}f}")

    def digits(self, count: int, prefix: str = "") -> list[str]:
        """Return `n` different codes of so many digits."""
        taken = self.sample(range(10 ** (count - 1), 10**count), self.n)
        return [f"{prefix}{value}" for value in taken]

    def days(self, first: str, last: str) -> list[date]:
        """Return `n` days from `first` to `last`."""
        low, high = date.fromisoformat(first), date.fromisoformat(last)
        return [low + timedelta(days=self.randint(0, (high - low).days)) for _ in range(self.n)]

    def moments(self, first: str, last: str) -> list[datetime]:
        """Return `n` times of a day from `first` to `last`, by the second."""
        return [
            datetime(day.year, day.month, day.day) + timedelta(seconds=self.randint(0, 86_399))
            for day in self.days(first, last)
        ]

    def with_missing(self, cells: list[str], share: float, *spellings: str) -> list[str]:
        """Return the cells with a share of them missing; without a spelling they are empty.

        Every spelling is there at least once, so that what the truth says of a table is in the table.
        """
        marks = spellings or ("",)
        rows = self.sample(range(self.n), max(int(share * self.n), 2 * len(marks)))
        changed = list(cells)
        for at, row in enumerate(rows):
            changed[row] = marks[at % len(marks)]
        return changed

    def repeated(self, values: Sequence[str]) -> list[str]:
        """Return `n` cells in which each value stands for some neighboring rows, as a person with several visits."""
        share = self.n / len(values)
        return [values[min(int(row / share), len(values) - 1)] for row in range(self.n)]


def with_comma(cells: Sequence[str]) -> list[str]:
    """Return numbers with a decimal comma."""
    return [cell.replace(".", ",") for cell in cells]


def in_german(value: float) -> str:
    """Return an amount with a decimal comma and points between thousands, such as 1.840,50."""
    return f"{value:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")


def written(days: Sequence[date], format: str) -> list[str]:
    """Return dates as text in a format of `strftime`."""
    return [day.strftime(format) for day in days]
