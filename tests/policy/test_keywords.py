"""Flags and keyword arguments laid over a policy: none of them is ignored."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.errors import ParameterError, ShoalError
from shoal.policy import Policy
from shoal.policy.keywords import KNOWN, Settings, as_policy

POLICY = Policy.parse(
    {
        "columns": {
            "age": {"role": "quasi"},
            "diagnosis": {"role": "sensitive", "diversity": {"l": 2, "kind": "entropy"}},
            "income": {"role": "sensitive", "closeness": {"t": 0.5, "distance": "ordered"}},
        }
    }
)


def test_l_is_asked_of_columns_that_have_an_l_of_their_own_too() -> None:
    laid_over = as_policy(POLICY, {"l": 4})
    assert laid_over.diversity_of("diagnosis").l == 4
    assert laid_over.diversity_of("diagnosis").kind == "entropy"
    assert laid_over.diversity_of("income").l == 4


def test_t_is_asked_of_columns_that_have_a_t_of_their_own_too() -> None:
    laid_over = as_policy(POLICY, {"t": 0.2})
    assert laid_over.closeness_of("income").t == 0.2
    assert laid_over.closeness_of("income").distance == "ordered"
    assert laid_over.closeness_of("diagnosis").t == 0.2


def test_without_flags_a_column_keeps_its_own_wish() -> None:
    assert as_policy(POLICY, {"k": 7}).diversity_of("diagnosis").l == 2


@pytest.mark.parametrize("keyword", ["map", "place"])
def test_a_list_in_the_place_of_a_mapping_is_refused_with_an_example(keyword: str) -> None:
    with pytest.raises(ParameterError, match=f"{keyword} must map columns; it is a list") as refused:
        as_policy(None, {keyword: ["lat", "lon"]})
    assert f"write {keyword}={{" in str(refused.value)


def test_maps_and_places_are_quasi_identifiers_by_the_ending_of_their_files() -> None:
    maps = {"county": "counties.gal", "ward": "wards.GEOJSON", "zip": "neighbors.csv"}
    policy = as_policy(None, {"map": maps, "place": {"lat": "lon"}, "identifier": ["name"]})
    columns = policy.columns
    assert str(columns["county"].map.gal) == "counties.gal"
    assert str(columns["ward"].map.polygons) == "wards.GEOJSON"
    assert str(columns["zip"].map.edges) == "neighbors.csv"
    assert columns["lat"].longitude == "lon"
    assert {columns[name].kind for name in ("lat", "lon")} == {"place"}
    assert policy.quasi == ["county", "ward", "zip", "lat", "lon"]


def test_columns_of_pandas_may_be_called_by_numbers() -> None:
    policy = as_policy(None, {"quasi": [0, "age"], "person": 2})
    assert (policy.quasi, policy.person) == (["0", "age"], "2")


@pytest.mark.parametrize("names", [[None], 2.5, [["age"]]])
def test_what_is_no_name_of_a_column_is_refused_in_one_sentence(names: Any) -> None:
    with pytest.raises(ParameterError, match="name cannot be a"):
        as_policy(None, {"quasi": names})


def test_a_misspelled_keyword_is_refused_with_the_nearest_known() -> None:
    with pytest.raises(ParameterError, match=r"^quasy is not a setting\.") as refused:
        as_policy(None, {"quasy": ["age"]})
    assert "did you mean quasi?" in str(refused.value)


def test_every_keyword_reaches_the_policy() -> None:
    """A keyword that is in the table of types and nowhere in the policy would be ignored."""
    given: dict[str, Any] = {
        "identifier": "name", "quasi": ["age", "zip", "ward", "born"], "sensitive": "illness", "person": "patient",
        "consistent": True, "pseudonym": True, "weight": "stands_for", "where": "age > 3", "sample": 0.5,
        "population": 9_000, "keys": {"insurer": {"columns": ["age"], "k": 9}},
        "other": "visit", "hierarchy": {"zip": "zip.csv"}, "classes": "ward", "map": {"county": "c.gal"},
        "place": {"lat": "lon"}, "round_ranges": {"age": 10}, "publish_rare": {"ward": "merged"},
        "date_format": {"born": "%Y-%m-%d"}, "number": {"age": {"decimals": 1}}, "missing": {"zip": [999]},
        "k": 7, "l": 3.0, "m": 1, "set": {"drugs": "|"}, "max_suppressed": 0.1,
        "relative_to": {"born": "month"}, "origin": {"born": "2024-06-01"}, "top": {"age": 90}, "bottom": {"age": 20},
        "round": {"born": "month"}, "merge": {"illness": {"other": ["gout", "mumps"]}},
        "perturb": {"visit": {"method": "pram", "keep": 0.8}},
        "least_level": {"zip": 1}, "greatest_level": {"zip": 3},
        "l_kind": "recursive", "c": 2.0, "count_missing": True, "t": 0.3, "t_distance": "ordered",
        "alpha": 0.5, "beta": 2.0, "beta_kind": "enhanced", "delta": 3.0,
        "publication": "generalize", "ranges": "columns", "objective": "generalization", "method": "forest",
        "synthetic": "copula", "evidence": True,
        "loss": "levels", "seed": 3, "max_groups": 4, "opening_cost": 2.0,
        "effort": 20.0, "time_limit": 9.0, "link": "patient", "keep": "groups", "reserve": 1, "departures": "open",
        "counterfeits": False, "metadata": ["ddi"],
        "separator": ";", "quote": "'", "encoding": "cp1252", "decimal": ",",
        "null_values": ["NA"], "has_header": False, "sheet": "People",
    }  # fmt: skip
    assert set(given) == set(KNOWN) == set(Settings.__annotations__)
    whole = as_policy(None, given).model_dump(exclude_unset=True)
    for name in sorted(given):
        without = {key: value for key, value in given.items() if key != name}
        if name == "l_kind":
            del without["c"]  # which belongs to it
        try:
            left = as_policy(None, without)
        except ShoalError:
            continue  # others need it
        assert left.model_dump(exclude_unset=True) != whole, name


def test_formats_and_codes_for_missing_of_single_columns_are_those_of_a_policy() -> None:
    formats = {
        "date_format": {"born": "%d.%m.%Y"},
        "number": {"pay": {"decimal": ","}},
        "missing": {"pay": [999, "k.A."]},
    }
    columns = as_policy(None, {"quasi": ["born", "pay"], **formats}).columns
    assert columns["born"].format == "%d.%m.%Y"
    assert columns["pay"].number is not None
    assert columns["pay"].number.decimal == ","
    assert columns["pay"].null_values == ("999", "k.A.")


def test_the_flags_for_single_columns_are_read_as_a_policy_writes_them() -> None:
    from shoal.cli.options.values import missing, number_formats, rare

    assert number_formats(["pay={decimal=',', suffix=' EUR'}"]) == {"pay": {"decimal": ",", "suffix": " EUR"}}
    assert missing(["age=999,-1", "age=k.A."]) == {"age": ["999", "-1", "k.A."]}
    assert rare(["city", "job=merged"]) == {"city": True, "job": "merged"}
