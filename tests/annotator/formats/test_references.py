from contextlib import closing

from hypothesis import given
from hypothesis import strategies as st

from annotator.formats import references
from annotator.formats.references import (
    BATCH,
    CandidateRecord,
    ReferenceRecord,
    TextGroups,
    in_batches,
)

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


def record(text="1. A cup.", candidate="1. A mug."):
    return ReferenceRecord("r", text, (CandidateRecord("c", candidate),))


def test_a_stream_is_cut_by_number_and_nothing_is_taken_ahead():
    numbers = iter(range(BATCH + 3))
    batches = in_batches(record() for _ in numbers)
    assert len(next(batches)) == BATCH
    assert next(numbers) == BATCH
    assert [len(batch) for batch in batches] == [2]
    assert list(in_batches([])) == []


def test_a_batch_ends_where_its_texts_are_long(monkeypatch):
    monkeypatch.setattr(references, "BATCH_CHARACTERS", 100)
    for long in (record(text="x" * 100), record(candidate="x" * 100)):
        batches = in_batches([record(), long, record(), record(), long])
        assert [len(batch) for batch in batches] == [2, 3]
