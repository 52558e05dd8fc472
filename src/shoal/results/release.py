"""The result of `anonymize`: the released table, its certificate, and the method that writes both to folders."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, Generic

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal._repr import brief
from shoal.caller import setting
from shoal.certify import Certificate, Facts, Findings, issue
from shoal.certify.legend import used_classes
from shoal.errors import ParameterError
from shoal.measure import Loss, Risk
from shoal.measure.evidence import Evidence
from shoal.partition.column_classes.areas import Area
from shoal.partition.methods.choose import Choice
from shoal.partition.result import Partition
from shoal.plans import Plan, plan_of
from shoal.policy import Policy
from shoal.publish import Published
from shoal.report import advice, content, html, notebook
from shoal.report import plain_text as text
from shoal.report.charts import AreaMap, projection
from shoal.report.content import Content, LabelClass, LabelClasses
from shoal.report.formatting import percent
from shoal.report.hierarchy_text import tree_lines
from shoal.results.codebook_files import stated_of
from shoal.results.facts import classes_of, facts_of
from shoal.results.release_folder import FORMATS, write_release
from shoal.results.synthetic_rows import synthetic_rows
from shoal.secret import Secret
from shoal.sequence import History
from shoal.space import Recoding, Space, Tree
from shoal.tables import FrameT, Origin, give_back
from shoal.tables.database.source import target_of
from shoal.tables.text import text_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Release(Generic[FrameT]):
    """A verified release. `table` may be published; `certificate` has a public and a private half.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(150).select("birth_date", "sex", "diagnosis")
    >>> release = shoal.anonymize(table, k=5, quasi=["birth_date", "sex"], sensitive="diagnosis")
    >>> release.certificate.holds, release.loss.gcp < 1
    (True, True)
    """

    source: str
    origin: Origin
    order: npt.NDArray[np.int64]
    """The input row of each record of `partition` and `published`; -1 for a counterfeit."""
    secret: Secret
    """With the policy's seed, it reproduces this release: `anonymize(..., secret=release.secret)`. Private."""
    policy: Policy
    choice: Choice
    space: Space
    partition: Partition
    published: Published
    findings: Findings
    loss: Loss
    risk: Risk
    seconds: Mapping[str, float]
    notes: tuple[str, ...] = ()
    trees: Mapping[str, Tree] = field(default_factory=dict)
    recodings: Mapping[str, Recoding] = field(default_factory=dict)
    areas: Mapping[str, Area] = field(default_factory=dict)
    maps: tuple[AreaMap, ...] = ()
    """Maps of the areas, for the report."""
    origins: Mapping[str, date] = field(default_factory=dict)
    """For dates that are published relative to their newest period: its first day."""
    original_sha256: str | None = None
    """The SHA-256 of the file that the release was made of; None if it was no file. Private."""
    applied: Plan | None = None
    """The plan that was applied; None if there was none."""
    evidence: Evidence | None = None
    """What attackers and analysts get from the release; None unless the policy has ``evidence = true``. Private."""
    history: History | None = None
    """What the next release of a sequence needs; None outside sequences. Private."""

    @cached_property
    def plan(self) -> Plan:
        """The recoding of this release, for use on another table: `shoal.apply(release.plan, next_month)`. Private.

        Returns
        -------
        Plan
            The plan, for `shoal.apply`.

        Raises
        ------
        ParameterError
            If the form is aggregate or centers, or places are published as circles: new records cannot be assigned.
        """
        if self.applied is not None:
            return self.applied
        if self.circles:
            raise ParameterError("a release of places as circles has no plan.", 'use shape = "rectangle".')
        if not self.policy.quasi:
            raise ParameterError(
                "a release of sets alone has no plan: their items are recoded anew in every table.",
                "anonymize the other table by itself.",
            )
        return plan_of(
            self.policy.relative_to(Path.cwd()),
            self.published,
            self.trees,
            method=self.partition.method,
            levels=self.partition.levels,
            origins=self.origins,
        )

    @property
    def circles(self) -> bool:
        """Whether places are published as circles, to which new records cannot be assigned.

        Returns
        -------
        bool
            True if the release has no plan for that reason.
        """
        return any(self.policy.columns[name].shape == "circle" for name in self.areas)

    @cached_property
    def table(self) -> FrameT:
        """The released table, as a frame of the same library as the input; of polars if the input is a file.

        Returns
        -------
        frame of polars, pandas or pyarrow
            The rows that may be published, in random order, without identifiers and index.
        """
        given_back: FrameT = give_back(self.published.frame, self.origin)
        return given_back

    @cached_property
    def certificate(self) -> Certificate:
        """The requirements that hold, the cost and its lower bound; if `write` returned it, also the file digest.

        Returns
        -------
        Certificate
            The certificate with its public and private halves.
        """
        return issue(self.findings, self.policy, self.facts)

    @property
    def facts(self) -> Facts:
        """How the groups were made, with their cost and lower bound, as stated in the certificate and the report."""
        classes = classes_of(self.recodings, self.areas)
        return facts_of(self.choice, self.partition, self.notes, self.origins, classes)

    @property
    def file_name(self) -> str:
        """The name of the released file if `write` is given no format.

        Returns
        -------
        str
            ``release.csv``, ``release.xlsx``, ``release.parquet`` or ``release.arrow``.
        """
        return f"release.{self.origin.kind if self.origin.kind in FORMATS else 'csv'}"

    def write(
        self,
        out: str | Path,
        *,
        format: str | None = None,
        mapping: bool = False,
        sign: str | Path | None = None,
        excel: bool = False,
        to: str | None = None,
        to_table: str | None = None,
        replace: bool = False,
        rows_per_file: int | None = None,
    ) -> Release[FrameT]:
        """Write `out/`, which may be published, and `out.private/`, which must not be; either both or neither.

        Before it replaces an earlier release, the new `out/` is read back and verified from its file and certificate
        alone, as a recipient would do it. A key for `sign` is made by `shoal keygen`. With `excel`, texts in a CSV
        file that a spreadsheet would take for formulas get an apostrophe in front, and the file begins with the
        byte order mark of UTF-8.

        Parameters
        ----------
        out : str or Path
            The public folder. The private one is `out.private`, next to it.
        format : {"csv", "xlsx", "parquet", "arrow"}, optional
            The format of the released file; by default that of the input if it is one of these, otherwise csv.
        mapping : bool, default False
            Whether the group of each input row is written to the private folder.
        sign : str or Path, optional
            The file of a private key with which the certificate is signed.
        excel : bool, default False
            Whether a CSV file is written for spreadsheets.
        to : str, optional
            The URI of a database that the released table is also written to; by default the one it came from.
        to_table : str, optional
            The table to write there, such as ``anon.patients``. It is read back and verified before it is visible.
        replace : bool, default False
            Whether `to_table` may replace a table that an earlier release wrote.
        rows_per_file : int, optional
            Write the table to several files, ``release-00001-of-00004.parquet`` and so on, with at most so many rows
            each. All rows are put in one random order, which is cut into files whose sizes differ by at most one
            row, so that the file of a row says nothing about it. CSV, Parquet and Arrow only.

        Returns
        -------
        Release
            This release, with the digest of the written file and the findings of the verifier on it.

        Raises
        ------
        ParameterError
            If the format is not known, or the key cannot sign.
        TableError
            If the folders or the table cannot be written, or contain what no release wrote; they are unchanged.
        CertificateError
            If the written files do not meet what the certificate claims; no files are left behind.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import shoal
        >>> from shoal.datasets import hospital
        >>> table = hospital(150).select("birth_date", "sex", "diagnosis")
        >>> release = shoal.anonymize(table, k=5, quasi=["birth_date", "sex"], sensitive="diagnosis")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     written = release.write(f"{folder}/out")
        ...     shoal.verify(f"{folder}/out").holds
        True
        """
        target = target_of(to, to_table, replace, self.origin.database)
        return write_release(
            self,
            out,
            format=format,
            mapping=mapping,
            sign=sign,
            excel=excel,
            target=target,
            rows_per_file=rows_per_file,
        )

    @cached_property
    def synthetic(self) -> FrameT:
        """Synthetic rows, drawn from the cells of the released table and from nothing else; they may be published.

        Row i is drawn from row i of `table`. How they are drawn is the setting `synthetic` of the policy. No k is
        claimed of these rows by themselves: they tell no more than `table` does.

        Returns
        -------
        frame of polars, pandas or pyarrow
            As many rows as `table`, with plain values instead of ranges and sets.

        Raises
        ------
        ParameterError
            If the policy has no setting `synthetic`.

        Examples
        --------
        >>> import shoal
        >>> from shoal.datasets import hospital
        >>> table = hospital(150).select("birth_date", "sex", "diagnosis")
        >>> release = shoal.anonymize(
        ...     table, k=5, quasi=["birth_date", "sex"], sensitive="diagnosis", synthetic="marginals"
        ... )
        >>> release.synthetic.columns, release.synthetic.height
        (['birth_date', 'sex', 'diagnosis'], 150)
        """
        given_back: FrameT = give_back(self.synthetic_rows(), self.origin)
        return given_back

    def synthetic_rows(self) -> pl.DataFrame:
        """Return the synthetic rows as they are written beside the released table."""
        if self.policy.synthetic is None:
            raise ParameterError(
                "the policy asks for no synthetic rows.", f"add {setting('synthetic', 'marginals')}."
            )
        legend = {name: list(classes) for name, classes in self.published.legends.items()}
        return synthetic_rows(
            self.published.frame,
            self.certificate.public_policy(),
            stated_of(self),
            legend,
            variant=self.policy.synthetic,
            secret=self.secret,
        )

    def legend_json(self) -> str:
        """Return the legend, which lists the labels in every published class, as it is published with the table.

        Returns
        -------
        str
            JSON: per column, the labels of every published class.
        """
        reported = {}
        for column, legend in self.published.legends.items():
            used = used_classes(text_of(self.published.frame[column]), [name for name, _ in legend])
            reported[column] = [{"class": name, "labels": list(labels)} for name, labels in legend if name in used]
        return json.dumps(reported, indent=1, ensure_ascii=False) + "\n"

    def mapping(self) -> pl.DataFrame:
        """Return the group of each selected row, -1 if it is suppressed. Private: it links rows to released groups.

        Returns
        -------
        polars.DataFrame
            Columns ``row`` and ``group``.
        """
        own = self.order >= 0  # counterfeits have no input row
        rows, groups = self.order[own], self.partition.labels[own]
        by_row = np.argsort(rows)
        return pl.DataFrame({"row": rows[by_row], "group": groups[by_row]})

    def content(self, *, checked: str = "the released table") -> Content:
        """Return everything that a report shows.

        Parameters
        ----------
        checked : str, default "the released table"
            What the verifier read, as the report calls it.

        Returns
        -------
        Content
            Plain values, from which other reports can be made.
        """
        facts = self.facts
        return content.content(
            source=self.source,
            policy=self.policy,
            findings=self.findings,
            checked=checked,
            groups=facts,
            form=self.choice.form,
            released=self.published.frame,
            loss=self.loss,
            risk=self.risk,
            recheck=f"shoal verify {checked}" if "." in checked else "shoal.verify(release.table, policy)",
            advice=advice.advise(self.policy, self.loss, facts),
            projection=projection.project(self.space, self.partition.labels),
            label_classes=self._label_classes(),
            maps=self.maps,
            seconds=self.seconds,
            hierarchies=tuple((name, "\n".join(tree_lines(tree))) for name, tree in self.trees.items()),
            evidence=self.evidence,
        )

    def _label_classes(self) -> tuple[LabelClasses, ...]:
        """Return the classes of every column published in classes, and of every map, with their sizes."""
        found = []
        for name, legend in self.published.legends.items():
            recoding = self.recodings.get(name)
            if recoding is None:  # the classes are those of an applied plan
                continue
            number = dict(zip(recoding.labels, recoding.class_of.tolist(), strict=True))
            classes = [LabelClass(title, int(recoding.people[number[own[0]]]), len(own)) for title, own in legend]
            found.append(
                LabelClasses(
                    column=name,
                    n_labels=sum(one.labels for one in classes),
                    least=recoding.least,
                    lower_bound=recoding.lower_bound,
                    ratio_proved=recoding.ratio_proved,
                    theorem=recoding.theorem,
                    classes=tuple(classes),
                )
            )
        for name, area in self.areas.items():
            if (drawn := next((one for one in self.maps if one.column.startswith(name)), None)) is not None:
                sizes = zip(drawn.names, drawn.people, drawn.sizes, strict=True)
                found.append(
                    LabelClasses(
                        column=drawn.column,
                        n_labels=sum(drawn.sizes),
                        least=self.policy.k,
                        lower_bound=area.bound,
                        ratio_proved=area.ratio_proved,
                        theorem=area.theorem,
                        classes=tuple(LabelClass(*one) for one in sizes),
                    )
                )
        return tuple(found)

    def to_html(self, *, checked: str = "the released table") -> str:
        """Return the report as one page that loads nothing from the network. Private: it describes the raw table.

        Parameters
        ----------
        checked : str, default "the released table"
            What the verifier read, as the report calls it.

        Returns
        -------
        str
            HTML.
        """
        return html.render(self.content(checked=checked))

    def to_dict(self) -> dict[str, Any]:
        """Return the private half of the certificate, without the seed, and the main measures, as plain values.

        Returns
        -------
        dict
            Values that JSON can represent.
        """
        reported: dict[str, Any] = json.loads(self.certificate.to_private_json())
        del reported["seed"]  # with the seed, a reader of a log could undo the shuffling of rows
        measured = {} if self.evidence is None else {"evidence": self.evidence.to_dict()}
        return (
            reported
            | measured
            | {
                "loss": self.loss.gcp,
                "sse_ratio": self.loss.sse_ratio,
                "unique_rows": self.risk.singled.unique,
                "seconds": dict(self.seconds),
            }
        )

    def _repr_html_(self) -> str:
        return notebook.release_html(self.content())

    def __str__(self) -> str:
        return text.release(self.certificate, self.loss, self.risk)

    def __repr__(self) -> str:
        groups = f"{self.findings.rows} rows in {self.findings.groups} groups"
        return brief(self, f"{groups}, k = {self.policy.k} holds, loss {percent(self.loss.gcp)}")
