"""Checks at their very edge: one step to either side, and the verifier must say something else."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import polars as pl
import pytest

from shoal.certify import files, folder, proved
from shoal.certify.areas import check_areas
from shoal.certify.equivalence_classes import classes_of_centers
from shoal.certify.findings import TOLERANCE, Claim, in_order
from shoal.certify.folder import check_folder
from shoal.certify.formulas import diversity
from shoal.certify.hierarchies import levels_of, read_rows
from shoal.certify.released_columns import sort_columns
from shoal.errors import ParameterError, TableError
from shoal.policy import Column, Policy
from shoal.report.notebook import findings_html
from tests.certify import releases
from tests.certify.test_areas_read import box, places, regions
from tests.certify.test_told_in_words import CERTIFICATE, FINDINGS
from tests.certify.test_told_of_folders import COUNTED, K, L, against, certificate

SENSITIVE = {"s": {"role": "sensitive"}}


# -- areas -------------------------------------------------------------------------------------------------------


def test_a_bad_region_does_not_hide_a_bad_place(tmp_path):
    (tmp_path / "m.csv").write_text("x,y\na,b\n")
    columns = {
        "lat": {"role": "quasi", "longitude": "lon"},
        "lon": {"role": "quasi"},
        "home": {"role": "quasi", "map": {"edges": str(tmp_path / "m.csv")}},
    }
    frame = pl.DataFrame({"lat": ["x"], "lon": ["y"], "home": ["z"]})
    found = check_areas(frame, Policy.parse({"k": 2, "columns": columns | SENSITIVE}))
    assert [one.column for one in found] == ["lat", "home"]


def test_all_regions_of_a_map_are_an_area_and_its_first_line_tells_the_separator(tmp_path):
    (tmp_path / "m.csv").write_text("XXregion;XXneighbor\na,b,c,d;e\n")
    assert regions(['{"a,b,c,d", e}', "e"], {"edges": str(tmp_path / "m.csv")}) == []


def test_a_millionth_of_the_grid_is_beside_it():
    assert len(places([("[0.000001, 3]", "[1, 2]")], grid=1)) == 1
    assert places([("[0.0000009, 3]", "[1, 2]")], grid=1) == []


def test_rectangles_that_cross_by_a_degree_behind_the_date_line_are_found():
    assert len(places([box(0, 2, 170, -170), box(1, 3, -171, -165)])) == 1
    assert len(places([box(1, 3, 170, -170), box(0, 2, -171, -165)])) == 1
    assert places([box(0, 2, 170, -170), box(1, 3, -170, -165)]) == []


# -- certificates ------------------------------------------------------------------------------------------------


def test_a_measure_may_differ_by_exactly_what_is_allowed():
    counted = replace(COUNTED, claims=(replace(L, measured=0.0), K))
    assert against(certificate(claims=(K, replace(L, measured=2e-9))), "a", counted) == []


def test_a_policy_that_is_none_is_told_as_the_certificates():
    with pytest.raises(ParameterError, match=r"^certificate: k: "):
        replace(CERTIFICATE, policy={"k": "x"}).public_policy()


def test_notebooks_show_the_verdict_of_the_report():
    assert CERTIFICATE._repr_html_() == findings_html(CERTIFICATE)
    assert FINDINGS._repr_html_() == findings_html(FINDINGS)
    assert 'class="shoal cell"' in FINDINGS._repr_html_()


def test_a_ratio_for_one_size_of_groups_is_none_for_another():
    ratio = proved._only_for(3, Fraction(2))
    assert [ratio(k) for k in (2, 3, 4)] == [None, Fraction(2), None]


def test_claims_without_a_column_stand_first_and_in_the_order_of_their_criteria():
    def claim(criterion: str, column: str | None) -> Claim:
        return Claim(criterion=criterion, column=column, claimed=1, measured=1, unit="rows", holds=True)  # type: ignore[arg-type]

    empty, named = claim("t-closeness", ""), claim("l-diversity", "A")
    assert in_order([named, empty]) == (empty, named)


# -- folders -----------------------------------------------------------------------------------------------------


def test_why_a_file_has_no_digest_and_a_folder_no_list_is_told(tmp_path, monkeypatch):
    with pytest.raises(files.UnsafeError, match=r"^cannot be read \(No such file or directory\)$"):
        folder._digest(tmp_path / "gone")
    (tmp_path / "a").write_text("12")
    monkeypatch.setattr(folder, "MOST_BESIDE", 1)
    with pytest.raises(files.UnsafeError, match=r"^is too large$"):
        folder._digest(tmp_path / "a")
    with pytest.raises(TableError) as raised:
        check_folder(tmp_path / "none", {})
    assert raised.value.message == "the folder none cannot be listed (No such file or directory)."
    assert raised.value.hint == "check the path and its permissions."


def test_a_name_has_as_many_bytes_as_a_file_system_takes():
    assert files.is_plain("é" + "x" * 253)
    assert not files.is_plain("é" + "x" * 254)
    assert not files.is_plain(".hidden")


# -- values ------------------------------------------------------------------------------------------------------


def test_the_most_frequent_value_is_found_wherever_it_stands():
    pairs = pl.DataFrame({"class": [0, 0, 0], "value": [1, 2, 3], "held": [1, 5, 2]})
    people = pl.DataFrame({"class": [0], "people": [8]})
    # 5 < 2 * (5 + 2 + 1), 5 < 2 * (2 + 1), and not 5 < 2 * 1
    assert diversity(pairs, people, "recursive", 2.0)["measure"].to_list() == [2.0]
    assert diversity(pairs, people, "recursive", (5 + TOLERANCE) / 3)["measure"].to_list() == [1.0]
    exact = pl.DataFrame({"class": [0, 0], "value": [1, 2], "held": [3, 1]})
    assert diversity(exact, people, "recursive", 3 + TOLERANCE)["measure"].to_list() == [1.0]
    assert diversity(exact, people, "recursive", 3 + 3 * TOLERANCE)["measure"].to_list() == [2.0]


@pytest.mark.parametrize(("persons", "n_failures"), [(True, 0), (False, 1)])
def test_one_person_may_hold_several_values_only_where_people_have_several_rows(persons, n_failures):
    frame = pl.DataFrame({"people": ["2"], "s": ["a: 2; b: 1"]})
    policy = Policy.parse({"k": 2, "publication": "centers", "columns": SENSITIVE | {"q": {"role": "quasi"}}})
    columns = sort_columns(["q", "people", "s"], policy, "centers", 1)
    assert len(classes_of_centers(frame, columns, persons=persons).failures) == n_failures


def test_people_with_rows_of_their_own_may_hold_several_values_in_centers():
    roles = {"p": {"role": "person"}, "q": {"role": "quasi"}} | SENSITIVE
    frame = pl.DataFrame({"q": ["1"], "people": ["2"], "s": ["a: 2; b: 1"]})
    for columns, holds in ((roles, True), ({name: roles[name] for name in "qs"}, False)):
        policy = Policy.parse({"k": 2, "publication": "centers", "columns": columns})
        found = releases.inspect(frame, policy, form="centers")
        assert found.holds is holds
        assert found.unit == ("people" if holds else "rows")


# -- hierarchies -------------------------------------------------------------------------------------------------


def test_the_name_of_the_column_is_told_with_its_hierarchy(tmp_path):
    column = Column.model_validate({"role": "sensitive", "hierarchy": str(tmp_path / "none.csv")})
    with pytest.raises(ParameterError, match=r"^the hierarchy none\.csv of s cannot be read"):
        levels_of("s", ["a"], column)


def test_a_missing_value_is_a_branch_of_its_own_beside_any_label(tmp_path):
    (tmp_path / "h.csv").write_text("null;null;*\nnode;null;*\na;b;*\n")
    column = Column.model_validate({"role": "sensitive", "hierarchy": str(tmp_path / "h.csv")})
    found = [nodes.tolist() for nodes in levels_of("s", ["null", "node", "a", None], column)]
    assert found == [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 0]]


def test_an_empty_hierarchy_is_that_of_values_that_are_all_missing(tmp_path):
    (tmp_path / "h.csv").write_text("")
    column = Column.model_validate({"role": "sensitive", "hierarchy": str(tmp_path / "h.csv")})
    assert [nodes.tolist() for nodes in levels_of("s", [None], column)] == [[0], [0]]


def test_the_first_line_alone_tells_how_a_hierarchy_is_separated(tmp_path):
    (tmp_path / "h.csv").write_text("AXA;b\nc,d,e,f;x\n")
    assert read_rows("s", tmp_path / "h.csv") == [["AXA", "b"], ["c,d,e,f", "x"]]
    (tmp_path / "h.csv").write_bytes(b'"a\rb";x\r\n')
    assert read_rows("s", tmp_path / "h.csv") == [["a\rb", "x"]]
