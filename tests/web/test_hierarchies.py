"""Hierarchies written by hand, maps and places: what is chosen is released, and shown with what it leaves."""

from __future__ import annotations

import html
import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.errors import ParameterError
from shoal.web.forms import naming_property
from shoal.web.hand_made import as_csv, rows_by_hand
from shoal.web.open_table import OpenTable
from tests.web.steward import Steward, words

WARDS = ["N1", "N2", "N3", "S1", "S2", "S;3"]
NEIGHBORS = "ward,beside\nN1,N2\nN2,N3\nN3,S;3\nS;3,S2\nS2,S1\nS1,N1\n"
VISITS = "ward,lat,lon,illness\n" + "".join(
    f"{WARDS[row % 6 if row % 5 else 0]},{47 + row % 7 / 10:.1f},{8 + row % 11 / 10:.1f},{('flu', 'cold')[row % 2]}\n"
    for row in range(90)
)


@pytest.fixture
def visits(steward: Steward) -> Iterator[OpenTable]:
    table = steward.opened(steward.upload("visits.csv", VISITS.encode()))
    assert table.found is not None, table.job.error
    steward.part(f"/t/{table.id}/columns/0", {"role": "quasi", "kind": "label"})
    for place in (1, 2):
        steward.part(f"/t/{table.id}/columns/{place}", {"role": "quasi", "kind": "number"})
    yield table
    steward.desk.close(table)


def listed(steward: Steward, table: OpenTable, more: str = "") -> list[str]:
    page = steward.get(f"/t/{table.id}/columns/0/hand{more}").text
    return [html.unescape(one) for one in re.findall(r'data-one aria-label="([^"]*)"', page)]


def write(steward: Steward, table: OpenTable, groups: dict[str, list[str]]) -> str:
    fields = {
        f"{level}:{at}": groups.get(value, ["", ""])[level]
        for at, value in enumerate(listed(steward, table))
        for level in (0, 1)
    }
    return str(steward.part(f"/t/{table.id}/columns/0/hand", fields).text)


def test_groups_written_by_hand_are_released_and_the_command_makes_them_again(
    steward: Steward, visits: OpenTable, tmp_path: Path
) -> None:
    counts = pl.read_csv(io.BytesIO(VISITS.encode()))["ward"].value_counts()
    assert set(listed(steward, visits)) == set(WARDS)
    groups = {ward: ["north" if ward[0] == "N" else "south", ""] for ward in WARDS} | {"N3": ["", ""]}
    page = write(steward, visits, groups)
    shown = [[int(cell) for cell in re.findall(r"<td>(\d+)</td>", row)] for row in page.split("<tr>")[2:]][:2]
    own = dict(counts.rows())
    north, south = own["N1"] + own["N2"], own["S1"] + own["S2"] + own["S;3"]
    assert shown[0][:3] == [0, 6, min(own.values())]
    assert shown[1][:3] == [1, 3, min(north, south, own["N3"])]
    assert 'value="north"' in steward.get(f"/t/{visits.id}/columns/0/hand").text
    for place in (1, 2):
        steward.part(f"/t/{visits.id}/columns/{place}", {"role": "identifier"})
    steward.answer_all(visits)
    steward.part(f"/t/{visits.id}/privacy", {"k": "8"})
    run = steward.release(visits)
    pairs = pl.read_parquet(run.rows)
    allowed = {ward: {ward, groups[ward][0] or ward, "*"} for ward in WARDS}
    assert all(after in allowed[before] for before, after in pairs.select("before:ward", "after:ward").rows())

    for half in ("public-csv", "private"):
        zipfile.ZipFile(io.BytesIO(steward.get(f"/t/{visits.id}/runs/1/{half}.zip").content)).extractall(tmp_path)
    (tmp_path / "visits.csv").write_text(VISITS)
    report = steward.get(f"/t/{visits.id}/report").text
    steward.post(f"/t/{visits.id}/close")
    assert not any(file.exists() for file in visits.files)
    code = re.search(r"<pre tabindex=\"0\">(import shoal.*?)</pre>", report, re.S)
    command = re.search(r"<pre tabindex=\"0\">(shoal anonymize.*?)</pre>", report, re.S)
    assert code is not None
    assert command is not None
    made = (tmp_path / "release" / "release.csv").read_bytes()
    shell = html.unescape(command[1]).replace("shoal", f"{sys.executable} -m shoal", 1).replace("again", "once-more")
    for way in ([sys.executable, "-c", html.unescape(code[1])], ["sh", "-c", shell]):
        subprocess.run(way, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "again" / "release.csv").read_bytes() == made
    assert (tmp_path / "once-more" / "release.csv").read_bytes() == made


def test_groups_are_proposed_and_what_is_no_hierarchy_changes_nothing(steward: Steward, visits: OpenTable) -> None:
    page = steward.get(f"/t/{visits.id}/columns/0/hand?propose=true").text
    assert re.search(r'name="0:0" value="[^"]', page) or re.search(r'name="0:5" value="[^"]', page)
    before = visits.settings
    assert "no group has a name" in words(write(steward, visits, {}))
    two = {"N1": ["north", "land"], "N2": ["north", "sea"]}
    assert "two different names above" in words(write(steward, visits, two))
    assert "other values now" in words(steward.part(f"/t/{visits.id}/columns/0/hand", {"0:0": "x"}).text)
    assert visits.settings == before
    assert not visits.files
    assert steward.get(f"/t/{visits.id}/columns/99/hand").status_code == 422


def test_undo_and_reading_again_keep_groups_that_were_written(steward: Steward, visits: OpenTable) -> None:
    write(steward, visits, {"N1": ["north", "all"], "N2": ["north", "all"]})
    file = visits.settings["columns"]["ward"]["hierarchy"]["file"]
    steward.post(f"/t/{visits.id}/undo")
    assert "hierarchy" not in visits.settings["columns"]["ward"]
    steward.post(f"/t/{visits.id}/redo")
    steward.part(f"/t/{visits.id}/columns/0", {"role": "quasi", "kind": "hierarchy", "way": "hand", "weight": "2"})
    assert visits.settings["columns"]["ward"]["hierarchy"]["file"] == file
    steward.post(f"/t/{visits.id}/reading", {"separator": ","})
    steward.wait(visits.job)
    assert visits.settings["columns"]["ward"]["hierarchy"]["file"] == file


def test_a_level_is_what_was_written_and_separators_inside_values_are_no_separators() -> None:
    rows = rows_by_hand(["a,b", "c", "d;e"], [["x", ""], ["x", ""], ["", "y"]])
    assert rows == [["a,b", "x", "x"], ["c", "x", "x"], ["d;e", "d;e", "y"]]
    assert as_csv(rows).splitlines()[0] == "a,b|x|x"
    with pytest.raises(ParameterError, match="every character"):
        as_csv([["a,;|\t", "x"], ["b,;|\t", "x"]])


def test_places_and_regions_are_drawn_as_maps(steward: Steward, visits: OpenTable, tmp_path: Path) -> None:
    at = f"/t/{visits.id}"
    (tmp_path / "near.csv").write_text(NEIGHBORS)
    steward.part(f"{at}/columns/0", {"role": "quasi", "kind": "label", "map": str(tmp_path / "near.csv")})
    assert visits.settings["columns"]["ward"]["map"] == {"edges": str(tmp_path / "near.csv")}
    steward.part(f"{at}/columns/1", {"role": "quasi", "kind": "number", "longitude": "2"})
    columns = visits.settings["columns"]
    assert columns["lat"] == {"role": "quasi", "kind": "place", "longitude": "lon"}
    assert columns["lon"] == {"role": "quasi", "kind": "place"}
    steward.answer_all(visits)
    steward.release(visits)
    page = steward.get(f"{at}/result").text
    maps = page[page.index("<h2>Groups") : page.index("<h2>Columns before")]
    assert len(re.findall(r"<figcaption|<figure", maps)) >= 3
    assert "ward" in words(maps)
    assert "lat" in words(maps)
    steward.part(f"{at}/columns/1", {"role": "quasi", "kind": "place", "longitude": ""})
    assert visits.settings["columns"]["lat"]["kind"] == visits.settings["columns"]["lon"]["kind"] == "number"
    answer = steward.part(f"{at}/columns/0", {"role": "quasi", "kind": "region", "map": "/nowhere.geojson"})
    assert "there is no map of this name" in words(answer.text)
    steward.part(f"{at}/columns/0", {"role": "quasi", "kind": "region", "map": ""})
    assert visits.settings["columns"]["ward"]["kind"] == "label"


def test_the_property_that_names_the_polygons_is_filled_in(
    steward: Steward, visits: OpenTable, tmp_path: Path
) -> None:
    at = f"/t/{visits.id}"
    features: list[dict[str, Any]] = []
    for place, name in enumerate(WARDS):
        corners = [[place, 0], [place + 1, 0], [place + 1, 1], [place, 1], [place, 0]]
        drawn = {"type": "Polygon", "coordinates": [corners]}
        features.append({"type": "Feature", "properties": {"NAME": name, "STATE": "X", "n": 3}, "geometry": drawn})
    file = tmp_path / "wards.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    steward.part(f"{at}/columns/0", {"role": "quasi", "kind": "label", "map": str(file)})
    assert visits.settings["columns"]["ward"]["map"] == {"polygons": str(file), "name": "NAME"}
    steward.answer_all(visits)
    steward.release(visits)
    assert "ward" in words(steward.get(f"{at}/result").text)
    for broken in ("[]", "{", '{"features": [{"properties": {"a": 1}}, {}]}', '{"features": [{"id": "a"}]}'):
        file.write_text(broken)
        assert naming_property(file) is None
