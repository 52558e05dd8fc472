"""What of a policy is published: every setting that a reader needs to check a release, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from shoal.certify.public_policy import as_certified, files_beside, public_part, read_policy
from shoal.policy import Policy

QUASI, SENSITIVE, OTHER = ({"role": role} for role in ("quasi", "sensitive", "other"))


NAMED_MONTHS = {"format": "%d. %b %y", "language": "de", "first_year": 1930}


def asked(columns: dict[str, Any], **settings: Any) -> Policy:
    return Policy.parse({"k": 2, "columns": columns} | settings)


def public(columns: dict[str, Any], **settings: Any) -> dict[str, Any]:
    """The public part, which is plain JSON and is read back as it was written."""
    found = public_part(asked(columns, **settings), "generalize")
    assert json.loads(json.dumps(found)) == found
    assert read_policy(found, "generalize") is not None
    return found


def column(settings: dict[str, Any], **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = public({"q": settings, "r": QUASI}, **more)["columns"]["q"]
    return found


def test_every_requirement_of_a_policy_is_published() -> None:
    settings: dict[str, Any] = {
        "max_groups": 7,
        "ranges": "columns",
        "keys": {"by": {"columns": ["q"], "k": 3}},
        "diversity": {"l": 2},
        "closeness": {"t": 0.5},
        "disclosure": {"alpha": 0.5},
    }
    columns = {"q": QUASI, "s": SENSITIVE}
    assert public(columns, **settings, seed=5) == {
        "k": 2,
        "publication": "generalize",
        "max_groups": 7,
        "ranges": "columns",
        "keys": {"by": {"columns": ["q"], "k": 3}},
        "diversity": {"l": 2.0},
        "closeness": {"t": 0.5},
        "disclosure": {"alpha": 0.5},
        "columns": {"q": {"role": "quasi"}, "s": {"role": "sensitive"}},
    }
    assert public(columns) == {
        "k": 2,
        "publication": "generalize",
        "columns": {"q": {"role": "quasi"}, "s": {"role": "sensitive"}},
    }
    assert public(columns, synthetic="marginals")["synthetic"] == "marginals"


def test_the_encoding_of_the_file_and_the_descriptions_are_published() -> None:
    metadata = {"formats": ["croissant"], "title": "T", "issued": "2020-01-02"}
    found = public({"q": QUASI}, metadata=metadata, source={"encoding": "cp1252"})
    assert found["metadata"] == {"formats": ["croissant"], "title": "T", "issued": "2020-01-02"}
    assert found["source"] == {"encoding": "cp1252"}
    assert "metadata" not in public({"q": QUASI}, metadata={"title": "T"})


@pytest.mark.parametrize("encoding", ["utf-7", "punycode", "rot13", "utf-8"])
def test_an_encoding_that_no_release_is_written_in_is_refused(encoding: str) -> None:
    found = public({"q": QUASI}) | {"source": {"encoding": encoding}}
    assert read_policy(found, "generalize") is None


@pytest.mark.parametrize(
    ("settings", "published"),
    [
        (QUASI | {"diversity": {"l": 2}}, {"diversity": {"l": 2.0}}),
        (QUASI | {"order": ["x", "y"]}, {}),
        (QUASI | {"weight": 2}, {}),
        (QUASI | {"hierarchy": "f/h.csv"}, {}),
        (
            QUASI | {"hierarchy": "f/h.csv", "diversity": {"l": 2}},
            {"diversity": {"l": 2.0}, "hierarchy": {"file": "h.csv"}},
        ),
        (
            QUASI | {"hierarchy": {"widths": [5, 10]}, "diversity": {"l": 2}},
            {"diversity": {"l": 2.0}, "hierarchy": {"widths": [5.0, 10.0]}},
        ),
        (QUASI | {"classes": 3}, {"classes": 3}),
        (QUASI | {"round_ranges": 10}, {"round_ranges": 10.0}),
        (QUASI | {"top": 90, "bottom": 10, "round": 5}, {"top": 90.0, "bottom": 10.0, "round": 5.0}),
        (QUASI | NAMED_MONTHS, NAMED_MONTHS),
        (QUASI | {"number": {"decimal": ","}}, {"number": {"decimal": ","}}),
        (QUASI | {"relative_to": "month"}, {"relative_to": "month"}),
        (QUASI | {"relative_to": "month", "origin": "2020-01-01"}, {"relative_to": "month", "origin": "2020-01-01"}),
        (SENSITIVE | {"order": ["x", "y"]}, {"order": ["x", "y"]}),
        (SENSITIVE | {"bins": [1, 2]}, {"bins": [1.0, 2.0]}),
        (SENSITIVE | {"diversity": {"l": 2, "kind": "entropy"}}, {"diversity": {"kind": "entropy", "l": 2.0}}),
        (SENSITIVE | {"closeness": {"t": 0.5}}, {"closeness": {"t": 0.5}}),
        (SENSITIVE | {"disclosure": {"beta": 2}}, {"disclosure": {"beta": 2.0}}),
        (SENSITIVE | {"hierarchy": "f/h.csv"}, {}),
        (
            SENSITIVE | {"hierarchy": "f/h.csv", "closeness": {"t": 0.5, "distance": "hierarchical"}},
            {"hierarchy": {"file": "h.csv"}, "closeness": {"distance": "hierarchical", "t": 0.5}},
        ),
        ({"role": "person", "consistent": True, "pseudonym": True}, {"consistent": True, "pseudonym": True}),
        ({"role": "person", "consistent": True}, {"consistent": True}),
        (OTHER | {"merge": {"x": ["rare", "rarer"]}}, {"merge": {"x": 2}}),
        (OTHER | {"perturb": {"method": "pram", "keep": 0.7}}, {"perturb": {"method": "pram", "keep": 0.7}}),
    ],
)  # fmt: skip
def test_of_a_column_what_a_reader_needs_is_published(settings: dict[str, Any], published: dict[str, Any]) -> None:
    found = column(settings)
    assert found == {"role": settings["role"]} | published


def test_a_number_of_merged_values_stays_that_number() -> None:
    found = public({"q": QUASI | {"merge": {"x": ["rare", "rarer"]}}})
    again = read_policy(found, "generalize")
    assert again is not None
    assert public_part(again, "generalize") == found


def test_the_order_of_a_quasi_identifier_is_published_beside_synthetic_rows() -> None:
    assert column(QUASI | {"order": ["x", "y"]}, synthetic="marginals") == QUASI | {"order": ["x", "y"]}


def test_sets_are_published_with_their_separator_and_how_many_items_are_known() -> None:
    found = public({"q": QUASI | {"kind": "set"}, "r": QUASI}, m=3)
    assert (found["m"], found["columns"]["q"]) == (3, QUASI | {"kind": "set"})
    other = public({"q": QUASI | {"kind": "set", "separator": "|"}, "r": QUASI})
    assert other["m"] == asked({"q": QUASI | {"kind": "set"}, "r": QUASI}).known_items
    assert other["columns"]["q"] == QUASI | {"kind": "set", "separator": "|"}


def test_groups_of_noise_are_numbered_in_the_order_of_their_columns() -> None:
    def noise(group: str | None) -> dict[str, Any]:
        asked = {"method": "noise", "spread": 0.4}
        return OTHER | {"perturb": asked | ({} if group is None else {"group": group})}

    columns = {
        "q": QUASI,
        "a": noise(None),
        "b": noise("zz"),
        "c": noise("secret"),
        "d": noise("zz"),
        "e": noise("secret"),
    }
    found = public(columns)["columns"]
    assert [found[name]["perturb"].get("group") for name in "abcde"] == [None, "1", "2", "1", "2"]
    assert found["a"]["perturb"] == {"method": "noise", "spread": 0.4}


def test_maps_are_published_under_a_name_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("a,b\nb,c\n")
    found = column(QUASI | {"map": {"edges": str(tmp_path / "m.csv")}})
    assert set(found) == {"role", "map"}
    assert set(found["map"]) == {"edges"}
    assert "/" not in found["map"]["edges"]


def test_the_files_beside_a_release_are_its_legend_maps_hierarchies_and_descriptions() -> None:
    by_tree = {"hierarchy": "f/h.csv", "closeness": {"t": 0.5, "distance": "hierarchical"}}
    policy = asked(
        {"q": QUASI | {"classes": 3}, "s": SENSITIVE | by_tree, "t": SENSITIVE | by_tree},
        metadata={"formats": ["croissant", "ddi"]},
    )
    assert files_beside(policy) == ["legend.json", "h.csv", "croissant.json", "ddi.xml"]
    assert files_beside(asked({"q": QUASI})) == []
    assert files_beside(asked({"q": QUASI}, metadata={"title": "T"})) == []


def test_a_distance_that_is_not_stated_is_the_equal_one() -> None:
    columns = {"q": QUASI, "s": SENSITIVE | {"closeness": {"t": 0.5}}, "u": SENSITIVE}
    found = as_certified(asked(columns, closeness={"t": 0.25}))
    own, whole = found.columns["s"].closeness, found.closeness
    assert own is not None
    assert whole is not None
    assert (own.distance, own.t, whole.distance, whole.t) == ("equal", 0.5, "equal", 0.25)
    assert found.columns["u"].closeness is None
    stated = as_certified(asked(columns, closeness={"t": 0.25, "distance": "ordered"}))
    assert stated.closeness is not None
    assert stated.closeness.distance == "ordered"


@pytest.mark.parametrize("file", ["release.csv", "certificate.json", "legend.json", "certificate.sig", ".h.csv"])
def test_a_hierarchy_may_not_be_called_as_another_file_of_a_release(file: str) -> None:
    by_tree = {"hierarchy": {"file": "h.csv"}, "closeness": {"t": 0.5, "distance": "hierarchical"}}
    found = public({"q": QUASI, "s": SENSITIVE | by_tree})
    found["columns"]["s"]["hierarchy"]["file"] = file
    assert read_policy(found, "generalize") is None


def test_what_is_written_otherwise_than_shoal_writes_it_is_refused() -> None:
    found = public({"q": QUASI, "s": SENSITIVE}, diversity={"l": 2})
    for change in ({"k": 2.0}, {"k": True}, {"seed": 1}, {"publication": "centers"}, {"ranges": "brackets"}):
        assert read_policy(found | change, "generalize") is None
    assert read_policy([], "generalize") is None
    assert read_policy(None, "generalize") is None
