"""Writing the folders of a release whose rows an engine holds.

Guarantee   As for every release: `out` and `out.private` are both new or both as they were; what was written is read
            back and verified from its file and certificate alone before it replaces an earlier release.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from shoal._repr import brief
from shoal.caller import named, setting
from shoal.certify import Certificate, Findings, issue, signature, verify
from shoal.certify.codebook.check import file_facts
from shoal.certify.codebook.kinds import Stated
from shoal.certify.codebook.package import data_package, to_text
from shoal.certify.codebook.page import codebook_page
from shoal.certify.criteria import inspect
from shoal.certify.files import CERTIFICATE, CODEBOOK, PACKAGE, SIGNATURE
from shoal.certify.metadata.texts import metadata_files
from shoal.certify.reading import is_large, open_release
from shoal.clock import Clock
from shoal.engines.release import Rows
from shoal.engines.released_files import write_one_file, write_several_files
from shoal.errors import ParameterError
from shoal.policy import Column, Kind, Policy
from shoal.report.formatting import percent, plural
from shoal.report.to_json import dumps
from shoal.secret import FILE as SECRET
from shoal.secret import MEASURES
from shoal.tables import disk, stage
from shoal.tables.file_sizes import check_rows_per_file


@dataclass(frozen=True, kw_only=True, eq=False)
class LargeRelease:
    """A release of a table that was divided into blocks; `write` verifies it and writes its folders.

    Its rows are in the work folder of the engine until it is closed: use it in a `with` block, or call `close`.

    Examples
    --------
    >>> import tempfile
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(150).select("birth_date", "sex", "diagnosis")
    >>> roles = {"quasi": ["birth_date", "sex"], "sensitive": "diagnosis"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.write_parquet(f"{folder}/visits.parquet")
    ...     with shoal.anonymize(f"{folder}/visits.parquet", k=5, engine="local", **roles) as release:
    ...         written = release.write(f"{folder}/out")
    >>> written.certificate.holds, written.loss < 1
    (True, True)
    """

    rows: Rows
    findings: Findings | None = None
    """What the verifier found on the written file; None before it was written."""
    seconds: dict[str, float]

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate of the written release.

        Returns
        -------
        Certificate
            Its public and private halves.

        Raises
        ------
        ParameterError
            If the release has not been written yet: it is verified while it is written.
        """
        if self.findings is None:
            raise ParameterError(
                "a release in blocks is verified when it is written, and has no certificate before.",
                'write it first: release.write("out").',
            )
        return issue(self.findings, self.rows.policy, self.rows.facts)

    @property
    def loss(self) -> float:
        """The share of the information that an average cell of the quasi-identifiers loses (NCP).

        Returns
        -------
        float
            0 if every cell is exact, 1 if none says anything.
        """
        lost = self.rows.lost
        return sum(lost.values()) / max(len(lost), 1)

    def write(
        self,
        out: str | Path,
        *,
        format: str | None = None,
        sign: str | Path | None = None,
        rows_per_file: int | None = None,
    ) -> LargeRelease:
        """Write `out/`, which may be published, and `out.private/`, which must not be; either both or neither.

        Parameters
        ----------
        out : str or Path
            The public folder. The private one is `out.private`, next to it.
        format : {"parquet"}, optional
            The format of the released file.
        sign : str or Path, optional
            The file of a private key with which the certificate is signed.
        rows_per_file : int, optional
            Write the table to several files, ``release-00001-of-00004.parquet`` and so on, with at most so many rows
            each; several are written at a time. All rows are put in one random order, which is cut into files whose
            sizes differ by at most one row, so that the file of a row says nothing about it.

        Returns
        -------
        LargeRelease
            This release, with the findings of the verifier on the written file.

        Raises
        ------
        ParameterError
            If the format is another one, the key cannot sign, or there would be too many files.
        TableError
            If the folders cannot be written, or contain what no release wrote; they are unchanged.
        CertificateError
            If the written files do not meet what the certificate claims; no files are left behind.
        """
        if format not in (None, "parquet"):
            raise ParameterError(
                f"format={format} cannot be written block by block.", f"use {setting('format', 'parquet')}."
            )
        check_several(self.rows.policy, rows_per_file)
        return _written(self, out, sign, rows_per_file)

    def to_spark(self) -> Any:
        """Return the released rows as a Spark frame, verified on the cluster; nothing is written here.

        Returns
        -------
        pyspark.sql.DataFrame
            The rows in random order. They are kept on the workers until this release is closed: save them before.

        Raises
        ------
        ParameterError
            If the release was not made on Spark.
        CertificateError
            If the rows do not meet what the policy requires.
        """
        from shoal.engines.spark.result import verified_frame

        return verified_frame(self.rows)[0]

    def close(self) -> None:
        """Remove the work folder of the engine."""
        self.rows.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def to_dict(self) -> dict[str, Any]:
        """Return the main results as plain values, without the seed.

        Returns
        -------
        dict
            Values that JSON can represent.
        """
        reported: dict[str, Any] = json.loads(self.certificate.to_private_json())
        del reported["seed"]  # with the seed, a reader of a log could undo the shuffling of rows
        return reported | {"loss": self.loss, "engine": self.rows.engine.name, "seconds": dict(self.seconds)}

    def __str__(self) -> str:
        written = f"{self.certificate}\n" if self.findings is not None else ""
        columns = ", ".join(f"{name} {percent(lost)}" for name, lost in self.rows.lost.items())
        blocks = plural(len(self.rows.blocks), "block")
        return f"{written}information lost (NCP): {percent(self.loss)} ({columns})\nmade in {blocks}"

    def __repr__(self) -> str:
        state = "not yet written" if self.findings is None else "written"
        return brief(self, f"{self.rows.n_rows} rows in {len(self.rows.blocks)} blocks, {state}")


def check_several(policy: Policy, rows_per_file: int | None) -> None:
    """Raise a ParameterError if a release cannot be written to files of so many rows."""
    if rows_per_file is None:
        return
    check_rows_per_file(rows_per_file)
    if policy.metadata is not None and policy.metadata.formats:
        raise ParameterError(
            f"descriptions for catalogs are of one file, not of several ({named('rows_per_file')}).",
            "leave one of the two out; datapackage.json, which is always written, describes several files.",
        )


def _written(
    release: LargeRelease, out: str | Path, sign: str | Path | None, rows_per_file: int | None
) -> LargeRelease:
    """Write both folders, or neither."""
    rows, clock = release.rows, Clock()
    with stage(out) as staged:
        with clock("publish"):
            file = (
                write_one_file(rows, staged.public)
                if rows_per_file is None
                else write_several_files(rows, staged.public, rows_per_file)
            )
        with clock("verify"):
            found, texts = _described(rows, file)
        for name, text in texts.items():
            staged.write_public(name, text)
        listed = {name: disk.sha256_of(staged.public / name) for name in disk.names(staged.public)}
        certificate = issue(replace(found, files=listed), rows.policy, rows.facts).to_public_json()
        staged.write_public(CERTIFICATE, certificate)
        if sign is not None:
            staged.write_public(SIGNATURE, signature.sign(certificate.encode("utf-8"), sign).decode("ascii"))
        with clock("verify"):
            verified = verify(file).require()
        written = replace(release, findings=verified, seconds=release.seconds | dict(clock.seconds))
        private = {
            "policy.toml": rows.policy.relative_to(Path.cwd()).dumps(),
            SECRET: rows.secret.hex() + "\n",
            "report.txt": f"{written}\n",
            MEASURES: dumps(
                {
                    "loss": {"gcp": written.loss, "columns": rows.lost},
                    "seconds": written.seconds,
                    "fingerprint": rows.secret.fingerprint,
                }
            ),
        }
        for name, text in private.items():
            staged.write_private(name, text)
        kept = {name: disk.sha256_of(staged.private / name) for name in disk.names(staged.private)}
        staged.write_private(CERTIFICATE, replace(written.certificate, files=kept).to_private_json())
    return written


def _described(rows: Rows, file: Path) -> tuple[Findings, dict[str, str]]:
    """Return what holds on the written file, and the codebook of the release, from the file as a reader reads it."""
    in_parts = is_large(file, None, None)
    opened = open_release(file, ours=True, in_parts=in_parts)
    policy, form = rows.policy, rows.choice.form
    frame, reduced = opened.seen(policy, form)
    found = inspect(frame, policy, form=form, reduced=reduced)
    found = replace(found, failures=(*opened.failures, *found.failures), sha256=opened.sha256).require()
    certificate = issue(found, policy, rows.facts)
    public = certificate.public_policy()
    stated = {name: _stated(name, policy.columns[name], rows) for name in policy.quasi}
    facts = file_facts(file, frame, found.sha256 or "", None, reduced)
    made = data_package(facts, certificate, public, stated, {})
    return found, {PACKAGE: to_text(made), CODEBOOK: codebook_page(made)} | metadata_files(made, public.metadata)


def _stated(name: str, column: Column, rows: Rows) -> Stated:
    """Return the kind of a quasi-identifier, and the lowest level of every node among its cells."""
    kind: Kind = column.kind or "label"
    source = column.hierarchy
    levels: dict[str, int] | None = None
    if source is not None and rows.choice.form == "generalize":
        kind = "number" if source.widths is not None else "date" if source.periods is not None else "hierarchy"
        levels = {}
        for one in rows.summaries:
            for node, level in one.levels.get(name, {}).items():
                levels[node] = min(level, levels.get(node, level))
    return Stated(kind, levels)
