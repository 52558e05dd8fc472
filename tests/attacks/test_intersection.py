"""Several releases held against each other: by hand, one release keeps its promise, two made apart do not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.policy import Policy
from tests.attacks.intersection import intersect
from tests.attacks.reading import Seen, leaves_of_file
from tests.attacks.tables import ROLES, people

POLICY = Policy.parse(
    {
        "k": 2,
        "columns": {
            "age": {"role": "quasi", "kind": "number"},
            "sex": {"role": "quasi", "kind": "label"},
            "ill": {"role": "sensitive"},
        },
    }
)
ROSTER = pl.DataFrame({"age": [20, 25, 30, 35], "sex": ["f", "f", "m", "f"]})


def frame(*rows: tuple[str, str, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["age", "sex", "ill"], orient="row")


FIRST = frame(
    ("[20, 25]", "f", "flu"),
    ("[20, 25]", "f", "hiv"),
    ("[30, 35]", "{f, m}", "flu"),
    ("[30, 35]", "{f, m}", "gout"),
)
SECOND = frame(
    ("[20, 30]", "{f, m}", "hiv"),
    ("[20, 30]", "{f, m}", "flu"),
    ("[25, 35]", "f", "flu"),
    ("[25, 35]", "f", "gout"),
)


def test_one_release_leaves_whole_classes():
    found = intersect([Seen(FIRST, POLICY)], ROSTER)
    assert (found.people.tolist(), found.rows.tolist()) == ([2, 2, 2, 2], [2, 2, 2, 2])
    assert found.values["ill"] == [frozenset({"flu", "hiv"})] * 2 + [frozenset({"flu", "gout"})] * 2


def test_two_releases_leave_what_both_allow():
    found = intersect([Seen(FIRST, POLICY), Seen(SECOND, POLICY)], ROSTER)
    # 25 fits both classes of the second; 30 and 35 share a class of the first and none of the second.
    assert found.people.tolist() == [2, 2, 1, 1]
    assert found.rows.tolist() == [2, 2, 1, 2]
    assert found.values["ill"] == [{"flu", "hiv"}, {"flu", "hiv"}, {"flu"}, {"flu", "gout"}]
    assert (found.below(2), found.certain("ill"), found.fewest_values("ill")) == (0.5, 1, 1)


def test_who_is_in_one_release_only_is_told_from_who_is_in_both():
    # 35 was not there yet; of 30 it is known that she was, so the two cannot be one another.
    here = [np.array([True, True, True, False]), np.ones(4, dtype=bool)]
    found = intersect([Seen(FIRST, POLICY), Seen(SECOND, POLICY)], ROSTER, here)
    assert found.people.tolist() == [2, 2, 1, 1]
    assert found.values["ill"][3] == {"flu", "gout"}


def test_whom_no_class_fits_was_left_out():
    found = intersect([Seen(FIRST, POLICY)], pl.DataFrame({"age": [90], "sex": ["f"]}))
    assert (found.attacked.tolist(), found.people.tolist(), found.rows.tolist()) == ([False], [0], [0])


def test_every_kind_of_cell_is_read():
    columns = {
        "a": {"role": "quasi", "kind": "number"},
        "d": {"role": "quasi", "kind": "date"},
        "o": {"role": "quasi", "kind": "ordered", "order": ["low", "mid", "high"]},
        "z": {"role": "quasi", "kind": "label"},
        "j": {"role": "quasi", "kind": "label"},
    }
    roster = pl.DataFrame(
        {
            "a": [1.5, 7.0, None],
            "d": ["2020-01-31", "2020-02-01", None],
            "o": ["low", "mid", "high"],
            "z": ["12345", "12999", None],
            "j": ["nurse", "clerk", None],
        }
    ).with_columns(pl.col("d").str.to_date())
    rows = {
        "a": ["[1, 2]", "[0, 7)", "*", "7", None, "7.0"],
        "d": ["[2020-01-01, 2020-01-31]", "2020-02-01", "*", "[2020-01-31, 2020-02-01]", None, "*"],
        "o": ["[low, mid]", "mid", "*", "[mid, high]", "high", "{low, high}"],
        "z": ["12***", "123**", "*", "{12345} or missing", None, '{"12999", 12345}'],
        "j": ["health", "{health, clerk}", "*", "clerk", None, "{clerk} or missing"],
    }
    policy = Policy.parse({"k": 2, "columns": columns})
    seen = Seen(
        pl.DataFrame(rows), policy, {"j": leaves_of_file("nurse,health,any\nsurgeon,health,any\nclerk,o,any\n")}
    )
    said = {name: seen.classes().fitting(roster, [name]).T.astype(int).tolist() for name in columns}
    assert said["a"] == [[1, 0, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [0, 0, 1], [0, 1, 0]]
    assert said["d"] == [[1, 0, 0], [0, 1, 0], [1, 1, 1], [1, 1, 0], [0, 0, 1], [1, 1, 1]]
    assert said["o"] == [[1, 1, 0], [0, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1], [1, 0, 1]]
    assert said["z"] == [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 0, 1], [0, 0, 1], [1, 1, 0]]
    assert said["j"] == [[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 0], [0, 0, 1], [0, 1, 1]]


FORMS = [
    ("best", "generalize"), ("mdav", "aggregate"), ("mondrian", "generalize"), ("forest", "suppress"),
    ("gather", "centers"),
]  # fmt: skip


def released(table: pl.DataFrame, method: str, form: str, k: int = 5, **more: object) -> Seen:
    release = shoal.anonymize(table, method=method, publication=form, k=k, effort=1, **ROLES, **more)
    return Seen(release.table, release.policy)


@pytest.mark.parametrize(("method", "form"), FORMS, ids=lambda one: one)
def test_one_release_keeps_everybody_among_k(method, form):
    table = people(150, seed=3, missing=0.02)
    found = intersect([released(table, method, form)], table)
    assert found.candidates[found.attacked].min() >= 5
    assert found.attacked.all()


@pytest.mark.parametrize(("method", "form"), [("mdav", "generalize"), ("mdav", "aggregate")], ids=lambda one: one)
def test_a_release_with_a_group_too_small_is_found_out(method, form):
    """Of the first class four rows are left where five were promised: the attacker sees it."""
    table = people(150, seed=3)
    seen = released(table, method, form)
    first = seen.classes().of_row == 0
    weak = Seen(seen.frame.filter(pl.Series(~first | (np.cumsum(first) <= 4))), seen.policy)
    found = intersect([weak], table)
    assert found.candidates[found.attacked].min() == 4


def test_two_releases_made_apart_leave_fewer_than_k():
    """Nothing is promised of two releases: the guide says so, and this is what happens."""
    table = people(400, seed=5)
    first, second = table.head(350), table.tail(350)
    releases = [released(first, "mdav", "generalize"), released(second, "mdav", "generalize")]
    here = [np.arange(400) < 350, np.arange(400) >= 50]
    found = intersect(releases, table, here)
    both = here[0] & here[1]
    assert (found.candidates[both] < 5).mean() > 0.1
    assert (found.candidates[both] >= 1).all()
    truth = table["illness"].to_list()
    assert all(truth[one] in found.values["illness"][one] for one in np.flatnonzero(both))
