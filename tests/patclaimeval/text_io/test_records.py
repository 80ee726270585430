import pytest

from patclaimeval.text_io.streams import (
    MAX_LISTED,
    BadRecord,
    BadRecordList,
    FormatError,
    ReadNotes,
)


def test_a_bad_record_says_file_place_field_and_reason():
    assert str(BadRecord(3, "y", "missing")) == "line 3, field y: missing"
    assert str(BadRecord(9, "", "torn", 2, "a.json")) == "a.json, item 2: torn"


def test_the_hundredth_bad_record_ends_the_reading():
    bad = BadRecordList()
    for line in range(1, MAX_LISTED):
        bad.add(BadRecord(line, "a", "missing"))
    with pytest.raises(FormatError, match="first 100 problems") as caught:
        bad.add(BadRecord(100, "a", "missing"), BadRecord(100, "b", "missing"))
    assert len(caught.value.bad_records) == MAX_LISTED


def test_one_bad_record_is_the_sentence_itself():
    bad = BadRecordList()
    bad.refuse_if_any()
    bad.add(BadRecord(7, "a", "missing"))
    with pytest.raises(FormatError) as caught:
        bad.refuse_if_any()
    assert caught.value.sentence == "Refused: line 7, field a: missing"
    assert ReadNotes(records=5).sentences() == []


def test_what_is_wrong_with_a_file_as_a_whole_has_no_empty_place_before_it() -> None:
    bad = BadRecordList([BadRecord(0, "", "No heading was found.")])
    with pytest.raises(FormatError) as caught:
        bad.refuse_if_any()
    assert caught.value.sentence == "Refused: No heading was found."
