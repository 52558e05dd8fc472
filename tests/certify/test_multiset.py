"""What publication writes into one cell is read back exactly, whatever the labels are."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from shoal.certify.multiset import parse
from shoal.publish.notation import write_multiset

LABELS = st.one_of(
    st.none(), st.text(max_size=8), st.sampled_from(["null", "a: 1", "a; b", '"', "\\", " a", "a ", ""])
)


@given(found=st.dictionaries(LABELS, st.integers(1, 10**9), min_size=1, max_size=5))
@example(found={"null": 1, None: 2})
@example(found={"a: 1; b": 1, "a": 1})
def test_what_is_written_is_read_back(found):
    assert parse(write_multiset(found.items())) == found


@given(text=st.text(alphabet='ab:; "\\1', max_size=12))
def test_what_is_read_is_what_was_written(text):
    """No text has two readings: where a text is read at all, it means what writing it again says."""
    found = parse(text)
    if found is not None:
        assert parse(write_multiset(found.items())) == found
        assert all(count > 0 for count in found.values())


def test_a_value_named_twice_has_no_reading():
    assert parse("flu: 2; flu: 5") is None
    assert parse('flu: 2; "flu": 5') is None
    assert parse('null: 2; "null": 5') == {None: 2, "null": 5}
