"""What perturbation keeps, checked on values before and after: at the limits of rounding, and one step beyond."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.certify import perturbed
from shoal.certify.perturbed import check_perturbed
from shoal.policy import Policy

NOISE: dict[str, Any] = {"method": "noise", "spread": 0.4}
SWAP: dict[str, Any] = {"method": "rank-swap", "window": 0.1}
PRAM: dict[str, Any] = {"method": "pram", "keep": 0.7}


@pytest.fixture(params=[2000, 1], ids=["in fractions", "in floats"], autouse=True)
def how_moments_are_summed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perturbed, "MOST", request.param)


def told(
    before: dict[str, list[Any]], after: dict[str, list[Any]], **asked: dict[str, Any]
) -> list[tuple[str, str | None, str]]:
    columns = {name: {"role": "other", "perturb": perturb} for name, perturb in asked.items()}
    policy = Policy.parse({"k": 2, "columns": {"age": {"role": "quasi"}} | columns})
    found = check_perturbed(pl.DataFrame(before, strict=False), pl.DataFrame(after, strict=False), policy)
    return [(one.check, one.column, one.message.removeprefix("column ")) for one in found]


def fault(name: str, what: str) -> tuple[str, str, str]:
    return "perturbation", name, f"{name}, which is perturbed, {what}"


def pay(before: list[Any], after: list[Any], **more: Any) -> list[str]:
    """What is wrong with one column that has noise."""
    return [
        words.partition("perturbed, ")[2] for _, _, words in told({"pay": before}, {"pay": after}, pay=NOISE | more)
    ]


@pytest.mark.parametrize("asked", [NOISE, SWAP, PRAM])
def test_missing_cells_stay_missing(asked: dict[str, Any]) -> None:
    before: dict[str, list[Any]] = {"pay": [1.0, 2.0, None, 1.0, 2.0]}
    assert told(before, before, pay=asked) == []
    after: dict[str, list[Any]] = {"pay": [1.0, 2.0, 1.0, None, 2.0]}
    assert fault("pay", "has other missing cells than before") in told(before, after, pay=asked)


def test_swapped_values_are_those_that_were_there_each_as_often() -> None:
    words = fault("pay", "does not have the values that it had before")
    assert told({"pay": ["a", "b", "b"]}, {"pay": ["b", "a", "b"]}, pay=SWAP) == []
    assert told({"pay": ["a", "b", "b"]}, {"pay": ["a", "a", "b"]}, pay=SWAP) == [words]
    assert told({"pay": ["a", "b"]}, {"pay": ["a", "c"]}, pay=SWAP) == [words]


def test_replaced_values_are_some_of_those_that_were_there() -> None:
    words = fault("pay", "has values that it did not have before")
    assert told({"pay": ["a", "b", "b"]}, {"pay": ["a", "a", "a"]}, pay=PRAM) == []
    assert told({"pay": ["a", "b", "b"]}, {"pay": ["a", "a", "c"]}, pay=PRAM) == [words]


def test_every_perturbed_column_is_checked_also_after_one_with_noise() -> None:
    before = {"pay": [1.0, 2.0], "job": ["a", "b"], "town": ["x", "y"]}
    after = {"pay": [1.0, 2.0], "job": ["c", "b"], "town": ["x", "x"]}
    assert told(before, after, pay=NOISE, job=PRAM, town=SWAP) == [
        fault("job", "has values that it did not have before"),
        fault("town", "does not have the values that it had before"),
    ]


VARIANCE, MEAN = "does not keep its variance", "does not keep its mean"


@pytest.mark.parametrize(
    ("before", "after", "more", "wrong"),
    [
        ([0.0, 10.0], [0.0, 10.0], {}, []),
        ([0.0, 10.0], [10.0, 0.0], {}, []),
        ([0.0, 10.0], [-2.4e-9, 10 + 2.4e-9], {}, []),
        ([0.0, 10.0], [-2.6e-9, 10 + 2.6e-9], {}, [VARIANCE]),
        ([0.0, 10.0], [2.6e-9, 10 - 2.6e-9], {}, [VARIANCE]),
        ([0.0, 10.0], [4.9e-9, 10 + 4.9e-9], {}, []),
        ([0.0, 10.0], [5.1e-9, 10 + 5.1e-9], {}, [MEAN]),
        ([0.0, 10.0], [-5.1e-9, 10 - 5.1e-9], {}, [MEAN]),
        ([0.0, 10.0], [-1.78, 11.78], {"decimals": 0}, []),  # a variance of 25 may move by 4 * 5.25
        ([0.0, 10.0], [-1.79, 11.79], {"decimals": 0}, [VARIANCE]),
        ([0.0, 10.0], [-0.19, 10.19], {"decimals": 1}, []),
        ([0.0, 10.0], [-0.21, 10.21], {"decimals": 1}, [VARIANCE]),
        ([0.0, 10.0], [0.5, 10.5], {"decimals": 0}, []),
        ([0.0, 10.0], [0.51, 10.51], {"decimals": 0}, [MEAN]),
        ([0.0, 10.0], [0.051, 10.051], {"decimals": 1}, [MEAN]),
        ([1e6, 1e6 + 1], [1e6 - 0.9e-6, 1e6 + 1 + 0.9e-6], {}, []),  # what a float cannot say is not asked for
        ([1e6, 1e6 + 1], [1e6 - 1.2e-6, 1e6 + 1 + 1.2e-6], {}, [VARIANCE]),
        ([-1e6, -1e6 + 1], [-1e6 - 0.9e-6, -1e6 + 1 + 0.9e-6], {}, []),
        ([1e6, 1e6 + 1], [1e6 + 0.9e-6, 1e6 + 1 + 0.9e-6], {}, []),
        ([1e6, 1e6 + 1], [1e6 + 1.2e-6, 1e6 + 1 + 1.2e-6], {}, [MEAN]),
        ([0.0, 10.0, None], [5.0, 15.0, None], {}, [MEAN]),
        ([0.0, 10.0, None], [5.0, 25.0, None], {}, [VARIANCE, MEAN]),
        ([None, None], [None, None], {}, []),
        ([0, 10, 20], [0, 10, 20], {}, []),
    ],
)  # fmt: skip
def test_noise_keeps_mean_and_variance_but_for_rounding(
    before: list[Any], after: list[Any], more: dict[str, Any], wrong: list[str]
) -> None:
    assert pay(before, after, **more) == wrong


@pytest.mark.parametrize(
    ("of_x", "of_y", "kept"),
    [
        (None, None, False),
        (0, None, False),
        (0, 2, False),
        (0, 1, True),
        (1, 0, True),
        (None, 0, True),
        (2, 1, False),
    ],
)
def test_noise_keeps_covariances_in_a_group_but_for_rounding(of_x: int | None, of_y: int | None, kept: bool) -> None:
    """It moves by 1.25, with standard deviations of 5 and 1/2; roundings of 1/2 and 1/20 allow 4 * 0.525."""
    x = [0.0] * 4 + [10.0] * 4
    before = {"x": x, "y": [0.0, 0.0, 1.0, 1.0] * 2, "z": x}
    after = {"x": x, "y": [0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0], "z": x}
    asked = [
        NOISE | {"group": group} | ({} if decimals is None else {"decimals": decimals})
        for decimals, group in ((of_x, "a"), (of_y, "a"), (None, "b"))
    ]
    wrong = told(before, after, x=asked[0], y=asked[1], z=asked[2])
    assert wrong == ([] if kept else [fault("x", "does not keep its covariance with y")])


def test_columns_of_other_groups_or_of_none_keep_no_covariance_with_each_other() -> None:
    before = {"x": [0.0, 0.0, 1.0, 1.0], "y": [0.0, 1.0, 0.0, 1.0]}
    after = {"x": [0.0, 0.0, 1.0, 1.0], "y": [0.0, 0.0, 1.0, 1.0]}
    words = [fault("x", "does not keep its covariance with y")]
    assert told(before, after, x=NOISE, y=NOISE) == []
    assert told(before, after, x=NOISE | {"group": "y"}, y=NOISE) == []
    assert told(before, after, x=NOISE | {"group": "a"}, y=NOISE | {"group": "b"}) == []
    assert told(before, after, x=NOISE | {"group": "a"}, y=NOISE | {"group": "a"}) == words


def test_a_column_without_values_hides_nothing_of_the_others() -> None:
    before: dict[str, list[Any]] = {"x": [None, None], "y": [0.0, 2.0]}
    group = NOISE | {"group": "a"}
    assert told(before, before | {"y": [1.0, 3.0]}, x=group, y=group) == [fault("y", "does not keep its mean")]


@pytest.mark.parametrize("name", ["x", "y"])
def test_other_missing_cells_of_one_column_of_a_group_break_nothing(name: str) -> None:
    full = {"x": [0.0, 0.0, 1.0, 1.0], "y": [0.0, 1.0, 0.0, 1.0]}
    holes: dict[str, list[Any]] = full | {name: [*full[name][:3], None]}
    group = NOISE | {"group": "a"}
    for before, after in ((full, holes), (holes, full)):
        assert fault(name, "has other missing cells than before") in told(before, after, x=group, y=group)


def test_only_rows_with_both_values_count_towards_a_covariance() -> None:
    before = {"x": [0.0, 2.0, None, 4.0], "y": [0.0, 2.0, 5.0, None]}
    group = NOISE | {"group": "a"}
    assert told(before, before, x=group, y=group) == []
    apart: dict[str, list[Any]] = {"x": [0.0, 2.0, None, None], "y": [None, None, 1.0, 2.0]}
    assert told(apart, apart, x=group, y=group) == []


def test_a_covariance_is_allowed_what_a_float_cannot_say() -> None:
    """The larger the numbers, the fewer decimals a float has; each counts by the deviation of the other."""
    group = NOISE | {"group": "a"}
    shift = [0.0, 1.0] * 2
    for low, high in ((0.0, 1e6), (1e6, 0.0), (0.0, 0.0)):
        before = {"x": [low, low, low + 10, low + 10], "y": [high + one for one in shift]}
        allowed = 1e-12 * (max(before["x"]) * 0.5 + max(before["y"]) * 5) + 2.5e-9
        for share, wrong in ((0.8, []), (1.2, [fault("x", "does not keep its covariance with y")])):
            step = allowed * share / 5
            moved = [high - step, high + 1 - step, high + step, high + 1 + step]
            found = told(before, before | {"y": moved}, x=group, y=group)
            assert [one for one in found if "covariance" in one[2]] == wrong


def test_fractions_and_floats_give_the_same_moments() -> None:
    found = perturbed._moments([1.0, 2.0, 6.0], [0.0, 3.0, 3.0])
    assert found == pytest.approx((3.0, 2.0))


def test_a_covariance_may_move_by_the_rounding_of_both_columns() -> None:
    """Constants whose rounding differs: whole numbers beside hundredths."""
    asked = {"a": NOISE | {"group": "g", "decimals": 0}, "b": NOISE | {"group": "g", "decimals": 2}}
    before: dict[str, list[Any]] = {"a": [0.0, 0.0], "b": [0.0, 0.0]}
    assert told(before, {"a": [0.5, -0.5], "b": [0.005, -0.005]}, **asked) == []
    words = [fault("a", "does not keep its covariance with b"), fault("b", "does not keep its variance")]
    assert told(before, {"a": [0.5, -0.5], "b": [0.05, -0.05]}, **asked) == words


def test_how_large_numbers_were_before_says_what_is_tiny() -> None:
    far = [1e12, 1e12 + 1, 1e12 + 2, 1e12 + 5]
    assert pay([0.0, 1.0, 2.0, 3.0], far) == ["does not keep its variance", "does not keep its mean"]
