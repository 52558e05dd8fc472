"""Sentences and rows of a dossier. What is neither in the policy nor computed is a line to fill in by hand."""

from __future__ import annotations

from typing import Any

from shoal.policy.dossier import Dossier
from shoal.report import limits_text, population_text, question_text
from shoal.report.attack_text import attack_verdict
from shoal.report.dossier_columns import published
from shoal.report.dossier_content import DossierContent
from shoal.report.evidence_text import lead
from shoal.report.formatting import chance, count, listed_names, name, percent, plural
from shoal.report.question_text import answer
from shoal.report.summary_text import FORMS

NOT_MEASURED = ("aggregate", "centers")
"""The forms whose cells cover no values, so that it is not computed what follows from them with certainty."""


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
    """Return, for every column: its name, role, what happened to it, and the reason that the profile gave."""
    done = published(content.policy, content.form, content.loss)
    reasons = {} if content.profile is None else {one.name: one for one in content.profile.columns}
    lines: list[tuple[str, str, str, str]] = []
    for column, settings in content.policy.columns.items():
        found = reasons.get(column)
        reason = "" if found is None else found.reason
        if found is not None and found.role != settings.role:
            reason = f"the profile proposed {found.role} ({found.reason}); a person decided otherwise"
        lines.append((name(column), settings.role, done[column], reason))
    return lines


def data(content: DossierContent) -> str:
    """Return what the table is: rows, people, columns."""
    loss, risk = content.loss, content.risk
    left = f" {count(loss['suppressed_rows'])} rows were left out." if loss["suppressed_rows"] else ""
    return (
        f"{plural(loss['n_rows'], 'row')} with {plural(len(content.policy.columns), 'column')}; "
        f"{count(risk['after']['n_people'])} {risk['unit']} are in the release, in "
        f"{plural(risk['after']['n_classes'], 'group')} that differ in what is published of them.{left}"
    )


def selection(content: DossierContent) -> str:
    """Return which rows of the table the release is about; empty if it is about all."""
    policy = content.policy
    parts = []
    if policy.where is not None:
        parts.append(
            f"The release is about the rows with {policy.where}. Whoever knows that a person is in it knows that the "
            "person meets this condition."
        )
    if policy.sample is not None:
        whom = "people" if policy.person else "rows"
        parts.append(f"It is a random sample of {percent(policy.sample)} of the {whom}, drawn in secret.")
    return " ".join(parts)


def made(content: DossierContent) -> list[tuple[str, str]]:
    """Return how the release was made: method, form, synthetic rows, and remarks of the run."""
    kept = content.certificate
    reason = f": {kept['reason']}" if kept.get("reason") else ""
    lines = [("Method", f"{kept['method']}{reason}"), ("Form", FORMS[content.form])]
    if content.policy.synthetic is not None:
        lines.append(
            (
                "Synthetic rows",
                f"A second file has rows drawn from the groups of the release ({content.policy.synthetic}). They are "
                "made up, and nothing is claimed of them beyond what the released file shows.",
            )
        )
    return [*lines, *(("Remark", f"{note[:1].upper()}{note[1:]}".rstrip(".") + ".") for note in kept["notes"])]


def attackers(content: DossierContent) -> list[tuple[str, str]]:
    """Return the attackers that were considered and what they are assumed to know."""
    policy = content.policy
    known = [*(column for column in policy.quasi if column != policy.set_column)]
    if policy.set_column is not None:
        known.append(f"{plural(policy.known_items, 'item')} of {policy.set_column}")
    quasi = listed_names(known)
    others = (
        "releases of the same people outside this sequence" if content.number else "other releases of the same people"
    )
    return [
        ("A neighbor or colleague", f"knows that a person is in the table, and all of {quasi} (prosecutor)."),
        ("A journalist", f"wants to show that somebody can be found, and knows {quasi} of many people."),
        ("A company", "links everybody with a list of its own (marketer)."),
        *(
            (
                f"Key set {name(key)}",
                f"somebody who knows {listed_names([*one.columns])}, asked to fit at least {one.k}.",
            )
            for key, one in (policy.keys or {}).items()
        ),
        ("A recipient", "holds the whole public folder, knows how Shoal works, and looks at the order of rows."),
        ("Not considered", f"somebody who knows columns that are published as they are, or holds {others}."),
    ]


def not_protected(content: DossierContent) -> list[tuple[str, str]]:
    """Return what the release does not protect against, as its report has it."""
    alone = {one["name"]: one["homogeneous_people"] for one in content.risk["after"]["sensitive"]}
    unique = content.risk["singled"]["unique"]
    return limits_text.not_protected(content.policy, content.form, alone=alone, unique=unique)


def tested(content: DossierContent) -> list[tuple[str, str]]:
    """Return the tests of the release and their results."""
    lines = [
        ("The released file was read again and counted", verdict(content)),
        (
            "Every file of the public folder has the digest of the certificate",
            "yes" if content.holds else "see above",
        ),
    ]
    if content.changed_policy:
        lines.append(
            (
                "The policy is the one of the release",
                "Its file was changed after the release was made; roles and requirements are as in the certificate.",
            )
        )
    if content.same_original is not None:
        lines.append(
            (
                "The original table is the one of the release",
                "yes, its file has the same SHA-256"
                if content.same_original
                else "NO: the file that was given is another one; reasons and attacks are about that one",
            )
        )
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
    asked = content.questions
    worst = {} if asked is None else {one.name: f" {answer(one)}" for one in asked.worst}
    return [
        ("Is it still possible to single out an individual?", f"{_singled(content)}{worst.get('singling out', '')}"),
        (
            "Is it still possible to link records relating to an individual?",
            f"{_linked(content)}{worst.get('linkability', '')}",
        ),
        (
            "Can information be inferred concerning an individual?",
            f"{_inferred(content)}{worst.get('inference', '')}",
        ),
    ]


def _singled(content: DossierContent) -> str:
    """Return whether people are singled out by quasi-identifiers, and how many rows by all columns."""
    policy, unit = content.policy, content.risk["unit"]
    items = (
        f", with up to {plural(policy.known_items, 'item')} of {name(policy.set_column)},"
        if policy.set_column
        else ""
    )
    if not content.holds:
        told = "By quasi-identifiers it may be: the released file does not meet every requirement."
    elif content.form in NOT_MEASURED:
        told = (
            f"Every published combination of quasi-identifiers{items} stands for at least {policy.k} {unit}. Means "
            "and the like are no limits, and one may lie where only one person is."
        )
    else:
        told = f"By quasi-identifiers no: every combination{items} is shared by at least {policy.k} {unit}."
    singled = content.risk["singled"]
    if not singled["rows"]:
        return f"{told} By all published columns it was not counted: the rows are about groups."
    return (
        f"{told} By all published columns together {count(singled['unique'])} of {plural(singled['rows'], 'row')} "
        "are unique."
    )


def _linked(content: DossierContent) -> str:
    """Return how often a link by quasi-identifiers is right, and whether other columns can be linked."""
    bare = [one for one in content.policy.unchanged if one not in content.policy.perturbed]
    if not content.holds:
        told = (
            "How often a link by quasi-identifiers is right is not known: the file does not meet every requirement."
        )
    else:
        told = f"A link by quasi-identifiers is right in at most {chance(content.risk['after']['prosecutor_max'])}."
    if not bare or content.form == "centers":
        return told
    return f"{told} Columns that are published as they are can be linked with any other list that has them."


def _inferred(content: DossierContent) -> str:
    """Return which values follow with certainty from other columns, if that was computed."""
    if content.form in NOT_MEASURED:
        return "Whether a value follows with certainty from other columns was not computed for this form."
    certain = [one["column"] for one in content.risk["inference"] if one["certain"]]
    if certain:
        return (
            f"The value of {listed_names(certain)} follows with certainty for some people from other columns; see "
            "the report."
        )
    return "No value was found to follow with certainty from the quasi-identifiers."


def questions_note(content: DossierContent) -> str:
    """Return what the numbers of the three questions are, and how to get those that are missing."""
    asked = content.questions
    if asked is None:
        return ""
    if asked.held != "none":
        return question_text.questions_note(asked)
    return (
        f"{question_text.tried(asked)} {question_text.OF_SUCCESS} Without people who were not in the table it cannot "
        "be said how much of this is due to having been in it. Make the release with evidence, or give such people "
        "as control."
    )


def utility(content: DossierContent) -> list[tuple[str, str, str]]:
    """Return what was lost, column by column."""
    return [(name(one["name"]), percent(one["information"]), percent(one["exact"])) for one in _columns(content.loss)]


def _columns(loss: Any) -> list[dict[str, Any]]:
    return sorted(loss["columns"], key=lambda one: -one["information"])
