from contextlib import closing

from hypothesis import given
from hypothesis import strategies as st

from annotator.formats.references import TextGroups

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=4)), max_size=20))
def test_texts_come_back_under_their_reference_in_order_and_once(entries):
    expected: dict[str, dict[str, None]] = {}
    with closing(TextGroups()) as groups:
        for reference, texts in entries:
            groups.enter(reference, texts)
            expected.setdefault(reference, {}).update(dict.fromkeys(texts))
        assert list(groups) == [(name, list(texts)) for name, texts in expected.items()]


def test_more_can_be_entered_after_some_was_read():
    with closing(TextGroups()) as groups:
        groups.enter("r", ["a"])
        groups.enter("s", ["x"])
        for _ in groups:
            break
        groups.enter("r", ["b"])
        assert list(groups) == [("r", ["a", "b"]), ("s", ["x"])]
