"""Numbers at the ends of floating point: a release or one sentence, never an overflow or an endless search."""

from __future__ import annotations

import polars as pl
import pytest

import shoal


def released(tmp_path, weight, method="auto"):
    policy = tmp_path / "policy.toml"
    columns = f"[columns.age]\nrole = 'quasi'\nweight = {weight}\n[columns.stay]\nrole = 'quasi'\n"
    policy.write_text(f"k = 2\nmethod = '{method}'\n{columns}")
    return shoal.anonymize(pl.DataFrame({"age": [1, 2, 3, 9, 8, 7], "stay": [4, 4, 5, 1, 2, 1]}), policy)


@pytest.mark.parametrize("weight", [0, -1, "nan", "inf", 1e-322, 1e-101, 1e101, 1e308])
def test_a_weight_near_the_ends_of_floating_point_numbers_is_refused(tmp_path, weight):
    with pytest.raises(shoal.ShoalError, match="weight is a number from 1e-100 to 1e100"):
        released(tmp_path, weight)


@pytest.mark.parametrize("weight", [1e-100, 1e100])
@pytest.mark.parametrize("method", ["forest", "best", "gather"])
def test_the_smallest_and_the_largest_weight_are_met(tmp_path, weight, method):
    assert released(tmp_path, weight, method).certificate.holds


def test_a_bound_far_below_the_cost_is_shown_without_a_ratio(tmp_path):
    frame = pl.DataFrame({"x": [-1.0, -1.0, 0.0, 1e-310, 1.0, 1.0], "s": list("aabbcc")})
    asked = {"quasi": ["x"], "sensitive": ["s"], "k": 2, "method": "forest", "effort": 5}
    release = shoal.anonymize(frame, l={"s": 2}, **asked)
    release.write(tmp_path / "out")
    certificate = release.certificate
    assert certificate.holds
    assert certificate.lower_bound * 2**1000 < certificate.cost
    assert certificate.ratio_seen is None
    assert "times the best" not in str(certificate)
    assert str(release)
