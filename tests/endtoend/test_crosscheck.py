"""What `verify` counts is what SQL counts; `make fuzz` also asks pycanon."""

from __future__ import annotations

import pytest

from tests.endtoend.crosscheck import check_with_sql, table


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_verify_counts_as_sql_does(first: int) -> None:
    kinds = set()
    for number in range(first, first + 20):
        one = table(number)
        check_with_sql(one)
        kinds.add((one.plain, bool(one.case.named("person"))))
    assert kinds >= {(True, False), (False, False), (False, True)}
