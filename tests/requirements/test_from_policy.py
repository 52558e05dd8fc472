"""From policy and table to requirements: nulls, bins, orders, and what is refused at once."""

from __future__ import annotations

import polars as pl
import pytest

from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.policy import Policy
from shoal.requirements import KAnonymity, LDiversity, TCloseness, build, count, records_of


def policy(k: int = 2, **sensitive: object) -> Policy:
    columns = {"q": {"role": "quasi"}, "s": {"role": "sensitive", **sensitive}}
    return Policy.parse({"k": k, "columns": columns})


def frame(values: list[object], **others: list[object]) -> pl.DataFrame:
    return pl.DataFrame({"q": list(range(len(values))), "s": values, **others}, strict=False)


def test_the_policy_becomes_requirements():
    wanted = policy(3, diversity={"l": 2, "kind": "entropy"}, closeness={"t": 0.3})
    requirements, records = build(wanted, frame(["a", "b", "a", "b"]))
    assert requirements == [KAnonymity(3), LDiversity("s", 2, "entropy"), TCloseness("s", 0.3)]
    assert records.n_rows == 4
    assert records.people is None


def test_null_has_a_code_of_its_own_that_is_known_as_missing():
    found = records_of(policy(), frame(["b", None, "a", None]))
    assert found.sensitive["s"].tolist() == [1, 2, 0, 2]
    assert found.missing == {"s": 2}
    assert records_of(policy(), frame([None, None])).missing == {"s": 0}
    assert records_of(policy(), frame(["b", "a"])).missing == {}
    assert records_of(policy(), frame(["b", " ", "nan"])).missing == {"s": 1}


def test_rows_without_a_person_are_one_person():
    wanted = Policy.parse({"columns": {"q": {"role": "quasi"}, "p": {"role": "person"}}})
    records = records_of(wanted, pl.DataFrame({"q": [1, 2, 3], "p": ["x", None, None]}))
    assert records.n_people == 2


def test_bins_are_counted_instead_of_values():
    wanted = policy(bins=[10.0, 20.0])
    assert records_of(wanted, frame([5, 10, 19.5, 20, None, 99])).sensitive["s"].tolist() == [0, 1, 1, 2, 3, 2]
    with pytest.raises(SchemaError, match="bins need a column of numbers"):
        records_of(wanted, frame(["a", "b"]))


def test_an_order_ranks_labels_and_must_be_complete():
    ordered = {"closeness": {"t": 0.2, "distance": "ordered"}}
    wanted = policy(order=["low", "mid", "high"], **ordered)
    assert records_of(wanted, frame(["high", "low", None, "mid"])).sensitive["s"].tolist() == [2, 0, 3, 1]
    with pytest.raises(SchemaError, match="does not list the values of 2 rows"):
        records_of(wanted, frame(["high", "secret", "secret"]))
    with pytest.raises(ParameterError, match="needs an order"):
        records_of(policy(**ordered), frame(["high", "low"]))


def test_a_hierarchy_gives_codes_in_depth_first_order(tmp_path):
    file = tmp_path / "h.csv"
    file.write_text("flu;lung;*\ncancer;other;*\nasthma;lung;*\n")
    wanted = policy(hierarchy=str(file), closeness={"t": 0.5, "distance": "hierarchical"})
    records = records_of(wanted, frame(["flu", "cancer", None, "asthma"]))
    assert records.ancestors["s"].missing
    levels = records.ancestors["s"].nodes
    codes = records.sensitive["s"]
    assert levels.shape[0] == 2
    assert levels[1][codes[0]] == levels[1][codes[3]]
    assert len({int(levels[1][codes[i]]) for i in (0, 1, 2)}) == 3
    assert (levels[1][1:] >= levels[1][:-1]).all()
    with pytest.raises(ParameterError, match="needs a hierarchy"):
        records_of(policy(closeness={"t": 0.5, "distance": "hierarchical"}), frame(["flu"]))


def test_too_few_rows_and_too_few_people_are_refused():
    with pytest.raises(InfeasibleError, match="k=5 needs at least 5 rows; the table has 3"):
        build(policy(5), frame(["a", "b", "c"]))
    wanted = Policy.parse({"k": 3, "columns": {"q": {"role": "quasi"}, "p": {"role": "person"}}})
    with pytest.raises(InfeasibleError, match="3 different people; the person column has 2"):
        build(wanted, pl.DataFrame({"q": [1, 2, 3, 4], "p": ["x", "x", "y", "y"]}))
    with pytest.raises(InfeasibleError, match="has 1") as alone:
        build(wanted, pl.DataFrame({"q": [1, 2, 3, 4], "p": ["x"] * 4}))
    assert "lower k" not in str(alone.value)  # k is 2 or more


@pytest.mark.parametrize(
    ("diversity", "largest"),
    [
        ({"l": 4}, "3"),
        ({"l": 3, "kind": "frequency"}, "2"),
        ({"l": 3, "kind": "entropy"}, "2.82"),
        ({"l": 3, "kind": "recursive", "c": 2.0}, "2"),
    ],
)
def test_an_l_that_even_one_group_misses_is_refused_with_the_largest_that_it_meets(diversity, largest):
    with pytest.raises(InfeasibleError, match=f"column s.*reaches l={largest}") as refused:
        build(policy(diversity=diversity), frame(["secret"] * 4 + ["b"] * 2 + ["c"] * 2))
    assert refused.value.exit_code == 3
    assert "lower l of s to" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_t_is_always_feasible():
    requirements, records = build(policy(closeness={"t": 0.0}), frame(["a", "b", "b"]))
    assert requirements[1].holds(count([0, 0, 0], records)).all()


@pytest.mark.parametrize(("source", "needs"), [({"periods": ["month"]}, "dates"), ({"widths": [2]}, "numbers")])
@pytest.mark.parametrize("cells", [["flu", "cold"], [True, False]])
def test_a_hierarchy_of_numbers_or_dates_over_other_cells_is_refused_in_one_sentence(source, needs, cells):
    wanted = policy(hierarchy=source, closeness={"t": 0.5, "distance": "hierarchical"})
    with pytest.raises(SchemaError, match=f"needs {needs}, but its cells are not {needs}"):
        records_of(wanted, frame(cells))
