"""What a stranger's file calls its keys and columns does not break a message into lines or move the cursor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shoal
from shoal.plans import Plan

CORPUS = Path(__file__).parents[1] / "fuzz" / "corpus" / "plan" / "key-with-a-line-break.json"
ODD = "clos\ness\x1b[2J\u202e"
SHOWN = "clos\\u000aess\\u001b[2J\\u202e"


def test_an_unknown_key_of_a_policy_with_controls_in_its_name() -> None:
    with pytest.raises(shoal.ShoalError) as refused:
        shoal.Policy.parse({"columns": {"ill": {"role": "sensitive", ODD: {"t": 0.9}}}})
    assert SHOWN in refused.value.message
    assert "\n" not in str(refused.value.message)


def test_an_unknown_key_of_a_plan_with_controls_in_its_name() -> None:
    plan = json.loads(CORPUS.read_text(encoding="utf-8"))
    assert "clos\ness" in plan["policy"]["columns"]["ill"]
    with pytest.raises(shoal.ShoalError) as refused:
        Plan.load(CORPUS)
    assert "clos\\u000aess" in refused.value.message


def test_a_hint_may_have_lines_and_no_other_controls() -> None:
    refused = shoal.TableError(f"there is no column {ODD}.", f"write\n[columns.{ODD}]")
    assert refused.message == f"there is no column {SHOWN}."
    assert refused.hint == "write\n[columns.clos\ness\\u001b[2J\\u202e]"
