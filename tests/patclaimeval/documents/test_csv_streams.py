import io

import pytest

from patclaimeval.documents.csv_streams import (
    CsvRow,
    CsvStream,
    damage_of_id,
    damage_of_text,
    names_a_column,
)
from patclaimeval.text_io.streams import BadRecord, FormatError, ReadNotes
from patclaimeval.text_io.strict_json import MAX_BYTES

KNOWN = frozenset({"id", "text"})


def rows(data, **more):
    stream = CsvStream(io.BytesIO(data), ReadNotes(), **more)
    stream.header(KNOWN)
    return list(stream.rows())


def cells(data):
    return [row.cells for row in rows(b"id,text\n" + data)]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_that_shows_known_names_and_is_named(mark):
    notes = ReadNotes()
    stream = CsvStream(io.BytesIO(f"id{mark}text\na{mark}b,;|\n".encode()), notes)
    assert stream.header(KNOWN).cells == ["id", "text"]
    assert stream.delimiter == mark
    assert any("the delimiter is the" in sentence for sentence in notes.sentences())


def test_a_line_of_excel_that_names_the_delimiter_is_followed():
    notes = ReadNotes()
    stream = CsvStream(io.BytesIO(b"\xef\xbb\xbfsep=;\r\nid;text\r\na;b\r\n"), notes)
    assert stream.header(KNOWN) == CsvRow(2, ["id", "text"])
    assert list(stream.rows()) == [CsvRow(3, ["a", "b"])]
    assert notes.has_bom


def test_cells_keep_quoted_line_ends_quotes_and_delimiters_and_separators_of_python_alone():
    found = cells(b'1,"a\r\nb\rc\nd"\n2,"say ""so"", please"\n3,\n4,""\n')
    assert found == [["1", "a\r\nb\rc\nd"], ["2", 'say "so", please'], ["3", ""], ["4", ""]]
    text = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"
    assert cells(f"1,{text}\n".encode()) == [["1", text]]


def test_a_record_has_the_line_on_which_it_begins():
    found = rows(b'id,text\n1,"a\n\nb"\n\n2,c\n')
    assert [row.line for row in found] == [2, 6]


def test_blank_lines_and_rows_of_empty_cells_are_noted():
    notes = ReadNotes()
    stream = CsvStream(io.BytesIO(b"\nid,text\r\n\r\n1,a\r\n,\r\n"), notes)
    assert stream.header(KNOWN).line == 2
    assert [row.line for row in stream.rows()] == [4]
    assert (notes.blank_lines, notes.crlf_lines) == (3, 4)


def bad(data, **more):
    return [(row.line, row.reason) for row in rows(data, **more) if isinstance(row, BadRecord)]


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b'1,a\n2,"b\n3,c\n4,d\n', 3, "a quote is opened in this record and not closed"),
        (b'1,a\n2,"b\n3,c\n4,"d"\n5,"e\nf"\n', 3, "text follows the closing quote"),
        (b"1,a" + b"b" * 99 + b"\0\n", 2, "byte 103: a raw NUL byte"),
    ],
    ids=["unclosed", "unclosed before another quote", "NUL"],
)
def test_a_broken_row_is_named_by_the_line_on_which_it_begins(data, line, words):
    (found, *_) = bad(b"id,text\n" + data)
    assert found[0] == line and words in found[1]


def test_a_quote_is_looked_for_up_to_the_limit_only():
    file = io.BytesIO(b'id,text\n1,"a\n' + b"x,y\n" * MAX_BYTES)
    stream = CsvStream(file, ReadNotes())
    stream.header(KNOWN)
    (row,) = stream.rows()
    assert isinstance(row, BadRecord)
    assert (row.line, "not closed" in row.reason) == (2, True)
    assert file.tell() < 2 * MAX_BYTES


def test_text_after_a_closing_quote_is_refused_and_the_next_line_is_read():
    found = rows(b'id,text\n1,"a"b\n2,c\n')
    assert isinstance(found[0], BadRecord) and found[0].line == 2
    assert found[1] == CsvRow(3, ["2", "c"])
    assert cells(b'1,a"b" c\n') == [["1", 'a"b" c']]


def test_a_carriage_return_in_a_bare_cell_is_refused():
    assert [line for line, _ in bad(b"id,text\n1,a\rb\n2,c\n")] == [2]
    with pytest.raises(FormatError, match="CR alone"):
        rows(b"id,text\r1,a\r2,b\r")


def test_a_bad_byte_is_named_by_line_and_byte_with_what_windows_makes_of_it():
    ((line, reason),) = bad(b"id,text\n" + b"1,a\n" * 4709 + b"2,caf\xe9\n3,c\n")
    words = "byte 6: the byte 0xE9 is not UTF-8 (in Windows-1252 it is 'é'); save the file as "
    assert (line, reason) == (4711, words + "CSV UTF-8")
    ((line, reason),) = bad(b'id,text\n1,"a\nb\x81c"\n')
    assert (line, reason) == (3, "byte 2: the byte 0x81 is not UTF-8")


def test_a_record_over_the_limit_is_named_and_passed_over():
    found = rows(b"id,text\n1," + b"x" * 100 + b"\n2,c\n", max_bytes=50)
    assert found[0] == BadRecord(2, "", "longer than the limit of 50 bytes")
    assert found[1] == CsvRow(3, ["2", "c"])
    assert rows(b"id,text\n1," + b"x" * 48 + b"\r\n", max_bytes=50)[0].cells[1] == "x" * 48


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "0 records"),
        (b"\n\n", "0 records"),
        (b"PK\x03\x04", "ZIP archive or an Office"),
        ("id,text\n".encode("utf-16"), "UTF-16"),
        ("id,text\n".encode("utf-16-le"), "UTF-16"),
        ("id,text\n".encode("utf-16-be"), "UTF-16"),
        (b"ID;PWXL;N;E\n", "SYLK"),
        (b"ID,claims\n", "SYLK"),
        (b"name,claim\n", "no known column"),
        (b"id,text\xe9\n", "0xE9 is not UTF-8"),
    ],
)
def test_a_file_that_is_no_table_of_ours_is_refused_in_words(data, words):
    with pytest.raises(FormatError, match=words):
        rows(data)


def test_the_first_line_tells_whether_it_is_ours():
    assert names_a_column(b'"id";x\n', KNOWN)
    assert names_a_column(b"sep=|\nfoo|id\n", KNOWN)
    assert names_a_column(b"ID;PWXL", KNOWN)
    assert not names_a_column(b"idea,texts\n", KNOWN)


DAMAGED = {
    "date": "3-Oct|Oct-03|03. Okt|3-Oct-24|10/3/2024|03.10.2024|2024-10-03"
    "|2024-10-03 00:00:00|Mar 24|1-M\u00e4rz",
    "number": "1E+05|1.23457E+15|1,2E+05|-1e-05",
    "None": "EP1234567B1|c1|3|10.5|E+05|ref-0123456789e+12x|US2024/10|oct|1E5||#1|2024|1-2|12E+05"
    "|a-Oct|marker-3|decoder-12",
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_what_a_spreadsheet_makes_of_an_id_is_found_and_ordinary_ids_are_left_alone(damage):
    for text in DAMAGED[damage].split("|"):
        assert damage in str(damage_of_id(text)), text


@pytest.mark.parametrize("text", ["#NAME?", "#REF!", "#N/A", "########"])
def test_an_error_value_is_found_everywhere(text):
    assert text in str(damage_of_id(text))
    assert text in str(damage_of_text(text))
