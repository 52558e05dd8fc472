"""Sentences that explain the numbers of a release; the same in the report, the terminal and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.certify.facts import Facts
from shoal.policy import Policy
from shoal.report.charts.axes import day_label
from shoal.report.content import Content, Finding
from shoal.report.formatting import (
    NOTHING,
    at_most,
    chance,
    count,
    listed,
    name,
    percent,
    plural,
    seconds,
    sentence,
    significant,
)
from shoal.report.inference_text import follows
from shoal.report.usefulness import too_coarse as too_coarse  # the templates' `say` is this module

if TYPE_CHECKING:
    from shoal.measure.attack_result import Attacks
    from shoal.measure.loss_result import ColumnLoss, Loss
    from shoal.measure.risk_result import Risk

MOST_EXACT = 6  # the most columns named in one line, those with the fewest exact cells
MOST_COLUMNS = 24  # the most columns that are drawn, as more would make the page too long to read
OBJECTIVES = {
    "sse": "squared error",
    "loss": "loss of means, medians and modes",
    "radius": "largest distance from a center",
    "cellular": "sum of group size times radius",
    "generalization": "generalization cost",
    "generalization information": "information lost",
    "generalization levels": "generalization cost by levels",
    "ncp": "share of the range, labels or leaves that the published cells span",
    "full-domain ncp": "share of the leaves below the published nodes",
    "full-domain information": "information lost",
    "full-domain levels": "level of the published nodes",
    "full-domain entropy": "information lost, in bits",
    "largest class": "people in the largest class",
}
FORMS = {
    "generalize": "Each value became a range, a set or a category that the whole group shares.",
    "aggregate": "Each value became its group's mean, median or most frequent value.",
    "centers": "Each group became one row: its center, its number of people, and the sensitive values in it.",
    "suppress": "Each value on which a group disagrees became an asterisk.",
}


def all_hold(findings: Sequence[Finding]) -> bool:
    return all(finding.holds for finding in findings)


def verdict(findings: Sequence[Finding]) -> str:
    """Return the verdict on a release: the first requirement if all hold, otherwise what fails."""
    failed = [finding for finding in findings if not finding.holds]
    if not findings:
        return "There are no requirements, so nothing was checked."
    if not failed:
        return f"{name(findings[0].sentence)}."
    wrong = [_wrong(finding) for finding in failed[:3]]
    if len(failed) > 3:
        wrong.append(f"{len(failed) - 3} more")
    return f"{'; '.join(wrong)}. Do not publish this."


def _wrong(finding: Finding) -> str:
    if finding.failure:
        return name(finding.failure)
    touched = f", affecting {plural(finding.touched, 'record')}" if finding.touched else ""
    return f"{name(finding.criterion)} does not hold{touched}"


def also_held(findings: Sequence[Finding]) -> str:
    """Return the other requirements that hold, after the verdict."""
    return " ".join(f"{name(finding.sentence)}." for finding in findings[1:] if finding.holds)


def distance(groups: Facts) -> str:
    """Return how far the cost of the release can be from the smallest possible."""
    what = OBJECTIVES.get(groups.objective, groups.objective)
    seen, proved = groups.ratio_seen, groups.ratio_proved
    if seen is not None and seen <= 1:
        return f"No release that meets the requirements has a smaller {what}: this one is the best possible."
    if seen is not None and proved is not None:
        guaranteed = f"the theorem alone guarantees {at_most(proved)}"
        return f"At most {at_most(seen)} times the smallest possible {what}; {guaranteed}."
    if seen is not None:
        return (
            f"At most {at_most(seen)} times the smallest possible {what}, by a bound computed on this table. "
            "No theorem guarantees a ratio for this method."
        )
    if proved is not None:
        return f"At most {at_most(proved)} times the smallest possible {what}, by theorem {groups.theorem}."
    if groups.theorem is not None and groups.objective.startswith("full-domain"):
        return (
            f"No other choice of one level per column has a smaller {what}, by theorem {groups.theorem}. "
            "Methods that generalize each group by itself may lose less."
        )
    return f"How far the {what} is from the smallest possible is not known: there is neither a theorem nor a bound."


def notes(groups: Facts) -> list[str]:
    """Return further remarks on the run as whole sentences."""
    return [f"{sentence(note.removesuffix('.'))}." for note in groups.notes]


def costs(groups: Facts) -> list[tuple[str, str]]:
    """Return the numbers behind the distance from the best possible."""
    lines = [
        ("Minimized", OBJECTIVES.get(groups.objective, groups.objective)),
        ("Cost of this release", significant(groups.cost, 4)),
        ("Cost before improvement (theorem)", significant(groups.theorem_cost, 4)),
        ("Lower bound for any release", significant(groups.lower_bound, 4)),
        ("Ratio seen, at most", at_most(groups.ratio_seen)),
        ("Ratio proved", at_most(groups.ratio_proved)),
        ("Theorem", groups.theorem or "none that covers this release"),
    ]
    return [line for line in lines if line[1] != NOTHING]


def left_out(content: Content) -> str:
    """Return the share of suppressed rows and how much that reduced the cost; empty if none was allowed."""
    curve = content.groups.left_out
    if not curve:
        return ""
    what, allowed = OBJECTIVES[content.groups.objective], content.policy.max_suppressed
    here = next(point for point in curve if point.allowed == allowed)
    bought = 1 - here.cost / curve[0].cost if curve[0].cost else 0.0
    others = [
        f"{percent(point.allowed)}: {significant(point.cost, 4)}"
        for point in curve
        if point.allowed not in (0, allowed)
    ]
    more = f" With other shares it would be {'; '.join(others)}." if others else ""
    whole = significant(curve[0].cost, 4)
    return (
        f"{percent(_share(content))} of the rows were suppressed. With at most {percent(allowed)} the {what} "
        f"is {significant(here.cost, 4)}, {percent(bought)} less than the {whole} with all rows.{more}"
    )


def asked(policy: Policy) -> list[tuple[str, str]]:
    """Return the requirements, line by line: name and value."""
    who = f"different values of {name(policy.person)}" if policy.person else "rows"
    lines = [("Smallest group", f"k = {policy.k}, counted in {who}")]
    for column in policy.delicate:
        diversity, closeness = policy.diversity_of(column), policy.closeness_of(column)
        if diversity:
            c = f", c = {diversity.c:g}" if diversity.c is not None else ""
            lines.append((f"Diversity of {name(column)}", f"l = {diversity.l:g} ({diversity.kind}{c})"))
        if closeness:
            lines.append((f"Closeness of {name(column)}", f"t = {closeness.t:g} ({closeness.distance} distance)"))
    suppressed = f"at most {percent(policy.max_suppressed)}" if policy.max_suppressed else "none"
    lines.append(("Rows that may be suppressed", suppressed))
    lines.append(("Method", policy.method if policy.method != "auto" else "chosen automatically"))
    lines.append(("Form", policy.publication if policy.publication != "auto" else "chosen automatically"))
    return lines


def facts(content: Content) -> list[tuple[str, str, str]]:
    """Return the numbers to show first: name, number, remark."""
    loss, risk, groups = content.loss, content.risk, content.groups
    released = (
        "every row is published"
        if not loss.suppressed_rows
        else f"{count(loss.suppressed_rows)} of {count(loss.n_rows)} rows suppressed ({percent(_share(content))})"
    )
    shown = [
        ("Rows published", count(loss.n_released), released),
        ("Groups", count(groups.n_groups), f"smallest {count(risk.after.smallest_class)} {risk.unit}"),
        (
            "Highest re-identification risk",
            chance(risk.after.prosecutor_max),
            f"before: {chance(risk.before.prosecutor_max)}",
        ),
        ("Information lost", *lost(loss, content.form)),
        ("Cells still exact", percent(loss.exact), exact(loss)),
    ]
    if risk.singled.rows:
        shown.append(("Unique rows", count(risk.singled.unique), "if all published columns are known"))
    seen, proved = groups.ratio_seen, groups.ratio_proved
    if seen is not None and seen <= 1:
        shown.append(("Times the least possible cost", "1", "no release can cost less"))
    elif seen is not None:
        remark = "by a bound for this table" if proved is None else f"proved for all tables: {at_most(proved)}"
        shown.append(("Times the least possible cost", f"≤ {at_most(seen)}", remark))
    return shown


def lost(loss: Loss, form: str) -> tuple[str, str]:
    """Return how much information was lost, and a remark that names NCP beside it.

    Of cells it is what they leave open; of means, medians and modes, which are points, their distance (NCP).
    """
    if form in ("aggregate", "centers"):
        return percent(loss.gcp), "0% unchanged, 100% nothing left"
    return percent(
        loss.information
    ), f"0% unchanged, 100% nothing left; as a share of ranges (NCP) {percent(loss.gcp)}"


def exact(loss: Loss) -> str:
    """Return the share of cells that are still exact in each column, the smallest first."""
    ranked = sorted(loss.columns, key=lambda column: column.exact)
    shown = [f"{name(column.name)} {percent(column.exact)}" for column in ranked[:MOST_EXACT]]
    rest = [f"{len(ranked) - MOST_EXACT} more"] if len(ranked) > MOST_EXACT else []
    return ", ".join(shown + rest)


def _share(content: Content) -> float:
    return content.loss.suppressed_rows / max(1, content.loss.n_rows)


def risks(risk: Risk) -> list[tuple[str, str, str, str]]:
    """Return the re-identification risks: name, before, after, in words."""
    before, after = risk.before, risk.after
    return [
        (
            "Prosecutor, worst",
            percent(before.prosecutor_max),
            percent(after.prosecutor_max),
            "An attacker who knows that a person is in the table picks the right record.",
        ),
        (
            "Prosecutor, mean",
            percent(before.prosecutor_mean),
            percent(after.prosecutor_mean),
            "The same, on average.",
        ),
        (
            "Journalist, worst",
            percent(before.journalist_max),
            percent(after.journalist_max),
            "An attacker who does not know whether the person is in the table.",
        ),
        (
            "Marketer",
            percent(before.marketer),
            percent(after.marketer),
            "The expected share of people identified correctly if everybody is linked.",
        ),
        (
            "Unique",
            f"{count(before.unique_people)} ({percent(before.unique_share)})",
            f"{count(after.unique_people)} ({percent(after.unique_share)})",
            "People whose combination of quasi-identifiers nobody else has.",
        ),
    ]


def sensitive(risk: Risk) -> list[tuple[str, str, str, str]]:
    """Return, per sensitive column: name, least diversity, people in groups with one value, largest distance."""
    return [
        (
            name(found.name),
            f"{significant(found.l_smallest)} ({found.l_kind})",
            count(found.homogeneous_people),
            f"{significant(found.t_largest)} ({found.t_distance})",
        )
        for found in risk.after.sensitive
    ]


def singled(risk: Risk | Attacks) -> str:
    """Return how many rows are unique in all published columns, and what to do about it."""
    found = risk.singled
    if not found.rows:
        return "No row is about one person, so no row singles anybody out."
    if not found.columns:
        return "Only quasi-identifiers are published, and k holds for them: no row is unique."
    if not found.unique:
        return f"None of the {count(found.rows)} published rows is unique, even in all columns together."
    summary = (
        f"{count(found.unique)} of {plural(found.rows, 'published row')} ({percent(found.unique / found.rows)}) "
        f"are unique if all published columns are taken together; "
        f"{count(found.unique_sensitive)} in quasi-identifiers and sensitive columns."
    )
    if found.tried:
        summary += (
            f" A description made from such a row fitted exactly one person of the original table "
            f"in {count(found.isolated)} of {plural(found.tried, 'try', 'tries')}."
        )
    summary += " k does not protect against somebody who knows these columns of a person."
    most = found.columns[0]
    if most.without < found.unique:
        return (
            f"{summary} {name(most.name)} contributes most: without it {count(most.without)} would be unique. Remove "
            "it, round it or put it into broader classes before the release, or make it a quasi-identifier."
        )
    several = _names([column.name for column in found.columns])
    return f"{summary} No single column is the cause: remove or round several of {several}."


from_others = follows  # for the templates, which know this module


def singling(risk: Risk) -> list[tuple[str, str, str, str]]:
    """Return, per column published as it is: name, role, unique rows with it alone, and without it."""
    return [(name(one.name), one.role, count(one.alone), count(one.without)) for one in risk.singled.columns]


def losses(loss: Loss) -> list[tuple[str, str, str]]:
    """Return the loss measures over all columns: name, value, in words."""
    entropy = f"{percent(loss.entropy_ratio)} ({significant(loss.entropy_bits)} bits per cell)"
    cells = f"{percent(loss.suppressed_cells / max(1, loss.n_cells))} ({count(loss.suppressed_cells)})"
    lines = [
        (
            "Certainty lost (GCP)",
            percent(loss.gcp),
            "Mean certainty penalty of the published values: 0% exact, 100% nothing said.",
        ),
        (
            "Information lost",
            percent(loss.information),
            "Logarithm of the number of values that a cell leaves open, over that of all values.",
        ),
        ("Cells still exact", percent(loss.exact), exact(loss)),
        (
            "Variance lost (SSE / SST)",
            percent(loss.sse_ratio),
            "Of numbers and dates, standardized; a range counts as its middle.",
        ),
        ("Generalization level", percent(loss.generalization_level), "Mean level over the height of the hierarchy."),
        ("Entropy lost", entropy, "Non-uniform entropy, as a share of what hiding every column would lose."),
        ("Cells that say nothing", cells, f"Of {count(loss.n_cells)}; including those of suppressed rows."),
        (
            "Average group",
            significant(loss.average_class_size),
            f"{significant(loss.c_avg)} times k; 1 is the least.",
        ),
        (
            "Discernibility",
            count(loss.discernibility),
            "Sum of squared group sizes; each suppressed row adds the number of all rows.",
        ),
    ]
    if loss.correlation is not None and loss.correlation.largest_pair is not None:
        pair = " and ".join(name(column) for column in loss.correlation.largest_pair)
        lines.append(("Largest change of a correlation", significant(loss.correlation.largest_change), f"Of {pair}."))
    if loss.accuracy is not None:
        kept, what = loss.accuracy, "right" if loss.accuracy.task == "classification" else "of the variance explained"
        others = f"on the original table {percent(kept.original)}, by guessing {percent(kept.baseline)}"
        lines.append(
            (
                f"Prediction of {name(kept.target)}",
                f"{percent(kept.release)} {what}",
                f"Trained on the release; {others}.",
            )
        )
    return [line for line in lines if line[1] != NOTHING]


def drift(content: Content) -> list[tuple[str, str, str, str]]:
    """Return, per column: name, mean before and after, share of the spread kept, distance of the distributions."""
    lines = []
    for column in costliest(content.loss, MOST_COLUMNS):
        dated = column.kind == "date"
        mean = _moved(column.mean_before, column.mean_after, dated=dated)
        kept = NOTHING
        if column.variance_before and column.variance_after is not None:
            kept = percent((column.variance_after / column.variance_before) ** 0.5)
        lines.append((name(column.name), mean, kept, percent(column.distance)))
    return lines


def _moved(before: float | None, after: float | None, *, dated: bool) -> str:
    if before is None or after is None:
        return NOTHING
    shown = day_label if dated else significant
    return f"{shown(before)} → {shown(after)}"


def costliest(loss: Loss, most: int) -> list[ColumnLoss]:
    """Return the columns with the largest loss, at most `most`, in the order of the table."""
    ranked = sorted(loss.columns, key=lambda column: -column.ncp)[:most]
    kept = {column.name for column in ranked}
    return [column for column in loss.columns if column.name in kept]


def limits(content: Content) -> list[tuple[str, str]]:
    """Return what the release does not protect against, given the requirements: a name and a sentence each."""
    policy = content.policy
    found = []
    bare = [c for c in policy.sensitive if not policy.diversity_of(c) and not policy.closeness_of(c)]
    skewed = [c for c in policy.sensitive if policy.diversity_of(c) and not policy.closeness_of(c)]
    if bare:
        alone = sum(s.homogeneous_people for s in content.risk.after.sensitive if s.name in bare)
        now = f" Here this affects {plural(alone, 'person', 'people')}." if alone else ""
        found.append(
            (
                "Groups with one sensitive value",
                f"Nothing was required of {_names(bare)}. If a whole group has one value, knowing that "
                f"somebody is in the group reveals it.{now} Require l to prevent this.",
            )
        )
    if skewed:
        found.append(
            (
                "Groups that differ from the whole table",
                f"A value of {_names(skewed)} can be far more frequent in a group than in the table, so an attacker "
                "learns a likelihood. Require t to limit this.",
            )
        )
    if policy.named("other"):
        found.append(
            (
                "Columns published as they are",
                f"{_names(policy.named('other'))}: whoever knows a value there can single people out by it. In all "
                f"columns together, {count(content.risk.singled.unique)} rows are unique.",
            )
        )
    if policy.person is None:
        found.append(
            (
                "People with several rows",
                "Rows were counted, not people. If a person has more than one row, give the column that identifies "
                "people the role person.",
            )
        )
    elif content.form != "centers":
        found.append(
            (
                "Rows of one person",
                "Within a group they have a common number. Whoever knows how many rows a person has there, or one of "
                "their sensitive values, can recognize their rows and read the others. Publish one row per person "
                "if that matters.",
            )
        )
    found += [
        (
            "Knowledge beyond the quasi-identifiers",
            "The guarantee holds against an attacker who knows the quasi-identifiers and nothing else of the table.",
        ),
        (
            "Other releases of the same people",
            "Two releases that are each safe can be combined. Publish one, or make the next one with --after.",
        ),
        (
            "Attacks other than re-identification",
            "This is not differential privacy: it bounds how well people can be re-identified, not everything that "
            "can be learned.",
        ),
    ]
    return found


def _names(columns: list[str]) -> str:
    return listed([name(column) for column in columns])


def times(content: Content) -> list[tuple[str, str]]:
    """Return the time per step and in total."""
    lines = [(step, seconds(taken)) for step, taken in content.seconds]
    return [*lines, ("total", seconds(sum(taken for _, taken in content.seconds)))] if lines else []
