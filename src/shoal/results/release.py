"""What `anonymize` returns: the released table, its certificate, and a way to write both, all or nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal._repr import brief
from shoal.certify import Certificate, Facts, Findings, issue
from shoal.certify.legend import used_classes
from shoal.errors import ParameterError
from shoal.measure import Loss, Risk
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
from shoal.results.facts import facts_of
from shoal.results.release_folder import FORMATS, write_release
from shoal.secret import Secret
from shoal.sequence import History
from shoal.space import Recoding, Space, Tree
from shoal.tables import FrameT, Origin, give_back
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
    """The input row of each record that `partition` and `published` count from 0."""
    secret: Secret
    """What this release repeats by, together with the policy's seed: `anonymize(..., secret=release.secret)`."""
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
    """Pictures of the areas, for the report."""
    applied: Plan | None = None
    """The plan that this release follows, where it follows one."""
    history: History | None = None
    """What the next release of the same table must know, where people are followed. Private."""

    @cached_property
    def plan(self) -> Plan:
        """The recoding, for another table: `shoal.apply(release.plan, next_month)`. Private.

        Returns
        -------
        Plan
            What `shoal.apply` takes.

        Raises
        ------
        ParameterError
            If places are published as circles, which have no limits that a new record could be held against.
        """
        if self.applied is not None:
            return self.applied
        if self.circles:
            raise ParameterError("a release of places as circles has no plan.", 'take shape = "rectangle".')
        return plan_of(
            self.policy.relative_to(Path.cwd()),
            self.published,
            self.trees,
            method=self.partition.method,
            levels=self.partition.levels,
        )

    @property
    def circles(self) -> bool:
        """A circle has no limits that a new record could be held against.

        Returns
        -------
        bool
            Whether the release has no plan for that reason.
        """
        return any(self.policy.columns[name].shape == "circle" for name in self.areas)

    @cached_property
    def table(self) -> FrameT:
        """The released table, as the kind of frame that came in (polars for a file).

        Returns
        -------
        frame of polars, pandas or pyarrow
            The rows that may be published, shuffled; no identifiers and no index.
        """
        given_back: FrameT = give_back(self.published.frame, self.origin)
        return given_back

    @cached_property
    def certificate(self) -> Certificate:
        """What holds and how far from the best this is; the digest is that of the written file, once there is one.

        Returns
        -------
        Certificate
            With both halves.
        """
        return issue(self.findings, self.policy, self.facts)

    @property
    def facts(self) -> Facts:
        """How the groups were made and how good they are: what the certificate and the report are written from."""
        return facts_of(self.choice, self.partition, self.notes)

    @property
    def file_name(self) -> str:
        """What the released file is called where no other format is asked for.

        Returns
        -------
        str
            ``release.csv``, ``release.parquet`` or ``release.arrow``.
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
    ) -> Release[FrameT]:
        """Write `out/` (may be published) and `out.private/` (stays home), both or neither.

        Before it takes the place of an earlier release, the new `out/` is read back and verified as a stranger would
        do it: from its own file and certificate alone. `format` is csv, parquet or arrow (as the input where not
        given); `mapping` also keeps, privately, the group of each row; `sign` is the file of a private key (`shoal
        keygen`) by which the certificate is signed. With `excel` a CSV file is written for spreadsheets: an
        apostrophe before texts that one would take for formulas, and the mark of UTF-8. Returns this release with the
        findings on, and the digest of, the written file.

        Parameters
        ----------
        out : str or Path
            The public folder; the private one is beside it.
        format : {"csv", "parquet", "arrow"}, optional
            Of the released file; that of the input where not given.
        mapping : bool, default False
            Whether the group of each row is kept in the private folder.
        sign : str or Path, optional
            The file of a private key, by which the certificate is signed.
        excel : bool, default False
            Whether a CSV file is written for spreadsheets.

        Returns
        -------
        Release
            This release with the findings on, and the digest of, the written file.

        Raises
        ------
        TableError
            If the folders cannot be written, or hold what no release wrote; they stay as they were.
        CertificateError
            If the written files do not hold what is claimed; nothing is left behind.

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
        return write_release(self, out, format=format, mapping=mapping, sign=sign, excel=excel)

    def legend_json(self) -> str:
        """What the names of classes stand for, as it is published beside the table.

        Returns
        -------
        str
            JSON: per column, the labels of every published class.
        """
        told = {}
        for column, legend in self.published.legends.items():
            used = used_classes(text_of(self.published.frame[column]), [name for name, _ in legend])
            told[column] = [{"class": name, "labels": list(labels)} for name, labels in legend if name in used]
        return json.dumps(told, indent=1, ensure_ascii=False) + "\n"

    def mapping(self) -> pl.DataFrame:
        """Which group each input row is in (-1: left out). Private: it undoes the release.

        Returns
        -------
        polars.DataFrame
            Columns ``row`` and ``group``.
        """
        own = self.order >= 0  # counterfeits are rows of no input
        groups = np.empty_like(self.partition.labels[own])
        groups[self.order[own]] = self.partition.labels[own]
        return pl.DataFrame({"row": np.arange(len(groups)), "group": groups})

    def content(self, *, checked: str = "the released table") -> Content:
        """All that a report shows.

        Parameters
        ----------
        checked : str, default "the released table"
            What the verifier read, as the report calls it.

        Returns
        -------
        Content
            Plain values, for a report of one's own.
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
        )

    def _label_classes(self) -> tuple[LabelClasses, ...]:
        """The classes of every recoded column under their published names."""
        found = []
        for name, legend in self.published.legends.items():
            recoding = self.recodings.get(name)
            if recoding is None:  # the classes of an earlier table
                continue
            number = dict(zip(recoding.labels, recoding.class_of.tolist(), strict=True))
            classes = [LabelClass(told, int(recoding.people[number[own[0]]]), len(own)) for told, own in legend]
            found.append(
                LabelClasses(
                    column=name,
                    n_labels=sum(one.labels for one in classes),
                    least=recoding.least,
                    lower_bound=recoding.lower_bound,
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
                        classes=tuple(LabelClass(*one) for one in sizes),
                    )
                )
        return tuple(found)

    def to_html(self, *, checked: str = "the released table") -> str:
        """The report as one page that opens without a network. Private: it shows statistics of the raw table.

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
        """The private half of the certificate and the main measures, as plain data; the seed stays in the folder.

        Returns
        -------
        dict
            Ready for JSON.
        """
        told: dict[str, Any] = json.loads(self.certificate.to_private_json())
        del told["seed"]  # whoever reads a log with it could undo the shuffling of rows
        return told | {
            "loss": self.loss.gcp,
            "sse_ratio": self.loss.sse_ratio,
            "unique_rows": self.risk.singled.unique,
            "seconds": dict(self.seconds),
        }

    def _repr_html_(self) -> str:
        return notebook.release_html(self.content())

    def __str__(self) -> str:
        return text.release(self.certificate, self.loss, self.risk)

    def __repr__(self) -> str:
        groups = f"{self.findings.rows} rows in {self.findings.groups} groups"
        return brief(self, f"{groups}, k = {self.policy.k} holds, loss {percent(self.loss.gcp)}")
