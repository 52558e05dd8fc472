"""JSON whose texts no file can hold is refused where it is read, not where it is written."""

from __future__ import annotations

import pytest

from shoal.errors import ParameterError
from shoal.plans import Plan
from shoal.tables.json_text import read_json


@pytest.mark.parametrize("text", [r'"\ud800"', r'{"a\uDFFF": 1}', r'[["x", "\ud83d"]]'])
def test_half_of_a_pair_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="surrogates"):
        read_json(text)


def test_whole_pairs_and_other_escapes_are_read() -> None:
    assert read_json(r'["\ud83d\ude00", "\u00e4", "\\ud800"]') == ["\U0001f600", "ä", r"\ud800"]


def test_a_plan_with_half_of_a_pair_is_refused_when_it_is_read(tmp_path) -> None:
    (tmp_path / "plan.json").write_text(r'{"format": 1, "method": "full-doma\ud800in"}')
    with pytest.raises(ParameterError, match="is not JSON"):
        Plan.load(tmp_path / "plan.json")
