"""What the publishing step writes is read back to exactly that."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shoal.measure.notation import read_range, read_set
from shoal.publish.notation import quoted, write_set

labels = (
    st.none() | st.text(max_size=6) | st.sampled_from(["null", "*", "a, b", "{x}", '"', "\\", "[1, 2]", " a", ""])
)


@given(st.lists(labels, min_size=1, max_size=5))
def test_a_set_reads_back(members):
    present = [one for one in members if one is not None]
    assert read_set(write_set(members)) == present + [None] * (None in members)


@given(labels, labels)
def test_a_range_reads_back(low, high):
    assert read_range(f"[{quoted(low)}, {quoted(high)}]") == (low, high)


def test_other_texts_are_neither():
    assert read_set("a, b") == []
    assert read_range("a, b") is None
    assert read_range("[a]") is None
