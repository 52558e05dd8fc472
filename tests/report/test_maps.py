"""Pictures of maps: every region drawn in the color of its group, rectangles over places, no network."""

from __future__ import annotations

import re

import networkx as nx
import numpy as np
import polars as pl
import pytest

import shoal
from shoal.report.charts import AreaMap, area_map
from shoal.report.charts.maps import COLORS, different_colors


def squares(*, names=("a", "b"), **changes):
    corners = [np.array([(x, 0), (x + 1, 0), (x + 1, 1), (x, 1), (x, 0)], dtype=float) for x in range(3)]
    given = {
        "column": "ward",
        "names": names,
        "people": (7, 9),
        "sizes": (2, 1),
        "unit": "region",
        "colors": (0, 1),
        "class_of": (0, 0, 1),
        "outlines": tuple((corner,) for corner in corners),
    }
    return AreaMap(**(given | changes))


def test_every_region_has_an_outline_in_the_color_of_its_group():
    svg = str(area_map(squares()).svg)
    assert svg.count("<path") == 3
    assert svg.count('class="area0"') == 2
    assert svg.count('class="area1"') == 1
    assert "a: 7 people" in svg


def test_regions_without_outlines_are_dots_with_lines_between_neighbors():
    dots = np.array([(0, 0), (1, 0), (1, 1)], dtype=float)
    chart = area_map(squares(outlines=(), dots=dots, lines=((0, 1), (1, 2)), laid_out=True))
    assert str(chart.svg).count("<circle") == 3
    assert "placed by their neighbors alone" in chart.note


def test_rectangles_are_drawn_over_their_places():
    boxes = np.array([(0, 1, 0, 2), (1, 3, 0, 2)], dtype=float)
    chart = area_map(squares(outlines=(), class_of=(), boxes=boxes, dots=np.array([(0.5, 1), (2, 1)]), unit="place"))
    drawn = re.findall(r'width="([\d.]+)" height="([\d.]+)"', str(chart.svg))
    assert len(drawn) == 2
    assert float(drawn[1][0]) == pytest.approx(2 * float(drawn[0][0]), abs=0.2)  # written with one decimal
    assert "place" in chart.label


def test_names_of_regions_are_escaped():
    assert "<script>" not in str(area_map(squares(names=("<script>", "b"))).svg)


def test_neighboring_classes_have_different_colors():
    graph = nx.convert_node_labels_to_integers(nx.triangular_lattice_graph(6, 8))
    colors = different_colors([set(graph[vertex]) for vertex in range(len(graph))])
    assert all(colors[a] != colors[b] for a, b in graph.edges)
    assert set(colors) <= set(range(COLORS))


def test_the_report_of_a_release_has_its_maps_and_the_sizes_of_their_classes(tmp_path):
    path = tmp_path / "neighbors.csv"
    path.write_text("one,other\n" + "".join(f"R{i},R{i + 1}\n" for i in range(9)))
    rng = np.random.default_rng(0)
    table = pl.DataFrame(
        {
            "region": [f"R{i}" for i in rng.integers(0, 10, 90)],
            "lat": (-17 + rng.random(90)).round(3),
            "lon": np.where(rng.random(90) < 0.5, 179.5, -179.5) + rng.random(90).round(3) * 0.4,
        }
    )
    columns = {
        "region": {"role": "quasi", "map": {"edges": path}},
        "lat": {"role": "quasi", "longitude": "lon"},
        "lon": {"role": "quasi", "kind": "place"},
    }
    release = shoal.anonymize(table, {"k": 9, "seed": 1, "columns": columns})
    page = release.to_html()
    for title in ("Map of region", "Map of lat, lon", "Classes of region", "Classes of lat, lon"):
        assert title in page
    assert 'src="http' not in page
    assert "url(http" not in page
    places = next(drawn for drawn in release.maps if drawn.unit == "place")
    assert np.ptp(places.boxes[:, :2]) < 3  # both sides of the date line, one beside the other
