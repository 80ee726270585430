from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims.parsing import find_markers

PIECES = st.sampled_from(["1. ", "2) ", "Claim 3", "\n", " A pump", ". ", "4-6. (canceled)", "、"])


@given(st.lists(PIECES, max_size=30).map("".join))
def test_marks_stand_in_order_and_hold_their_number(text):
    found = find_markers(text)
    assert all(one.end <= two.start for one, two in pairwise(found))
    assert all(str(mark.number) in text[mark.start : mark.end] for mark in found)
    assert all(mark.number <= mark.last for mark in found)


def test_a_cancelled_range_carries_both_ends():
    (first, second) = find_markers("1-10. (canceled)  11. A method.")
    assert (first.number, first.last, first.is_cancelled) == (1, 10, True)
    assert (second.number, second.last, second.is_cancelled) == (11, 11, False)


def test_text_without_numbers_has_no_marks():
    assert find_markers("A pump with 2 valves of 1.5 mm.") == ()
    assert find_markers("") == ()
