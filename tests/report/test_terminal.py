"""The report in brief: it fits 80 columns, reads without color, and foreign text cannot act."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType

from shoal.report import profile_text, terminal
from shoal.report.content import Trial
from tests.report import samples

LONG = "a column with a name that is much longer than any terminal is wide, " * 2


class Compared(NamedTuple):
    trials: tuple[Trial, ...]


VIEWS: dict[str, Callable[[bool], RenderableType]] = {
    "release": lambda plain: terminal.release(samples.content(), plain=plain),
    "written release": lambda plain: terminal.release(samples.content(), Path("out"), plain=plain),
    "hostile release": lambda plain: terminal.release(samples.hostile(), plain=plain),
    "bare release": lambda plain: terminal.release(samples.bare(), plain=plain),
    "wide release": lambda plain: terminal.release(samples.wide(300), plain=plain),
    "loss": lambda plain: terminal.loss(samples.content().loss, plain=plain),
    "hostile loss": lambda plain: terminal.loss(samples.hostile().loss, plain=plain),
    "wide loss": lambda plain: terminal.loss(samples.wide(300).loss, plain=plain),
    "risk": lambda plain: terminal.risk(samples.content().risk, plain=plain),
    "findings": lambda plain: terminal.findings(samples.content().findings, plain=plain),
    "hostile findings": lambda plain: terminal.findings(samples.hostile().findings, plain=plain),
    "profile": lambda plain: terminal.profile(samples.profile(), plain=plain),
    "written profile": lambda plain: terminal.profile(samples.profile(), Path("policy.toml"), plain=plain),
    "hostile profile": lambda plain: terminal.profile(samples.hostile_profile(), plain=plain),
    "comparison": lambda plain: terminal.comparison(Compared(samples.trials()), plain=plain),
    "long comparison": lambda plain: terminal.comparison(
        Compared((replace(samples.trials()[0], requirement=LONG),)), plain=plain
    ),
    "attacks": lambda plain: terminal.attacks(samples.attacks(), plain=plain),
    "hostile attacks": lambda plain: terminal.attacks(
        replace(samples.attacks(), nearest=replace(samples.attacks().nearest, known=(samples.HOSTILE, LONG))),
        plain=plain,
    ),
}


def shown(view: RenderableType, *, width: int = 80, terminal: bool = False) -> str:
    out = StringIO()
    Console(file=out, width=width, force_terminal=terminal, legacy_windows=False).print(view)
    return out.getvalue()


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("view", VIEWS)
def test_no_line_is_wider_than_the_terminal(view: str, plain: bool) -> None:
    for line in shown(VIEWS[view](plain)).splitlines():
        assert cell_len(line) <= 80


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_is_cut_off_at_80_columns(view: str) -> None:
    narrow, wide = (shown(VIEWS[view](True), width=width) for width in (80, 2000))
    assert "".join(sorted("".join(narrow.split()))) == "".join(sorted("".join(wide.split())))


@pytest.mark.parametrize("view", VIEWS)
def test_plain_is_ascii_but_for_foreign_names(view: str) -> None:
    assert shown(VIEWS[view](True), terminal=True).isascii()


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("view", [name for name in VIEWS if "hostile" in name])
def test_names_carry_no_terminal_codes(view: str, plain: bool) -> None:
    text = shown(VIEWS[view](plain))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[31m" in text, "markup in a name is shown, not obeyed"


def test_the_release_says_what_the_report_says() -> None:
    text = " ".join(shown(terminal.release(samples.content())).split())
    for part in (
        "✓ Every group has at least 5 people.",
        "1,991",
        "At most 1.31 times the smallest possible generalization cost; the theorem alone guarantees 9.",
        "occupation ███████████░░░░░░░░░░░░░ 45.7%",
        "Method forest",
    ):
        assert part in text


def test_failures_are_said_without_color() -> None:
    text = shown(terminal.findings(samples.hostile().findings))
    assert "does not hold, affecting 3 records. Do not publish this." in " ".join(text.split())
    assert "✗ no" in text
    broken = replace(samples.attacks(), exceeds=True, nearest=replace(samples.attacks().nearest, exceeds=True))
    assert "An attack succeeds more often than guaranteed" in shown(terminal.attacks(broken))
    assert "NO" in shown(terminal.attacks(broken, plain=True))


def test_what_was_written_is_said_with_what_stays_home() -> None:
    text = " ".join(shown(VIEWS["written release"](False)).split())
    assert "may be published out/ do not publish out.private/ (open report.html)" in text
    assert "The suggested policy is in policy.toml" in shown(VIEWS["written profile"](False))


def test_a_profile_asks_first_then_says_what_becomes_of_every_column_and_ends_with_the_next_step() -> None:
    plain = samples.profile()
    asked = replace(plain.columns[0], questions=("is it one?",))
    said = shown(terminal.profile(replace(plain, columns=(asked, *plain.columns[1:])), source=Path("visits.csv")))
    parts = ["1 question to answer", "is it one?", "1 column removed", "(quasi)", "Re-identification risk", "Next:"]
    assert [said.index(part) for part in parts] == sorted(said.index(part) for part in parts)
    assert "shoal profile visits.csv --write policy.toml" in said
    assert "answer the question in it" in " ".join(said.split())


def test_the_next_step_is_in_the_language_of_the_caller() -> None:
    assert 'profile.write("policy.toml")' in shown(terminal.profile(samples.profile()))


def test_only_a_few_combinations_of_each_size_are_listed() -> None:
    plain = samples.profile()
    many = tuple(replace(plain.uniqueness.combinations[0], unique_rows=n) for n in range(50, 0, -1))
    wide = replace(plain, uniqueness=replace(plain.uniqueness, combinations=many, growing=()))
    assert [row[1] for row in profile_text.singled(wide)] == ["50", "49", "48", "47", "46"]
