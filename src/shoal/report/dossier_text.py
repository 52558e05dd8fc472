"""Sentences and rows of a dossier. What is neither in the policy nor computed is a line to fill in by hand."""

from __future__ import annotations

from typing import Any

from shoal.policy.dossier import Dossier
from shoal.report import population_text
from shoal.report.attack_text import attack_verdict
from shoal.report.dossier_content import DossierContent
from shoal.report.evidence_text import lead
from shoal.report.formatting import chance, count, listed_names, name, percent, plural
from shoal.report.question_text import answer

ROLES = {
    "identifier": "removed",
    "quasi": "generalized in groups",
    "sensitive": "published as it is",
    "other": "published as it is",
    "weight": "published as it is, or rounded",
    "person": "replaced by a number within its group",
}


def verdict(content: DossierContent) -> str:
    """Return whether the released file meets all requirements, as found when the dossier was made."""
    if content.holds:
        return "The released file meets every requirement."
    return "The released file does not meet every requirement: do not publish it."


def context(content: DossierContent) -> list[tuple[str, str | None]]:
    """Return the purpose, the recipients and the like: a name, and what the policy states or None."""
    said = content.policy.dossier or Dossier()
    access = {"public": "public: anybody can get it", "controlled": "controlled: only those who agree to conditions"}
    return [
        ("Version of the release", said.version),
        ("Responsible for the data", said.controller),
        ("Purpose", said.purpose),
        ("Recipients", said.recipients),
        ("Access", access[said.access] if said.access else None),
        ("Conditions", said.conditions),
        ("Earlier releases of the same people", _earlier(content, said)),
    ]


def _earlier(content: DossierContent, said: Dossier) -> str | None:
    """Return what people say about earlier releases, and what the sequence of the release counts."""
    if content.number is None:
        return said.earlier
    counted = f"This is release {content.number} of a sequence; what earlier ones of it show was taken into account."
    return f"{said.earlier}. {counted}" if said.earlier else counted


def decisions(content: DossierContent) -> list[tuple[str, str | None]]:
    """Return the decisions and who made them: a name, and what the policy states or None."""
    said = content.policy.dossier or Dossier()
    return [
        ("Why these thresholds", said.thresholds),
        ("Thresholds decided on, before the run", said.decided.isoformat() if said.decided else None),
        ("Residual risk accepted", said.accepted),
        ("Made by", said.made_by),
        ("Approved by", said.approved_by),
        ("To be reviewed on", said.review.isoformat() if said.review else None),
    ]


def roles(content: DossierContent) -> list[tuple[str, str, str, str]]:
    """Return, for every column: its name, role, what happens to it, and the reason that the profile gave."""
    reasons = {} if content.profile is None else {one.name: one for one in content.profile.columns}
    lines: list[tuple[str, str, str, str]] = []
    for column, settings in content.policy.columns.items():
        found = reasons.get(column)
        reason = "" if found is None else found.reason
        if found is not None and found.role != settings.role:
            reason = f"the profile proposed {found.role} ({found.reason}); a person decided otherwise"
        done = "replaced by a pseudonym" if settings.pseudonym else ROLES[settings.role]
        lines.append((name(column), settings.role, done, reason))
    return lines


def data(content: DossierContent) -> str:
    """Return what the table is: rows, people, columns."""
    loss, risk = content.loss, content.risk
    left = f" {count(loss['suppressed_rows'])} rows were left out." if loss["suppressed_rows"] else ""
    return (
        f"{plural(loss['n_rows'], 'row')} with {plural(len(content.policy.columns), 'column')}; "
        f"{count(risk['after']['n_people'])} {risk['unit']} are in the release, in "
        f"{plural(risk['after']['n_classes'], 'group')}.{left}"
    )


def attackers(content: DossierContent) -> list[tuple[str, str]]:
    """Return the attackers that were considered and what they are assumed to know."""
    policy = content.policy
    known = [*policy.quasi]
    if policy.set_column is not None:
        known.append(f"{plural(policy.known_items, 'item')} of {policy.set_column}")
    quasi = listed_names(known)
    return [
        ("A neighbor or colleague", f"knows that a person is in the table, and all of {quasi} (prosecutor)."),
        ("A journalist", f"wants to show that somebody can be found, and knows {quasi} of many people."),
        ("A company", "links everybody with a list of its own (marketer)."),
        ("A recipient", "holds the whole public folder, knows how Shoal works, and looks at the order of rows."),
        (
            "Not considered",
            "somebody who knows columns that are published as they are, or holds other releases of the same people.",
        ),
    ]


def tested(content: DossierContent) -> list[tuple[str, str]]:
    """Return the tests of the release and their results."""
    lines = [
        ("The released file was read again and counted", verdict(content)),
        (
            "Every file of the public folder has the digest of the certificate",
            "yes" if content.holds else "see above",
        ),
    ]
    if content.evidence is not None and content.evidence.release.questions is not None:
        lines.append(("Three questions, when the release was made", lead(content.evidence)))
    if content.attacks is None:
        lines.append(("Attacks with the original table", "not run: the original was not given"))
        return lines
    tried = f"{count(content.attacks.n_sampled)} of {count(content.attacks.n_originals)} records"
    lines.append((f"Attacks with the original table, {tried}", attack_verdict(content.attacks)))
    lines.append(("A guess by the nearest record is right at worst", percent(content.attacks.nearest.worst)))
    return lines


def residual(content: DossierContent) -> list[tuple[str, str, str]]:
    """Return the risk before and after."""
    before, after = content.risk["before"], content.risk["after"]
    in_population = content.risk.get("in_population")
    return [
        ("Highest risk of a person", chance(before["prosecutor_max"]), chance(after["prosecutor_max"])),
        ("Mean risk", percent(before["prosecutor_mean"]), percent(after["prosecutor_mean"])),
        ("Unique by quasi-identifiers", count(before["unique_people"]), count(after["unique_people"])),
        ("Expected to be found if all are linked", percent(before["marketer"]), percent(after["marketer"])),
        *(population_text.residual(in_population) if in_population else []),
    ]


def questions(content: DossierContent) -> list[tuple[str, str]]:
    """Return the three questions of the European guidance, with what was measured, by attacks if they were run."""
    singled, k = content.risk["singled"], content.policy.k
    certain = [one for one in content.risk["inference"] if one["certain"]]
    names = listed_names([one["column"] for one in certain])
    asked = content.questions
    worst = {} if asked is None else {one.name: f" {answer(one)}" for one in asked.worst}
    return [
        (
            "Is it still possible to single out an individual?",
            f"By quasi-identifiers no: every combination is shared by at least {k} {content.risk['unit']}. "
            f"By all published columns together {count(singled['unique'])} of {plural(singled['rows'], 'row')} "
            f"are unique.{worst.get('singling out', '')}",
        ),
        (
            "Is it still possible to link records relating to an individual?",
            f"A link by quasi-identifiers is right in at most {chance(content.risk['after']['prosecutor_max'])}. "
            "Columns that are published as they are can be linked with any other list that has them."
            f"{worst.get('linkability', '')}",
        ),
        (
            "Can information be inferred concerning an individual?",
            (
                f"The value of {names} follows with certainty for some people from other columns; see the report."
                if certain
                else "No value was found to follow with certainty from the quasi-identifiers."
            )
            + worst.get("inference", ""),
        ),
    ]


def utility(content: DossierContent) -> list[tuple[str, str, str]]:
    """Return what was lost, column by column."""
    return [(name(one["name"]), percent(one["information"]), percent(one["exact"])) for one in _columns(content.loss)]


def _columns(loss: Any) -> list[dict[str, Any]]:
    return sorted(loss["columns"], key=lambda one: -one["information"])
