import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.text_io import streams as text_io_streams
from patclaimeval.text_io.streams import (
    BadRecord,
    FormatError,
    ReadNotes,
    Record,
    read_array,
    read_lines,
)

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
ITEMS = st.lists(st.dictionaries(TEXTS, TEXTS | st.lists(TEXTS), max_size=3), min_size=1)


class Dripping(io.BytesIO):
    """A file that hands out at most seven bytes a read, as a slow upload may."""

    def read(self, size=-1):
        return super().read(7)


def lines(data: bytes, **limits):
    notes = ReadNotes()
    return list(read_lines(io.BytesIO(data), notes, **limits)), notes


def items(data: bytes, **limits):
    notes = ReadNotes()
    return list(read_array(io.BytesIO(data), notes, **limits)), notes


@given(ITEMS)
def test_lines_are_split_at_line_feed_alone(values):
    data = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode()
    records, _ = lines(data)
    assert [record.value for record in records if isinstance(record, Record)] == values
    assert len(records) == len(values)


@given(ITEMS, st.sampled_from([None, 1, 4]), st.booleans())
def test_array_items_are_found_however_the_file_is_cut_and_indented(values, indent, is_ascii):
    data = json.dumps(values, ensure_ascii=is_ascii, indent=indent).encode()
    for file in (io.BytesIO(data), Dripping(data)):
        records = list(read_array(file, ReadNotes()))
        assert [record.value for record in records if isinstance(record, Record)] == values
        assert [record.item for record in records] == list(range(1, len(values) + 1))


def test_line_separators_other_than_line_feed_stay_in_the_text():
    text = "a\u2028b\u2029c\x85d\x0be\x0cf"
    data = json.dumps([text], ensure_ascii=False).replace("\\u000b", "\x0b").encode()
    with pytest.raises(FormatError):
        lines(data)
    (record,), _ = lines(json.dumps({"t": text}, ensure_ascii=False).encode() + b"\n")
    assert record.value == {"t": text}


def test_a_byte_order_mark_in_front_carriage_returns_and_blank_lines_are_accepted_and_noted():
    records, notes = lines(b'\xef\xbb\xbf{"a": 1}\r\n\n  \r\n{"a": 2}')
    assert [(r.line, r.value["a"]) for r in records] == [(1, 1), (4, 2)]
    assert (notes.has_bom, notes.crlf_lines, notes.blank_lines) == (True, 2, 2)
    assert len(notes.sentences()) == 3
    records, _ = lines(b'{"a": 1}\n\xef\xbb\xbf{"a": 2}\n')
    assert isinstance(records[1], BadRecord)


def test_a_bad_byte_is_named_by_line_and_byte_and_reading_goes_on():
    records, _ = lines(b'{"a": 1}\n' * 4710 + b'{"a": "\xe9"}\n{"a": 3}\n')
    bad = records[4710]
    assert str(bad) == "line 4711: byte 8: the byte 0xE9 is not UTF-8"
    assert records[4711].value == {"a": 3}


def test_a_line_over_the_limit_is_passed_over_without_being_held():
    long = b'{"a": "' + b"x" * 1_000_000 + b'"}'
    records, _ = lines(long + b'\n{"a": 2}\n', max_bytes=100)
    assert "longer than the limit of 100 bytes" in records[0].reason
    assert records[1].value == {"a": 2}


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b""])
def test_a_line_of_exactly_the_limit_is_read(line_end):
    line = b'{"a": "' + b"x" * 91 + b'"}'
    assert len(line) == 100
    records, _ = lines(line + line_end, max_bytes=100)
    assert records[0].value == {"a": "x" * 91}
    assert isinstance(lines(line + line_end, max_bytes=99)[0][0], BadRecord)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"PK\x03\x04\x14\x00", "ZIP"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"%PDF-1.7", "PDF"),
        ("[1]".encode("utf-16"), "UTF-16"),
        (b"\x7fELF\x02\0\0\0", "binary"),
    ],
)
def test_a_file_that_is_no_json_at_all_is_named_for_what_it_is(data, sentence):
    for read in (lines, items):
        with pytest.raises(FormatError, match=sentence):
            read(data)


@pytest.mark.parametrize(
    "data",
    [b'{"a": 1}\r{"a": 2}\r', b'{"a": 1}\r', b'\xef\xbb\xbf{"a": 1}\r{"a": 2}', b'{"a": 1}\r' * 9],
)
def test_a_file_of_lines_that_end_in_cr_alone_is_refused_by_that_name(data):
    for limits in ({}, {"max_bytes": 30}):
        with pytest.raises(FormatError, match="lines end in CR alone; save the file with LF"):
            lines(data, **limits)


def test_a_cr_alone_among_other_line_ends_is_named_with_its_line():
    for data, number in (
        (b'{"a": 1}\r{"a": 2}\n{"a": 3}\n', 1),
        (b'{"a": 1}\r\n{"a": 2}\r{"a": 3}\r\n', 2),
        (b'{"a": 1}\n{"a": 2}\r{"a": 3}\r', 2),
    ):
        records, _ = lines(data)
        (bad,) = (one for one in records if isinstance(one, BadRecord))
        assert (bad.line, bad.reason) == (number, text_io_streams.CR_WITHIN)


def test_an_array_given_as_lines_and_a_pretty_printed_object_are_refused_by_name():
    with pytest.raises(FormatError, match="JSON array"):
        lines(b'[\n{"a": 1}\n]\n')
    with pytest.raises(FormatError, match="over several lines"):
        lines(b'{\n "a": 1\n}\n')


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b'{"a": 1}', "does not hold a JSON array"),
        (b'[{"a": 1}', "not closed: the file ends within item 2|within item 1"),
        (b'[{"a": "x', "within item 1"),
        (b"[1] [2]", "goes on after the end"),
        (b" \n", "0 records"),
        (b"", "0 records"),
    ],
)
def test_a_broken_array_is_refused_with_a_sentence(data, sentence):
    with pytest.raises(FormatError, match=sentence):
        items(data)


def test_a_bad_item_is_named_by_number_and_reading_goes_on():
    records, _ = items(b'[\n {"a": 1},\n {"a": },\n\n {"a": 3},\n]')
    assert [record.item for record in records] == [1, 2, 3, 4]
    assert isinstance(records[1], BadRecord)
    assert records[1].line == 3
    assert str(records[1]).startswith("item 2: byte 7 of the item: a value was expected")
    assert records[2].line == 5
    (torn,), _ = items(b'[{"a": 1,\n "b": x}]')
    assert str(torn) == "item 1: line 2, byte 7: a value was expected"
    assert "nothing here" in records[3].reason
    assert items(b"[ \n]\n")[0] == []


def test_an_item_longer_than_the_limit_ends_the_reading(monkeypatch):
    monkeypatch.setattr(text_io_streams, "CHUNK", 64)
    with pytest.raises(FormatError, match="Item 2, which begins on line 2"):
        items(b'[1,\n"' + b"x" * 1000 + b'"]', max_bytes=100)
