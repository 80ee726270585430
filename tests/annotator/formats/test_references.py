from annotator.formats import references
from annotator.formats.references import (
    BATCH,
    CandidateRecord,
    ReferenceRecord,
    in_batches,
)


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
