import pytest

from annotator.formats.claim_files import READERS, detect_format
from annotator.formats.records import FormatError


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b' \n[{"gold_', "patent-ce"),
        (b'\xef\xbb\xbf{"ref', "claims-jsonl"),
        (b"{}", "claims-jsonl"),
    ],
)
def test_the_first_bytes_show_the_format(head, name):
    assert detect_format(head) == name
    assert name in READERS


@pytest.mark.parametrize(
    "head", [b"", b" \n", b"reference_id,claims\n", b"PK\x03\x04", b"\xff\xfe["]
)
def test_anything_else_is_refused(head):
    with pytest.raises(FormatError):
        detect_format(head)
