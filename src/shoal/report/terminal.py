"""The short report for terminals: rich renderables, which the command line prints.

Every table fits 80 columns and can be read without color. With `plain` there are only ASCII characters and no drawn
lines, for logs and screen readers. Foreign text is never interpreted as markup or as terminal codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from shoal.report import (
    cost_text,
    evidence_text,
    limits_text,
    loss_text,
    population_text,
    preset_text,
    profile_text,
    risk_text,
    summary_text,
    usefulness,
    utility_text,
    verdict_text,
)
from shoal.report import table_rows as lists
from shoal.report.attack_text import ATTACKS_HEADER, attack_rows, attack_verdict, attacks_tried
from shoal.report.content import Content, Finding, Trial, findings_of
from shoal.report.formatting import NOTHING, count, name, percent, plural, shortened
from shoal.report.inference_text import INFERRED, follows, inferred
from shoal.report.perturbation_text import moved_sentences
from shoal.report.question_text import HEADER as QUESTIONS
from shoal.report.question_text import TITLE, question_rows, questions_note
from shoal.report.recoding_text import recoding_rows

if TYPE_CHECKING:
    from shoal.certify.findings import Findings
    from shoal.measure.attack_result import Attacks
    from shoal.measure.loss_result import Loss
    from shoal.measure.population.result import PopulationRisk
    from shoal.measure.risk_result import Risk
    from shoal.roles.table_profile import Profile

_ASCII = str.maketrans(
    {"≤": "at most", "→": "->", "×": "x", NOTHING: "-", "…": "...", "∞": "inf", "✓": "ok", "✗": "NO"}
    | dict(zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", ("^-", *"0123456789"), strict=True))
)
NOT_COUNTED = (
    "Checked: every claim, and every file of the folder by its digest. Not checked, only stated by the publisher: "
    "suppressed records, method, objective, theorem and ratio, and that the columns have the right roles."
)
_BAR = 24  # characters of a full bar
_WIDTH = 76  # the most characters of a line of a hierarchy


class _Writer:
    """Makes text and tables in plain or in colored style."""

    def __init__(self, *, plain: bool) -> None:
        self.plain = plain

    def text(self, content: object, style: str = "") -> Text:
        shown = name(content)
        return Text(shown.translate(_ASCII)) if self.plain else Text(shown, style=style)

    def section(self, title: str, body: RenderableType) -> Group:
        return Group(Text(), self.text(title, "bold"), Padding(body, (0, 0, 0, 2)))

    def holds(self, holds: bool) -> Text:
        if self.plain:
            return Text("yes" if holds else "NO")
        return Text("✓ yes", "green") if holds else Text("✗ no", "bold red")

    def table(self, header: Sequence[str], rows: Sequence[Sequence[object]], align: str = "") -> Table:
        """Return a table; `align` has l, r, or w (may wrap) for each column, by default l."""
        made = Table(
            box=None if self.plain else SIMPLE_HEAD,
            padding=(0, 2, 0, 0) if self.plain else (0, 1, 0, 0),  # two spaces between columns in either mode
            show_edge=False,
            pad_edge=False,
            show_header=any(header),
        )
        for i, title in enumerate(header):
            kind = align[i : i + 1] or "l"
            made.add_column(
                Text("\n").join(self.text(line, "dim") for line in title.split("\n")),
                justify="right" if kind == "r" else "left",
                overflow="fold",
                no_wrap=kind == "r",
                ratio=1 if kind == "w" else None,
            )
        for row in rows:
            made.add_row(*(cell if isinstance(cell, Text) else self.text(cell) for cell in row))
        return made

    def points(self, lines: Sequence[str]) -> Table:
        made = Table.grid(padding=(0, 1))
        for line in lines:
            made.add_row(self.text("-" if self.plain else "•"), self.text(line))
        return made


class Compared(Protocol):
    """A comparison of several runs."""

    @property
    def trials(self) -> Sequence[Trial]: ...


def release(
    content: Content, out: Path | None = None, *, table: str | None = None, plain: bool = False
) -> RenderableType:
    """Return the short report of a release, and where it was written."""
    write = _Writer(plain=plain)
    warning = usefulness.too_coarse(content)
    style = "bold red" if not content.holds else "" if warning else "bold green"
    mark = "✓" if content.holds else "✗"
    shown: list[RenderableType] = [
        *(write.text(one, "bold yellow") for one in [warning] if one),
        write.text(f"{mark} {verdict_text.verdict(content.findings)}", style),
        write.text(f"{verdict_text.also_held(content.findings)} Checked on {content.checked}.".strip()),
        Text(),
        write.table(("", "", ""), summary_text.facts(content), "lrl"),
        Text(),
        write.text(cost_text.distance(content.groups)),
        *(write.text(line) for line in cost_text.classes(content.groups)),
        *(write.text(suppressed) for suppressed in [cost_text.left_out(content)] if suppressed),
        write.text(f"Method {content.groups.method}: {content.groups.reason}.", "dim"),
        *(write.text(note, "dim") for note in cost_text.notes(content.groups)),
    ]
    shown.append(_lost_per_column(content.loss, write))
    if content.loss.recoded:
        header = ("", "", "cells", "lost")
        shown.append(
            write.section("Recoded before groups were made", write.table(header, recoding_rows(content.loss), "lllr"))
        )
    if (risks := content.risk.in_population) is not None:
        said = f"{population_text.verdict(risks)} {population_text.change(risks)}".strip()
        shown.append(write.section("Risk in the population", write.text(said)))
    if content.loss.perturbed:
        sentences = moved_sentences(content.loss.perturbed, content.policy)
        shown.append(write.section("Perturbed: these values are not true ones", write.points(sentences)))
    shown.append(write.section("Singled out by all published columns", write.text(risk_text.singled(content.risk))))
    shown.append(write.section("Values that follow from other columns", write.text(follows(content.risk))))
    if content.evidence is not None:
        said = f"{evidence_text.lead(content.evidence)} {evidence_text.control(content.evidence)}"
        shown.append(write.section("Attacks tried on this release", write.text(said)))
        shown.append(
            write.section("Analyses of the release", write.text(evidence_text.useful(content.evidence.release)))
        )
    if content.advice:
        shown.append(write.section("To reduce the loss", write.points(content.advice)))
    limits = [f"{what}." for what, _ in limits_text.limits(content)]
    shown.append(write.section("Not protected against (see the report)", write.text(" ".join(limits))))
    if out is not None:
        places = [("may be published", f"{out}/"), ("do not publish", f"{out}.private/ (open report.html)")]
        places += [("may be published", f"table {table} of the database, read back and verified")] if table else []
        shown.append(write.section("Written", write.table(("", ""), places)))
    return Group(*shown)


def _lost_per_column(found: Loss, write: _Writer) -> RenderableType:
    costliest = sorted(loss_text.costliest(found, 12), key=lambda column: -column.ncp)
    lost = [
        (
            column.name,
            _bar(column.ncp, plain=write.plain),
            percent(column.ncp),
            percent(column.information),
            percent(column.exact),
        )
        for column in costliest
    ]
    if len(costliest) < len(found.columns):
        lost.append((f"and {len(found.columns) - len(costliest)} more", Text(), "", "", ""))
    header = ("", "", "NCP", "information", "still exact")
    return write.section("Loss per column", write.table(header, lost, "llrrr"))


def loss(found: Loss, *, plain: bool = False) -> RenderableType:
    """Return the information loss over all columns and of each."""
    write = _Writer(plain=plain)
    measures = [(what, value) for what, value, _ in loss_text.losses(found)]
    return Group(write.table(("", ""), measures), _lost_per_column(found, write))


def risk(found: Risk, *, plain: bool = False) -> RenderableType:
    """Return the re-identification risk before and after, and the sensitive values in the groups."""
    write = _Writer(plain=plain)
    shown: list[RenderableType] = [write.table(("risk", "before", "after", ""), risk_text.risks(found), "lrrw")]
    if found.after.sensitive:
        header = ("column", "least l", "people in groups with one value", "largest t")
        shown.append(write.section("Sensitive columns", write.table(header, risk_text.sensitive(found), "wlrl")))
    if found.in_population is not None:
        shown.append(write.section("Risk in the population", population_risk(found.in_population, plain=plain)))
    shown.append(write.section("Singled out by all published columns", write.text(risk_text.singled(found))))
    shown.append(write.section("Values that follow from other columns", write.text(follows(found))))
    return Group(*shown)


def _bar(share: float, *, plain: bool) -> Text:
    filled = round(min(1.0, max(0.0, share)) * _BAR)
    if plain:
        return Text("#" * filled)
    return Text("█" * filled, style="blue") + Text("░" * (_BAR - filled), style="dim")


def findings(found: Findings | Sequence[Finding], *, plain: bool = False) -> RenderableType:
    """Return what `verify` found: every requirement, as required and as found."""
    shown = findings_of(found)
    write = _Writer(plain=plain)
    style = "bold green" if verdict_text.all_hold(shown) else "bold red"
    rows = [
        (f.criterion, f.asked, f.found, write.holds(f.holds), count(f.touched) if f.touched else "") for f in shown
    ]
    return Group(
        write.text(verdict_text.verdict(shown), style),
        write.text(verdict_text.also_held(shown)),
        Text(),
        write.table(("requirement", "required", "found", "holds", "records"), rows, "wlllr"),
    )


def verified(found: Findings, *, plain: bool = False) -> RenderableType:
    """Return what `verify` found, the state of the signature, and what cannot be checked."""
    write = _Writer(plain=plain)
    signature_states = {
        "valid": "The certificate is signed by the holder of the key that was given.",
        "not checked": "The certificate is signed; give the signer's public key with --key to check the signature.",
    }
    lines = [write.text(signature_states[found.signature])] if found.signature else []
    if found.files:
        lines.append(write.text(NOT_COUNTED, "dim"))
    checked = [] if found.preset is not None and not found.claims and found.lines else [findings(found, plain=plain)]
    if found.lines:
        style = {"breach": "bold red", "judge": "yellow", "clear": "green"}
        rows = [
            (line.id, write.text(line.title), write.text(line.verdict, style[line.verdict_key]), line.found)
            for line in preset_text.preset_rows(found.lines)
        ]
        title = preset_text.preset_verdict(found.preset or "", found.lines)
        body = write.table(preset_text.PRESET_HEADER, rows, "lwww")
        checked.append(write.section(title, body))
        checked.append(write.text(preset_text.NOT_SEEN, "dim"))
    return Group(*checked, *lines)


def profile(
    found: Profile, written: Path | None = None, *, source: str | None = None, plain: bool = False
) -> RenderableType:
    """Return the open questions, how every column is published and why, what singles people out, and what to do
    next.
    """
    write = _Writer(plain=plain)
    shown: list[RenderableType] = [
        write.text(f"{plural(found.n_rows, 'row')}, {plural(len(found.columns), 'column')}", "bold"),
        *_questions(found, write),
    ]
    groups = profile_text.columns_by_role(found)
    shown += [write.section(title, write.table(profile_text.GROUP_HEADER, rows, "llrrw")) for title, rows in groups]
    shown.append(write.section("Re-identification risk", write.text(profile_text.risk_before(found))))
    if singled := profile_text.singled(found):
        body = write.table(profile_text.singled_header(found), singled, "wrr")
        shown.append(write.section("What singles people out", body))
    shown += [write.text(limit, "dim") for limit in found.uniqueness.limits]
    shown += [Text(), *(write.text(step) for step in profile_text.next_steps(found, written, source))]
    return Group(*shown)


def _questions(found: Profile, write: _Writer) -> list[RenderableType]:
    """Return what the profile could not decide, before anything else is read; nothing if it decided all."""
    if not found.questions:
        return []
    title = write.text(profile_text.questions_title(found), "bold yellow")
    asked = [write.text(f"{name(column)}: {question}") for column, question in found.questions]
    return [Text(), title, *(Padding(one, (0, 0, 0, 2)) for one in asked)]


def comparison(found: Compared, *, plain: bool = False) -> RenderableType:
    """Return a comparison as a table, one run per line."""
    write = _Writer(plain=plain)
    header = lists.trials_header(found.trials)
    body = write.table(header, lists.trials(found.trials), "w" + "r" * (len(header) - 1))
    shown: list[RenderableType] = [body, Text(), write.text(lists.trials_note(found.trials), "dim")]
    if utility_text.measured(found.trials):
        rows = write.table(utility_text.HEADER, utility_text.rows(found.trials), "wrrrrr")
        shown += [Text(), rows, Text(), write.text(utility_text.NOTE, "dim")]
    if utility_text.asked(found.trials):
        rows = write.table(utility_text.RISKS_HEADER, utility_text.risk_rows(found.trials, intervals=False), "wrrrr")
        shown += [Text(), rows, Text(), write.text(utility_text.RISKS, "dim")]
    return Group(*shown)


def attacks(found: Attacks, *, plain: bool = False) -> RenderableType:
    """Return how often each attack succeeds, and what is guaranteed."""
    write = _Writer(plain=plain)
    rows = [(*row[:-1], "" if row.holds is None else write.holds(row.holds)) for row in attack_rows(found)]
    return Group(
        write.text(attack_verdict(found), "bold red" if found.exceeds else "bold green"),
        Text(),
        write.table(ATTACKS_HEADER, rows, "lwrrrl"),
        Text(),
        write.text(attacks_tried(found), "dim"),
        write.section("Singled out by all published columns", write.text(risk_text.singled(found))),
        write.section("Values that follow from other columns", write.text(follows(found))),
        *([write.table(INFERRED, inferred(found), "lrwrl")] if found.inference else []),
        *_three_questions(found, write),
    )


def _three_questions(found: Attacks, write: _Writer) -> list[RenderableType]:
    """Return the three questions of WP216 with their risks; nothing if they were not asked."""
    if found.questions is None:
        return []
    rows = write.table(QUESTIONS, question_rows(found.questions), "wlrrrrr")
    return [write.section(TITLE, rows), Text(), write.text(questions_note(found.questions), "dim")]


def population_risk(found: PopulationRisk, *, plain: bool = False) -> RenderableType:
    """Return the risk in the population: the main sentence, the estimates with their assumptions, special uniques."""
    write = _Writer(plain=plain)
    return Group(
        write.text(population_text.verdict(found), "bold"),
        Text(),
        write.table(population_text.HEADER, population_text.rows(found), "lrrw"),
        Text(),
        write.text(population_text.special(found)),
        write.text("All are estimates, as good as their assumptions, except those marked as counted.", "dim"),
    )


def figures(header: Sequence[str], rows: Sequence[Sequence[object]], *, plain: bool = False) -> RenderableType:
    """Return a table of figures: numbers right-aligned, those of more than 15 digits rounded to four."""
    write = _Writer(plain=plain)
    align = "".join("r" if rows and isinstance(cell, int | float) else "l" for cell in (rows[0] if rows else header))
    shown = [[_figure(cell) if isinstance(cell, float) else cell for cell in row] for row in rows]
    return write.table(header, shown, align)


def _figure(number: float) -> str:
    return f"{number:.2f}" if abs(number) < 1e15 else f"{number:.4g}"


def hierarchy(
    column: str, way: str, lines: Sequence[str], setting: str, out: Path | None, *, plain: bool = False
) -> Group:
    """Return a derived hierarchy: the tree with the rows of every node, and how to use it."""
    show = _Writer(plain=plain)
    tree = [show.text(shortened(line, _WIDTH)) for line in lines]
    return Group(
        show.text(f"Hierarchy of {column} by {way}, with the number of rows after each node.", "bold"),
        Padding(Group(*tree), (1, 0, 1, 2)),
        show.text(
            f"In a policy: {setting.replace('FILE', out.name if out else '')}"
            if out or "FILE" not in setting
            else "--out FILE writes it as a file for a policy."
        ),
    )
