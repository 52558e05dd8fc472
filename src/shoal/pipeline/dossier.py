"""Collect the content of a dossier from the folders of a release, and from the original table if it is given."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from shoal._version import __version__
from shoal.certify import Claim, public_part, released_file, verify
from shoal.certify.files import CERTIFICATE
from shoal.certify.linked.verifier import holds_linked_tables
from shoal.certify.strict_json import NotStrictError, loads
from shoal.clock import Clock
from shoal.errors import ParameterError, TableError
from shoal.measure.evidence import Evidence
from shoal.pipeline.attack import attack
from shoal.pipeline.inputs import Source, read_source, sha256_of_source
from shoal.policy import Policy
from shoal.report.content import findings_of
from shoal.report.dossier_content import DossierContent
from shoal.report.html import render_dossier
from shoal.report.pdf import pdf_of
from shoal.roles import profile
from shoal.sequence.history import HISTORY
from shoal.tables import disk

PRIVATE, SAFE_HARBOR, POLICY = ".private", "hipaa-safe-harbor", "policy.toml"


def dossier_page(folder: str | Path, *, original: Source | None, control: Source | None = None, today: date) -> str:
    """Return the dossier of a release as an HTML page."""
    return render_dossier(build_dossier(folder, original=original, control=control, today=today))


def printed(page: str, out: Path) -> str | bytes:
    """Return a page as it is written to a file: as PDF if the file is called so, otherwise as HTML."""
    return pdf_of(page) if out.suffix.lower() == ".pdf" else page


def build_dossier(
    folder: str | Path, *, original: Source | None, control: Source | None = None, today: date
) -> DossierContent:
    """Return the content of the dossier; the released file is verified again for it.

    With the original table, it also has the reasons for the roles and the results of the attacks; with a control as
    well, the risks of singling out, linkability and inference.
    """
    if control is not None and original is None:
        raise ParameterError("a control is compared with the original table.", "give the original table as well.")
    if holds_linked_tables(Path(folder)) is not None:
        raise ParameterError(
            "a dossier is about one table, and this is a release of several linked ones.",
            "report.txt in its private folder has what was measured, and `shoal verify` checks it.",
        )
    file = released_file(folder)
    if not file.is_file():
        raise TableError(f"there is no release {file.name}.", "give the folder of a release.")
    public = file.parent
    private = public.resolve().with_name(public.resolve().name + PRIVATE)
    policy = Policy.load(_there(private / POLICY))
    kept = _read(private / CERTIFICATE)
    if public_part(policy, kept["form"]) != kept["policy"]:
        raise TableError(
            f"{POLICY} of {private.name} was changed after the release was made: its roles or requirements are not "
            "those of the certificate.",
            "make the release again; only the part [dossier] can be changed afterwards.",
        )
    measures = _read(private / "measures.json")
    if "risk" not in measures:
        raise ParameterError(
            "this release was made in blocks, for which no risk is measured, so it has no dossier.",
            "report.txt in its private folder has what was measured, and `shoal verify` checks it.",
        )
    checked = verify(file, preset=SAFE_HARBOR)
    # a rule of its own: a release that does not follow it may meet every requirement of its policy
    found = replace(
        checked,
        failures=tuple(one for one in checked.failures if one.check != "preset"),
        true_claims=tuple(Claim(**one) for one in kept.get("true_values", ())),
    )
    made_of = measures.get("original")
    table = None if original is None else read_source(original, policy, Clock())
    return DossierContent(
        name=public.resolve().name,
        made=today,
        version=__version__,
        policy=policy,
        findings=findings_of(found),
        holds=found.holds,
        harbor=checked.lines,
        certificate=kept,
        loss=measures["loss"],
        risk=measures["risk"],
        number=_number(private / HISTORY),
        files=(*_digests(public, file.name), (f"{POLICY} (private)", disk.sha256_of(private / POLICY))),
        changed_policy=disk.sha256_of(private / POLICY) != kept["files"].get(POLICY),
        same_original=None if made_of is None else _is_same(original, made_of["sha256"]),
        original=None if made_of is None else (made_of["file"], made_of["sha256"]),
        profile=None if table is None else profile(table, k=policy.k),
        attacks=None
        if original is None
        else attack(original, file, policy, {}, people=2_000, seed=0, control=control),
        evidence=_evidence(measures, private / "measures.json"),
    )


def _is_same(given: Source | None, sha256: str) -> bool | None:
    """Return whether the given original is a file with this digest; None if none was given, or no file."""
    found = sha256_of_source(given)
    return None if found is None else found == sha256


def _there(path: Path) -> Path:
    """Return the path of a file of the private folder; raise a TableError if it does not exist."""
    if not path.is_file():
        raise TableError(
            f"there is no {path.name} in {path.parent.name}, the private folder of the release.",
            "give the released folder where it was made, with its private folder beside it.",
        )
    return path


def _read(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file."""
    try:
        found = loads(_there(path).read_text(encoding="utf-8"))
    except (NotStrictError, UnicodeError):
        found = None
    if not isinstance(found, dict):
        raise _damaged(path)
    return found


def _damaged(path: Path) -> TableError:
    return TableError(
        f"{path.name} of {path.parent.name} is damaged, so no dossier can be made.", "make the release again."
    )


def _evidence(measures: dict[str, Any], path: Path) -> Evidence | None:
    """Return what was measured when the release was made; None if its policy did not ask for it."""
    if "evidence" not in measures:
        return None
    try:
        return Evidence.from_dict(measures["evidence"])
    except (KeyError, TypeError):
        raise _damaged(path) from None


def _number(history: Path) -> int | None:
    """Return which release of a sequence this is, counted from 1; None if it is in none."""
    if not history.is_file():
        return None
    number = _read(history).get("number")
    return number if isinstance(number, int) else None


def _digests(public: Path, released: str) -> tuple[tuple[str, str], ...]:
    """Return the files of the public folder with their digests, the released table and the certificate first."""
    certificate = _read(public / CERTIFICATE)
    first = {released: certificate["published_sha256"], CERTIFICATE: disk.sha256_of(public / CERTIFICATE)}
    return tuple((first | dict(sorted(certificate.get("files", {}).items()))).items())
