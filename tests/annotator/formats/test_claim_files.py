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
from core.text_io.streams import FormatError

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


@pytest.mark.parametrize(
    "head", [b"", b" \n", b"name,text\n", b"PK\x03\x04", b"\xff\xfe[", b"\xd0\xcf\x11\xe0\xa1"]
)
def test_anything_else_is_refused(head):
    with pytest.raises(FormatError):
        detect_format(head)


@pytest.mark.parametrize(("data", "name"), [(LINE, "claims-jsonl"), (TABLE, "csv")])
def test_a_file_is_read_the_same_plain_and_packed(data, name):
    plain, packed = io.BytesIO(data), io.BytesIO(gzip.compress(data))
    assert format_of(plain) == format_of(packed) == name
    (found,) = read_claims(plain, name)
    assert [found] == list(read_claims(packed, name)) == list(read_claims(packed, name))
    assert found.candidates[0].claims == "1. A mug."


def test_what_was_packed_twice_or_is_another_archive_is_refused():
    for data in (gzip.compress(gzip.compress(LINE)), gzip.compress(b"PK\x03\x04")):
        with pytest.raises(FormatError, match="gzip|ZIP"):
            format_of(io.BytesIO(data))
