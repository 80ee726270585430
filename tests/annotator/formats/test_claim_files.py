import pytest

from annotator.formats.claim_files import PREFERENCES, READERS, detect_format
from annotator.formats.records import FormatError


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
    ],
)
def test_the_first_bytes_show_the_format(head, name):
    assert detect_format(head) == name
    assert name in READERS or name == PREFERENCES


@pytest.mark.parametrize(
    "head", [b"", b" \n", b"reference_id,claims\n", b"PK\x03\x04", b"\xff\xfe["]
)
def test_anything_else_is_refused(head):
    with pytest.raises(FormatError):
        detect_format(head)
