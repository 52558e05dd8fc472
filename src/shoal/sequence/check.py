"""Checking the guarantee of a sequence on its result, by code that is independent of the code that made it."""

from __future__ import annotations

import polars as pl

from shoal.errors import CertificateError
from shoal.sequence.history import GROUP, LAST, WHO, History


def require_groups(before: History, after: History, *, covered: bool) -> None:
    """Raise an error unless people stay in their groups, k or more of a group are shown, and nobody returns.

    With `covered`, those who disappear from a group at one release must be k or more as well.
    """
    k, number = after.promise.k, after.number
    old = before.people.select(WHO, pl.col(GROUP).alias("old_group"), pl.col(LAST).alias("old_last"))
    people = after.people.select(WHO, GROUP, LAST).join(old, on=WHO, how="left")
    shown = pl.col(LAST) == number
    moved = people.filter(pl.col("old_group").is_not_null() & (pl.col("old_group") != pl.col(GROUP)))
    returned = people.filter(shown & (pl.col("old_last") < number - 1))
    joined = people.filter(pl.col("old_group").is_null() & pl.col(GROUP).is_in(before.people[GROUP].implode()))
    parts = people.filter(pl.col(LAST) >= number - 1).group_by(GROUP, LAST).len()
    small = parts.filter((pl.col("len") < k) & (shown if not covered else pl.lit(True)))
    if moved.height or returned.height or joined.height or small.height or before.people.height > people.height:
        raise _fault()


def require_values(groups: pl.DataFrame, signatures: tuple[tuple[str, ...], ...], *, m: int, k: int) -> None:
    """Raise an error unless every group has each value of its signature equally often, and no other value.

    `groups` has the columns group, signature and value.
    """
    counted = groups.group_by("group", "signature", "value").len()
    sizes = counted.group_by("group").agg(
        pl.col("signature").n_unique().alias("signatures"),
        pl.col("signature").first(),
        pl.col("value").sort(),
        pl.col("len").n_unique().alias("counts"),
        pl.col("len").sum().alias("rows"),
    )
    for one in sizes.iter_rows(named=True):
        wanted = sorted(signatures[one["signature"]])
        even = one["signatures"] == one["counts"] == 1 and one["value"] == wanted
        if not even or len(wanted) < m or one["rows"] < k:
            raise _fault()


def _fault() -> CertificateError:
    return CertificateError(
        "the release would break the guarantee of the earlier releases; nothing was released.",
        "this is a fault of Shoal: please report it with the policy and the shape of the tables.",
    )
