"""One catalog: the same texts in every language, all of them used, none missing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

import shoal.web
from shoal.policy import Kind, Perturbation, Role
from shoal.policy.preset import PRESETS
from shoal.policy.setting_types import Synthetic
from shoal.web.about import SECTIONS, section_fields
from shoal.web.fields import PARAMETERS
from shoal.web.pages import STEPS
from shoal.web.texts import LANGUAGES, Texts, catalog

WEB = Path(shoal.web.__file__).parent
MADE = {
    "role": get_args(Role),
    "role_text": get_args(Role),
    "becomes": get_args(Role),
    "kind": get_args(Kind),
    "step_name": STEPS,
    "home.way_": STEPS,
    **{f"field.{name}_": tuple(part.model_fields) for name, part in SECTIONS.items()},
    "option": [one for name in SECTIONS for field in section_fields(name, None) for one in field.options],
    "preset": PRESETS,
    "perturb_method": ("none", *get_args(Perturbation.model_fields["method"].annotation)),
    "perturb_text": ("none", *get_args(Perturbation.model_fields["method"].annotation)),
    "perturb": PARAMETERS,
    "synthetic_rows": ("none", *get_args(Synthetic)),
}
"""Keys that templates put together."""


def test_every_language_has_the_same_keys_and_places() -> None:
    english = catalog("en")
    for language in LANGUAGES:
        other = catalog(language)
        assert set(other) == set(english), language
        for key, text in other.items():
            assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", english[key])), (language, key)
            assert text.strip(), (language, key)


def test_german_is_german() -> None:
    same = {key for key, text in catalog("de").items() if text == catalog("en")[key]}
    assert {key for key in same if not key.startswith(("time.", "role.person", "kind.region", "step_name."))} == set()


def test_every_text_that_a_page_asks_for_is_there_and_every_text_is_asked_for() -> None:
    files = [*WEB.rglob("*.html"), *WEB.rglob("*.py")]
    source = "\n".join(file.read_text(encoding="utf-8") for file in files)
    whole = set(re.findall(r"""\b(?:t|self)\(\s*["']([\w.]+)["']\s*[,)]""", source))
    begun = set(re.findall(r"""\b(?:t|has)\(\s*["']([\w.]+[._])["']\s*[~+]""", source))
    begun |= set(re.findall(r"""= f["']([a-z_]+\.){""", source))
    known = set(catalog("en"))
    assert whole - known == set()
    assert {key for key in known if key not in whole and not key.startswith(tuple(begun))} == set()
    for beginning, ends in MADE.items():
        joined = {f"{beginning}{'' if beginning.endswith('_') else '.'}{end}" for end in ends}
        assert joined - known == set()


def test_every_step_of_a_run_has_a_name_that_people_understand() -> None:
    source = WEB.parent
    files = [file for file in source.rglob("*.py") if file.parent.name not in ("papers", "web")]
    begins = r'(?:progress\.step|self\._run)\(\s*"([^"]+)"'
    named = {name for file in files for name in re.findall(begins, file.read_text("utf-8"))}
    assert "nearest records" in named
    assert len(named) > 15
    known = set(catalog("en"))
    assert {name for name in named if f"step.{name.replace(' ', '_')}" not in known} == set()


@pytest.mark.parametrize(("share", "shown"), [(0.0, "0%"), (1.0, "100%"), (0.9999, ">99.9%"), (0.00001, "<0.01%")])
def test_a_share_never_looks_better_than_it_is(share: float, shown: str) -> None:
    assert Texts("en").percent(share) == shown


def test_numbers_are_written_as_the_language_does() -> None:
    assert Texts("en")("data.size", rows=30162, columns=9) == "30,162 rows, 9 columns"
    assert Texts("de")("data.size", rows=30162, columns=9) == "30.162 Zeilen, 9 Spalten"
