"""The content of a dossier, collected in one place; the page only lays it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from shoal._repr import brief
from shoal.certify.preset.result import LineFound
from shoal.policy import Policy
from shoal.report.content import Finding

if TYPE_CHECKING:
    from shoal.measure.attack_result import Attacks
    from shoal.measure.evidence import Evidence
    from shoal.measure.questions.result import Questions
    from shoal.roles.table_profile import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class DossierContent:
    """What is known of a release when its dossier is made."""

    name: str
    """The name of the released folder."""
    made: date
    version: str
    policy: Policy
    findings: tuple[Finding, ...]
    """What the verifier found in the released file when the dossier was made."""
    holds: bool
    harbor: tuple[LineFound, ...]
    """What was found in the released cells on every line of HIPAA Safe Harbor; empty if the file cannot be read."""
    certificate: Mapping[str, Any]
    """The private half of the certificate."""
    loss: Mapping[str, Any]
    risk: Mapping[str, Any]
    number: int | None
    """Which release of a sequence of the same people it is, counted from 1; None if it is in no sequence."""
    files: tuple[tuple[str, str], ...]
    """The files of the public folder and the policy, with their SHA-256."""
    changed_policy: bool
    """Whether the file of the policy was changed after the release was made; its roles and requirements were not."""
    same_original: bool | None
    """Whether the given original is the file that the release was made of; None if that is not known."""
    original: tuple[str, str] | None
    """The name and the SHA-256 of the file that the release was made of; None if it was no file."""
    profile: Profile | None
    attacks: Attacks | None
    evidence: Evidence | None = None
    """What was measured when the release was made, if its policy asked for it."""

    @property
    def form(self) -> str:
        """The form of the release: generalize, aggregate, centers or suppress."""
        return str(self.certificate["form"])

    @property
    def questions(self) -> Questions | None:
        """The three questions: of the attacks that were run for the dossier, otherwise of the evidence."""
        run = self.attacks.questions if self.attacks is not None else None
        kept = None if self.evidence is None else self.evidence.compared or self.evidence.release.questions
        return run if run is not None and (run.held != "none" or kept is None) else kept

    def __repr__(self) -> str:
        return brief(self, f"{self.name}: {'holds' if self.holds else 'FAILS'}")
