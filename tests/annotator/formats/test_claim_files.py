import gzip
import io

import pytest

from annotator.formats.claim_files import (
    PREFERENCES,
    READERS,
    detect_format,
    format_of,
    read_claims,
)
from patclaimeval.documents.csv_streams import unpacked
from patclaimeval.text_io.streams import FormatError

LINE = b'{"reference_id": "r1", "reference_claims": "1. A cup.", '
LINE += b'"candidates": [{"candidate_id": "c1", "claims": "1. A mug."}]}\n'
TABLE = b"reference_id;reference_claims;candidate_id;claims\r\nr1;1. A cup.;c1;1. A mug.\r\n"


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b' \n[{"gold_', "patent-ce"),
        (b'\xef\xbb\xbf{"ref', "claims-jsonl"),
        (b"{}", "claims-jsonl"),
        (b'[{"human_eval": {}, "output1', "patent-ce"),
        (b"[]", "patent-ce"),
        (b'[\n {"domain": "A"', "label-studio"),
        (b'\xef\xbb\xbf[{ "input_claim" : "', "label-studio"),
        (b"reference_id,claims\n", "csv"),
        (b'\xef\xbb\xbf"claims"\t"x"\r\n', "csv"),
        (b"sep=;\nname;claims\n", "csv"),
        (b"ID;PWXL;N;E\n", "csv"),
    ],
)
def test_the_first_bytes_show_the_format(head, name):
    assert detect_format(head) == name
    assert name in READERS or name == PREFERENCES


@pytest.mark.parametrize(("data", "name"), [(LINE, "claims-jsonl"), (TABLE, "csv")])
def test_a_file_is_read_the_same_plain_and_packed(data, name):
    plain, packed = io.BytesIO(data), io.BytesIO(gzip.compress(data))
    assert format_of(plain) == format_of(packed) == name
    (found,) = read_claims(plain, name)
    assert [found] == list(read_claims(packed, name)) == list(read_claims(packed, name))
    assert found.candidates[0].claims == "1. A mug."


def test_a_plain_file_is_itself_from_its_beginning():
    file = io.BytesIO(b"abc")
    file.read()
    assert unpacked(file) is file
    assert file.read() == b"abc"


def test_what_gzip_packed_is_read_also_in_several_members():
    file = unpacked(io.BytesIO(gzip.compress(b"one\ntwo\n") + gzip.compress(b"three")))
    read = [file.readline(), file.readline(2), file.readline(), file.read()]
    assert read == [b"one\n", b"tw", b"o\n", b"three"]


PACKED = gzip.compress(bytes(range(256)) * 9)


@pytest.mark.parametrize(
    "data",
    [*(PACKED[:cut] for cut in (3, 12, 40)), PACKED[:-5] + b"????" + PACKED[-1:], PACKED + b"rest"],
    ids=["head", "header", "data", "another sum", "more behind it"],
)
def test_a_stream_that_is_cut_short_or_damaged_is_refused(data):
    with pytest.raises(FormatError, match="cut short or damaged"):
        unpacked(io.BytesIO(data)).read()


def test_another_archive_in_it_is_refused():
    with pytest.raises(FormatError, match="ZIP"):
        format_of(io.BytesIO(gzip.compress(b"PK\x03\x04")))


def test_a_file_that_unpacks_to_more_than_one_file_may_have_is_stopped(monkeypatch):
    monkeypatch.setattr("patclaimeval.documents.csv_streams.UPLOAD_BYTES", 1_000)
    with pytest.raises(FormatError, match="limit of 1,000 bytes"):
        unpacked(io.BytesIO(gzip.compress(bytes(1_000_000))))
    assert unpacked(io.BytesIO(gzip.compress(bytes(1_000)))).read() == bytes(1_000)
