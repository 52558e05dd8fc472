"""Cases that tell the verifier from itself with one small thing changed; each was found by such a change."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from fractions import Fraction

import polars as pl
import pyarrow as pa
import pytest

from shoal.certify import Certificate, hidden
from shoal.certify.areas import check_areas, map_file
from shoal.certify.equivalence_classes import class_ids
from shoal.certify.files import is_plain
from shoal.certify.hierarchies import read_rows
from shoal.certify.proved import wrong_with
from shoal.certify.released_columns import sort_columns
from shoal.certify.signature import new_key, sign
from shoal.errors import ParameterError
from shoal.policy import Policy
from tests.certify import releases
from tests.certify.test_areas_read import box, places, regions

SENSITIVE = {"s": {"role": "sensitive"}}


def test_every_column_of_areas_is_checked():
    columns = {
        "gone": {"role": "quasi", "longitude": "far"},
        "far": {"role": "quasi"},
        "a": {"role": "quasi", "longitude": "b"},
        "b": {"role": "quasi"},
        "c": {"role": "quasi", "longitude": "d"},
        "d": {"role": "quasi"},
    }
    policy = Policy.parse({"k": 2, "columns": columns | SENSITIVE})
    frame = pl.DataFrame({name: ["x"] for name in "abcd"})
    assert [one.column for one in check_areas(frame, policy)] == ["a", "c"]


@pytest.mark.parametrize("small", [box(1, 2, -175, -170), box(0, 1, 170, -175), box(0, 1, -180, -170)])
def test_a_common_side_beyond_the_date_line_is_inside(small):
    assert places([box(0, 2, 170, -170), small]) == []


def test_braces_stand_on_both_sides_of_a_set(tmp_path):
    (tmp_path / "m.csv").write_text("x,y\na,ab\nb,ab\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "m.csv")
    edges = {"edges": str(tmp_path / "link.csv")}
    assert regions(["a", "{a, ab}"], edges) == []
    assert [one[4] for one in regions(["{ab", "ab}"], edges)] == [2]
    assert map_file("aZ0") == "aZ0.map.csv"


def test_a_region_without_neighbors_has_none(tmp_path):
    (tmp_path / "m.gal").write_text("0 1 map id\nnorth 0\n")
    strange = "X" * 4  # the text that a mutation puts in the place of an empty one
    cells = ["north", strange, f"{{north, {strange}}}"]
    assert [one[4] for one in regions(cells, {"gal": str(tmp_path / "m.gal")})] == [2]


def test_polygons_whose_boxes_overlap_are_not_neighbors_for_that(tmp_path):
    low, high = [[0, 0], [4, 0], [0, 4], [0, 0]], [[4, 4], [4, 1], [1, 4], [4, 4]]
    features = [
        {"type": "Feature", "id": name, "geometry": {"type": "Polygon", "coordinates": [ring]}}
        for name, ring in (("low", low), ("high", high))
    ]
    (tmp_path / "m.json").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    map_ = {"polygons": str(tmp_path / "m.json"), "contiguity": "queen"}
    assert [one[4] for one in regions(["{low, high}", "low"], map_)] == [1]


def test_what_leaving_out_bought_is_read_back(tmp_path):
    certificate = releases.written(tmp_path, releases.release(), releases.policy())[1]
    told = replace(certificate, left_out=({"share": 0.5},))
    assert Certificate.from_json(told.to_private_json()).left_out == ({"share": 0.5},)


@pytest.mark.parametrize(
    ("names", "form", "quasi", "failed"),
    [
        (["lat", "lon", "lat_radius_m", "s"], "generalize", ("lat", "lat_radius_m", "lon"), []),
        (["lat", "lon", "s"], "generalize", ("lat", "lon"), ["lat_radius_m"]),
        (["lat", "lon", "lat_radius_m", "s"], "suppress", ("lat", "lon"), ["lat_radius_m"]),
        (["lat", "lon", "people", "radius", "s"], "centers", ("lat", "lon"), []),
        (["lat", "lon", "lat_radius_m", "radius", "s"], "generalize", ("lat", "lat_radius_m", "lon"), ["radius"]),
    ],
)
def test_circles_have_a_radius_and_centers_another(names, form, quasi, failed):
    columns = {"lat": {"role": "quasi", "longitude": "lon", "shape": "circle"}, "lon": {"role": "quasi"}} | SENSITIVE
    found = sort_columns(names, Policy.parse({"k": 2, "columns": columns}), form, 3)
    assert found.quasi == quasi
    assert [one.column for one in found.failures] == failed


def test_centers_have_no_person_column():
    _, policy = releases.with_people()
    found = sort_columns(["age", "person", "people", "diagnosis"], policy, "centers", 3)
    assert found.person is None
    assert [one.column for one in found.failures] == ["person"]


def test_without_quasi_identifiers_all_rows_are_one_class():
    assert class_ids(pl.DataFrame(), 3).tolist() == [0, 0, 0]
    assert class_ids(pl.DataFrame({"a": ["x", "y", "x", None]}), 4).tolist() == [0, 1, 0, 2]


def test_plain_names_may_have_any_letter():
    assert is_plain("aXz")


def test_the_first_line_of_a_hierarchy_tells_its_separator(tmp_path):
    (tmp_path / "h.csv").write_text("a;b\nc,d,e,f;x\ng;y\n")
    assert read_rows("s", tmp_path / "h.csv") == [["a", "b"], ["c,d,e,f", "x"], ["g", "y"]]
    (tmp_path / "h.csv").write_text(f"{'x' * 140_000};b\n")
    with pytest.raises(ParameterError, match="no table with one line per value"):
        read_rows("s", tmp_path / "h.csv")


def test_the_longest_cell_of_a_hierarchy_is_no_matter_of_what_else_runs_in_the_process(tmp_path):
    (tmp_path / "h.csv").write_text(f"{'x' * 131_072};b\n")
    assert len(read_rows("s", tmp_path / "h.csv")[0][0]) == 131_072
    (tmp_path / "h.csv").write_text(f"{'x' * 131_073};b\n")
    usual = csv.field_size_limit(2**31 - 1)  # as some libraries do when they are imported
    try:
        with pytest.raises(ParameterError, match="no table with one line per value"):
            read_rows("s", tmp_path / "h.csv")
    finally:
        csv.field_size_limit(usual)


def test_every_note_on_a_column_is_looked_at():
    shown = pa.table({"a": pa.array(["x"])})
    for first in ({b"PARQUET:field_id": b"1"}, {b"_PL_CATEGORICAL2": b"0;0;u8;"}):
        field = pa.field("a", pa.string(), metadata=first | {b"who": b"Anna"})
        assert list(hidden._schema(pa.schema([field]), shown)) == ["notes in the metadata of a column"]
    assert hidden._categories(b"1;\xff") == {"\ufffd"}


def test_lists_of_values_are_looked_at_in_every_chunk():
    def chunk(codes: list[int], texts: list[str]) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(texts))

    good, bad = chunk([0, 1], ["a", "b"]), chunk([0], ["a", "Anna"])
    for chunks in ([good, bad], [bad, good]):
        table = pa.table({"x": pa.chunked_array(chunks)})
        assert list(hidden._unused(table)) == ["a list of values that no row has"]
    assert list(hidden._unused(pa.table({"x": pa.chunked_array([good, chunk([0], ["c"])])}))) == []


def test_bytes_under_missing_cells_of_one_byte_are_looked_at():
    small = pa.Array.from_buffers(pa.uint8(), 2, [pa.py_buffer(b"\x02"), pa.py_buffer(b"\x4d\x01")])
    assert small.to_pylist() == [None, 1]
    assert not hidden._only_shown(small)
    assert hidden._only_shown(pa.array([None, None], type=pa.int64()))
    assert not hidden._only_shown(pa.array([b"Anna", b"x"], type=pa.binary())[1:])
    assert not hidden._only_shown(pa.array([b"Anna", b"x"], type=pa.large_binary())[1:])
    short = pa.array(["a text that is long enough", "twelve bytes"], type=pa.string_view())
    assert not hidden._only_shown(short[1:])


@pytest.mark.parametrize(("k", "ratio"), [(2, 3), (3, 5), (4, 7), (5, 10), (6, 13)])
def test_the_ratio_of_forests_depends_on_k(k, ratio):
    assert wrong_with("forest", "generalization", "FOREST-1", Fraction(ratio), k) is None
    assert wrong_with("forest", "generalization", "FOREST-1", Fraction(ratio + 1), k) is not None


def test_the_best_of_its_kind_has_no_ratio():
    told = "names a theorem that does not speak of its method, or another ratio"
    assert wrong_with("full-domain", "full-domain ncp", "LATTICE-1", Fraction(1), 2) == told
    assert wrong_with("datafly", "full-domain ncp", "LATTICE-1", None, 2) == told
    assert wrong_with("full-domain", "full-domain ncp", "LATTICE-1", None, 2) is None


def test_a_key_may_be_named_by_a_link(tmp_path):
    new_key(tmp_path / "a.key")
    (tmp_path / "link").symlink_to(tmp_path / "a.key")
    assert sign(b"", tmp_path / "link") == sign(b"", tmp_path / "a.key")
