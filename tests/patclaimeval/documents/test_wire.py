"""What the confined process answers: every value of its type, or the file is refused."""

import json
import logging
import subprocess
import sys
import tempfile
from typing import Any

import msgspec
import pytest

from patclaimeval.documents import reading
from patclaimeval.documents.confined import read_confined
from patclaimeval.documents.process import answer
from patclaimeval.documents.reading import AUTO, read_document
from patclaimeval.documents.records import ReadOptions
from patclaimeval.documents.wire import Answer, decode_answer, encode_answer
from patclaimeval.text_io.streams import FormatError

DATA = b"1. A lamp.\n2. The lamp of claim 1."


def values() -> Any:
    found = Answer(document=read_document(DATA, AUTO, ReadOptions()))
    return json.loads(encode_answer(found))


def answered_with(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    """Have the confined process answer these bytes."""

    def run(command: Any, *, stdout: Any, **others: Any) -> Any:
        stdout.write(text)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)


def read() -> Any:
    with tempfile.TemporaryFile() as file:
        file.write(DATA)
        file.flush()
        return read_confined(file)


def with_value(path: str, value: Any) -> bytes:
    """Return an answer in which one value is another; `path` names it."""
    whole = values()
    *above, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    place = whole
    for key in above:
        place = place[key]
    place[last] = value
    return json.dumps(whole).encode()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("document.claims.text", {"evil": 1}),
        ("document.claims.text", None),
        ("document.claims.claims.0.start", "0"),
        ("document.claims.claims.0.place", []),
        ("document.claims.claims.0.cites", ["1"]),
        ("document.findings.0.severity", "fatal"),
        ("document.sheets", [{"name": "a", "png": 7, "width": 1, "height": 1}]),
        ("document.bibliography.ipc", "A01B"),
        ("document", [1]),
        ("refused", 1),
        ("bad", [{"line": "1", "field": "", "reason": ""}]),
    ],
)
def test_a_value_of_another_type_is_refused(
    path: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = with_value(path, value)
    with pytest.raises(msgspec.ValidationError):
        decode_answer(text)
    answered_with(monkeypatch, text)
    with pytest.raises(FormatError, match="The file cannot be read"):
        read()


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff", b"{}", b'{"document":null}'])
def test_an_answer_that_is_none_is_refused(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    answered_with(monkeypatch, text)
    with pytest.raises(FormatError, match="The file cannot be read"):
        read()


def test_nul_is_refused_and_its_escape_as_plain_text_is_not() -> None:
    with pytest.raises(FormatError, match="such as NUL"):
        decode_answer(with_value("document.claims.text", "1. A\0"))
    with pytest.raises(FormatError, match="such as NUL"):
        decode_answer(with_value("document.claims.text", "1. A\\\0"))
    kept = decode_answer(with_value("document.claims.text", "1. A \\u0000"))
    assert kept.document is not None
    assert kept.document.claims.text == "1. A \\u0000"


def test_half_of_a_surrogate_pair_is_refused_on_either_side() -> None:
    with pytest.raises(FormatError, match="cannot be stored"):
        encode_answer(Answer(refused="\ud800"))
    with pytest.raises(msgspec.DecodeError):
        decode_answer(b'{"refused": "\\ud800"}')


def test_a_reader_that_fails_says_where_and_quotes_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(data: bytes, options: ReadOptions) -> None:
        raise IndexError(data.decode())

    monkeypatch.setitem(reading._READERS, "text", fails)
    found = answer(DATA, AUTO, ReadOptions())
    answered_with(monkeypatch, encode_answer(found))
    with (
        caplog.at_level(logging.ERROR),
        pytest.raises(FormatError, match="The file cannot be read"),
    ):
        read()
    assert "builtins.IndexError" in caplog.text
    assert "in fails" in caplog.text
    assert "lamp" not in caplog.text


def test_the_process_itself_hands_its_faults_over() -> None:
    program = (
        "import sys\n"
        "from patclaimeval.documents import process\n"
        "def fails(*given): raise KeyError('a lamp')\n"
        "process.read_document = fails\n"
        "sys.argv[1:] = ['60', str(2**30), 'text', 'accepted', '', '', '']\n"
        "process.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], input=DATA, capture_output=True)
    found = decode_answer(done.stdout)
    assert found.failed_at[0] == "builtins.KeyError"
    assert b"lamp" not in done.stdout + done.stderr
