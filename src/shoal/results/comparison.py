"""The result of `compare`: trials as a table, as JSON and as charts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal._repr import brief
from shoal.policy import Policy
from shoal.report.content import Trial
from shoal.tables import write_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The risk-utility frontier: one trial per k, l, method and `max_suppressed`.

    Private, because the losses are statistics of the raw table.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(150).select("birth_date", "sex")
    >>> found = shoal.compare(table, k=[2, 5], methods=["mondrian"], quasi=["birth_date", "sex"])
    >>> found.table["k"].to_list()
    [2, 5]
    """

    source: str
    policy: Policy
    trials: tuple[Trial, ...]

    def __repr__(self) -> str:
        return brief(self, f"{len(self.trials)} trials on {self.source}")

    @property
    def table(self) -> pl.DataFrame:
        """The trials as a table with one row per trial.

        Returns
        -------
        polars.DataFrame
            The loss, risk, groups and seconds of every trial.
        """
        return pl.DataFrame(self.to_dict()["trials"])

    def to_dict(self) -> dict[str, Any]:
        """Return all trials as plain values.

        Returns
        -------
        dict
            Values that JSON can represent.
        """
        from shoal.report.to_json import plain

        return {"private": True, "source": self.source, "trials": [plain(trial.to_dict()) for trial in self.trials]}

    def to_html(self) -> str:
        """Return a complete page with the charts, which loads nothing from the network.

        Returns
        -------
        str
            HTML.
        """
        from shoal.report.html import render_comparison

        return render_comparison(self.trials, source=self.source)

    def write_html(self, path: str | Path) -> None:
        """Write the page of `to_html`; if writing fails, an existing file is unchanged.

        Parameters
        ----------
        path : str or Path
            The file to write.

        Raises
        ------
        TableError
            If it cannot be written.
        """
        write_text(path, self.to_html(), private=True)

    def __str__(self) -> str:
        from shoal.report.plain_text import comparison

        return comparison(self)

    def _repr_html_(self) -> str:
        from shoal.report.notebook import comparison_html

        return comparison_html(self.trials)
