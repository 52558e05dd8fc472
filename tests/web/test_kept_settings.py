"""Settings that the pages do not show are kept by every change there, and a release is made by them."""

from __future__ import annotations

import pytest

from shoal.errors import ParameterError
from shoal.web.draft import with_role
from shoal.web.open_table import OpenTable
from tests.web.steward import Steward, words
from tests.web.test_api import PROGRAM


def test_conditions_samples_populations_and_key_sets_survive_the_pages(steward: Steward, small: OpenTable) -> None:
    steward.answer_all(small)
    client, at = steward.client, f"/api/tables/{small.id}/policy"
    policy = client.get(at, headers=PROGRAM).json()
    quasi = next(name for name, column in policy["columns"].items() if column["role"] == "quasi")
    hidden = {
        "where": f'"{quasi}" is not null',
        "sample": 0.9,
        "population": 9_000,
        "keys": {"insurer": {"columns": [quasi], "k": 6}},
    }
    assert client.put(at, json=policy | hidden, headers=PROGRAM).status_code == 200
    steward.part(f"/t/{small.id}/privacy", {"k": "4", "suppressed": "0"})
    place = list(policy["columns"]).index(quasi)
    steward.part(f"/t/{small.id}/columns/{place}", {"weight": "2"})
    kept = client.get(at, headers=PROGRAM).json()
    assert {name: kept[name] for name in hidden} == hidden
    assert kept["columns"][quasi]["weight"] == 2
    run = steward.release(small)
    assert run.result["numbers"]["rows"] == 54
    assert "In a population of 9,000" in words(steward.get(f"/t/{small.id}/runs/1/report.html").text)
    german = words(steward.get(f"/t/{small.id}/result", headers={"accept-language": "de-DE"}).text)
    assert "Jede veröffentlichte Kombination der Schlüssel insurer teilen mindestens 6 Datensätze." in german


def test_a_column_that_is_removed_leaves_its_key_sets() -> None:
    columns = {name: {"role": "quasi"} for name in ("age", "sex")}
    keys = {"one": {"columns": ["age", "sex"], "k": 6}, "two": {"columns": ["age"], "k": 9}}
    asked = {"k": 3, "columns": columns, "keys": keys}
    assert with_role(asked, "age", "identifier", {})["keys"] == {"one": {"columns": ["sex"], "k": 6}}
    with pytest.raises(ParameterError, match="'age' is not a quasi-identifier"):
        with_role(asked, "age", "other", {})
    assert asked["keys"] == keys
