"""`verify`: find from the released table and the policy alone which requirements hold.

What the caller states takes precedence over the certificate. The certificate and everything else in the folder of a
release may be forged: files are read strictly, nothing outside the folder is opened, and every field of the
certificate that can be counted on the released table is counted again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import polars as pl

from shoal.certify.against import against
from shoal.certify.codebook.check import check_codebook, file_facts
from shoal.certify.criteria import inspect
from shoal.certify.files import CERTIFICATE, CODEBOOK, LEGEND, SIGNATURE, SYNTHETIC
from shoal.certify.findings import Failure, Findings
from shoal.certify.folder import check_folder, check_listed, unsafe_entries
from shoal.certify.forms import checked_form, form_of, forms_of
from shoal.certify.hierarchies import check_cut
from shoal.certify.legend import check_legend
from shoal.certify.on_spark import has_points, on_spark, open_rows
from shoal.certify.preset_lines import breaches, with_lines
from shoal.certify.reading import Released, WholeError, is_large, open_release
from shoal.certify.reduced import EXACT, Reduced
from shoal.certify.signed import Signature, check_signature
from shoal.certify.stated import Stated, asked, beside_release, exists, given, released_file
from shoal.certify.synthetic import check_synthetic
from shoal.errors import ParameterError, SchemaError, TableError
from shoal.policy import Policy
from shoal.policy.named_arguments import named_arguments
from shoal.policy.preset import Preset, load_preset
from shoal.tables.database.source import located
from shoal.tables.store import StoredSource
from shoal.tables.table import Frame


@named_arguments()
def verify(
    released: Frame | str | Path,
    policy: Policy | Mapping[str, Any] | str | Path | None = None,
    *,
    form: str | None = None,
    key: str | Path | None = None,
    preset: str | Path | None = None,
    table: str | None = None,
    query: str | None = None,
    engine: Literal["spark"] | None = None,
    master: str | None = None,
) -> Findings:
    """Return what holds on a released table, counted from it alone: ``.holds``, ``.k``, ``.l``, ``.t`` and failures.

    The verifier shares no code with the modules that make a release. It does not trust a certificate: every field
    that can be counted on the released table is counted again.

    Parameters
    ----------
    released : str, Path, or frame of polars, pandas, pyarrow or Spark
        The released file, the folder of a release, the table, or the URI of the database it is in. Where a
        certificate.json is beside the file, the whole folder is checked: besides the certificate and an optional
        signature it must hold exactly the files that the certificate lists, each with its digest. A table in several
        files is counted as a whole, on all cores, whichever of them is named.
    policy : Policy, dict, str or Path, optional
        The requirements to check: a policy, settings, a policy.toml or a certificate.json. By default they are those
        of the certificate.json beside the file. With a policy given, they never come from that certificate.
    form : {"generalize", "aggregate", "centers", "suppress"}, optional
        How the table is published. By default this follows from the policy and the table, or from the certificate
        where no policy is given.
    key : str or Path, optional
        The file of a public key. If given, the certificate beside the release must be signed by its holder.
    preset : str or Path, optional
        A rule whose lines are checked on the released cells as well: ``"hipaa-safe-harbor"``, or the path of a preset
        of your own. ``findings.lines`` has what was found on each. With a preset, a table needs neither policy nor
        certificate; then nothing else is checked.
    table, query : str, optional
        For the URI of a database: the table (``schema.table``) or the SELECT that is read.
    engine : {"spark"}, optional
        Where a Parquet file is counted: on a Spark cluster, whose workers must see the file under the same path. A
        frame of Spark is counted where it is.
    master : str, optional
        The address of the Spark cluster, such as ``spark://host:7077``.

    Returns
    -------
    Findings
        ``findings.holds`` says whether every requirement and check holds; ``findings.require()`` raises an error if
        one does not.

    Raises
    ------
    TableError
        If the released file does not exist or cannot be opened; a damaged file is a failure in the findings.
    ParameterError
        If neither a policy nor a certificate states the requirements, or one of them cannot be read.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> table = pl.DataFrame({"age": ["[30, 39]"] * 3 + ["[40, 49]"] * 2, "illness": ["flu"] * 4 + ["cold"]})
    >>> policy = {"k": 3, "columns": {"age": {"role": "quasi"}, "illness": {"role": "sensitive"}}}
    >>> found = shoal.verify(table, policy, form="generalize")
    >>> found.holds, found.k
    (False, 2)
    >>> print(found.failures[0].message)
    k-anonymity: 1 of 2 groups (2 records) miss 3; the worst has 2
    """
    asked_form = checked_form(form)
    rule = None if preset is None else load_preset(preset)
    released = located(released, table, query)
    if isinstance(released, StoredSource):
        raise ParameterError("a release in a store cannot be verified there.", "copy its whole folder here first.")
    with on_spark(released, engine, master, preset) as spark:
        try:
            return _verified(released, policy, asked_form, key, rule, spark, in_parts=True)
        except WholeError:
            return _verified(released, policy, asked_form, key, rule, spark, in_parts=False)


def _verified(
    released: Any,
    policy: Any,
    form: str | None,
    key: Any,
    rule: Preset | None,
    spark: Any = None,
    *,
    in_parts: bool,
) -> Findings:
    """Return the findings; with `in_parts` a large table is read in parts, or a `WholeError` raised."""
    asked_form = form
    folder = None
    if isinstance(released, str | Path):
        released = released_file(released)
        folder = Path(released).parent
    is_release = folder is not None and exists(folder / CERTIFICATE)
    if folder is not None and is_release and (unsafe := unsafe_entries(folder)):
        return Findings(form=form or "unknown", unit="rows", failures=tuple(unsafe))  # no file was opened
    reported, own = given(policy)
    beside = beside_release(folder / CERTIFICATE) if folder is not None and is_release else None
    stating = reported[0] if reported else beside
    stated = stating.policy.source.encoding if isinstance(stating, Stated) else None
    otherwise = policy.source.encoding if isinstance(policy, Policy) else None
    if spark is not None:
        opened = open_rows(released, spark, ours=is_release, with_cells=beside is not None or bool(reported))
    else:
        in_parts = in_parts and is_large(released, stated, otherwise)
        opened = open_release(released, ours=is_release, encoding=stated, otherwise=otherwise, in_parts=in_parts)
    failures = list(opened.failures)
    files: dict[str, str] = {}
    signature: Signature = None
    if isinstance(beside, ParameterError):
        if policy is None:
            raise beside
        failures.append(Failure(check="certificate", message=beside.message.removesuffix(".")))
    elif beside is not None:
        reported = [*(one for one in reported if one.path.resolve() != beside.path.resolve()), beside]
        files, more = check_folder(beside.folder, beside.certificate.files)
        failures += more
        signature, more = check_signature(beside.folder / SIGNATURE, beside.text, key)
        failures += more
    if key is not None and signature is None and not any(failure.check == "signature" for failure in failures):
        failures.append(Failure(check="signature", message="there is no signed certificate beside the release"))
    for one in reported:
        if one.folder != folder and one.certificate.is_public:
            failures += check_listed(one.folder, one.certificate.files)
    if rule is not None and own is None and not reported:
        return _by_rule_alone(opened, rule, failures)
    wanted = own or asked(reported)
    form = form or (_form(wanted, opened) if own is not None else reported[0].certificate.form)
    findings = Findings(form=form, unit="people" if wanted.person else "rows")
    if opened.is_read:
        findings = _counted(opened, wanted, form, failures, ours=own is not None)
        failures += _legends(_seen(opened, wanted, form)[0], wanted, reported, folder)
        if isinstance(released, Path) and isinstance(beside, Stated):
            failures += _files_beside(released, opened, beside, files, stated)
        allowed = (form,) if own is None or asked_form is not None else forms_of(own)
        failures += _certificates(reported, allowed, opened, wanted, findings)
    elif reported and opened.sha256 not in {one.certificate.published_sha256 for one in reported}:
        failures += against(reported[0].certificate, opened.sha256, None)
    failures += findings.failures
    if rule is not None:
        drawn = released.with_name(SYNTHETIC[released.name]) if is_release and released.name in SYNTHETIC else None
        findings = with_lines(
            findings, opened, rule, wanted, drawn if drawn is not None and drawn.name in files else None
        )
        failures += breaches(findings)
    if opened.scan is not None and any(failure.check not in EXACT for failure in failures):
        raise WholeError
    return replace(
        findings,
        failures=tuple(failures),
        sha256=opened.sha256,
        files=files,
        encoding=stated if opened.sha256 else None,
        signature=signature,
    )


def _files_beside(
    released: Path, opened: Released, beside: Stated, files: Mapping[str, str], encoding: str | None
) -> list[Failure]:
    """Return the faults of the codebook and of the synthetic rows beside a release, where it has them.

    `files` are those that the certificate lists and that are there: the absence of others has been reported. The
    released file was read in `encoding`.
    """
    failures: list[Failure] = []
    certificate, policy = beside.certificate, beside.policy
    if CODEBOOK in certificate.files:
        frame, reduced = _seen(opened, policy, certificate.form)
        file = file_facts(released, frame, opened.sha256 or "", encoding, reduced)
        failures += check_codebook(beside.folder, file, certificate, policy)
    if policy.synthetic is not None:
        if opened.frame is None:
            raise WholeError
        if SYNTHETIC[released.name] in files:
            failures += check_synthetic(released, opened.frame, policy, encoding)
    return failures


def _certificates(
    reported: Sequence[Stated], allowed: Sequence[str], opened: Released, wanted: Policy, findings: Findings
) -> list[Failure]:
    """Return where certificates say other than what is counted on the released table.

    `findings` were counted by the policy `wanted`; a certificate of another policy or form is counted by its own.
    """
    failures: list[Failure] = []
    for one in reported:
        if one.certificate.form not in allowed:
            failures.append(Failure(check="certificate", message="the certificate speaks of another form"))
        same = one.policy == wanted and one.certificate.form == findings.form
        counted = findings if same else _counted(opened, one.policy, one.certificate.form, failures)
        failures += against(one.certificate, opened.sha256, counted)
        if not same and counted.failures:
            told_of = f"by the certificate's own policy, {counted.failures[0].message}"
            failures.append(Failure(check="certificate", column=counted.failures[0].column, message=told_of))
    return failures


def _by_rule_alone(opened: Released, rule: Preset, failures: list[Failure]) -> Findings:
    """Return what a preset finds in a table of which nothing else is known."""
    found = with_lines(Findings(form="unknown", unit="rows"), opened, rule, None)
    return replace(found, failures=(*failures, *breaches(found)), sha256=opened.sha256)


def _seen(opened: Released, policy: Policy, form: str) -> tuple[pl.DataFrame, Reduced | None]:
    """Return the released table, or what was counted of one that is read in parts.

    A `WholeError` is raised if it cannot be read so. In the form centers a row is a class, and
    sets are counted row by row: nothing can be reduced.
    """
    try:
        if opened.scan is not None and (form == "centers" or policy.set_column is not None):
            raise WholeError
        return opened.seen(policy, form)
    except (TableError, SchemaError):
        if opened.scan is None:
            raise
        raise WholeError from None


def _form(policy: Policy, opened: Released) -> str:
    """Return the form to count by."""
    first, *other = forms_of(policy)
    if opened.rows is not None:
        return first if not other or not has_points(opened.rows, policy) else other[0]
    return form_of(policy, _seen(opened, policy, first)[0] if other and opened.is_read else None)


def _counted(opened: Released, policy: Policy, form: str, failures: list[Failure], *, ours: bool = False) -> Findings:
    """Return the findings on a released table under a policy; `ours` says that the caller gave the policy.

    Under a certificate's policy, hierarchies must also list released values only, and a hierarchy or map that is
    unreadable is added to `failures`. Under the caller's own policy it raises a ParameterError.
    """
    frame, reduced = _seen(opened, policy, form)
    try:
        if not ours:
            failures += check_cut(frame, policy, form)
        found = inspect(frame, policy, form=form, reduced=reduced)
        if opened.scan is not None and any(failure.check not in EXACT for failure in found.failures):
            raise WholeError
        return found
    except ParameterError as odd:
        if ours:
            raise
        failures.append(Failure(check="folder", message=odd.message.removesuffix(".")))
        return Findings(form=form, unit="people" if policy.person else "rows")


def _legends(frame: pl.DataFrame, wanted: Policy, reported: Sequence[Stated], folder: Path | None) -> list[Failure]:
    """Return the faults of the legend for all columns that the caller's policy or a certificate publishes in classes.

    The legend is looked for beside the first certificate, or else beside the released file.
    """
    place = reported[0].folder if reported else folder
    recoded = dict.fromkeys([*wanted.recoded, *(name for one in reported for name in one.policy.recoded)])
    return check_legend(frame, list(recoded), place / LEGEND) if recoded and place is not None else []
