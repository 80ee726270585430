from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.compact_keys import CompactKeys, FirstLines


@given(st.lists(st.text("ab", max_size=5), max_size=60))
def test_values_are_numbered_in_the_order_in_which_they_come(values):
    keys = CompactKeys()
    numbers: dict[str, int] = {}
    for value in values:
        assert keys.enter(value) == numbers.setdefault(value, len(numbers))
    assert len(keys) == len(numbers)


def test_it_grows_past_its_first_slots_without_losing_a_key():
    keys = CompactKeys()
    names = [f"r{number}" for number in range(5_000)]
    assert [keys.enter(name) for name in names] == list(range(5_000))
    assert [keys.enter(name) for name in reversed(names)] == list(range(4_999, -1, -1))


def test_the_first_line_of_a_name_is_given_when_it_comes_again_and_whether_it_holds_the_same():
    lines = FirstLines()
    given = [("a", 3, "x"), ("b", 7, "x"), ("a", 9, "x"), ("a", 11, "y"), ("a", 12, "x")]
    assert [lines.enter(*one) for one in given] == [None, None, (3, True), (3, False), (3, True)]
