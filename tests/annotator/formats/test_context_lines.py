import io
import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest

from annotator.formats import context_lines
from annotator.formats.claims_jsonl import line_of, read
from annotator.formats.context_lines import lines_of
from patclaimeval.documents.context import Context, Paragraph, Sheet
from patclaimeval.documents.drawings import sheets_of
from patclaimeval.documents.references import CandidateRecord, ReferenceRecord
from patclaimeval.text_io.streams import FormatError, ReadNotes
from patclaimeval.text_io.strict_json import MAX_BYTES
from tests.counted_inputs import PROPERTY
from tests.patclaimeval.documents.pictures import SVG, bomb, pages, picture

RECORD = ReferenceRecord("P1", "1. A lamp.", (CandidateRecord("a", "1. A torch."),))
OTHER = ReferenceRecord("P2", "1. A desk.", (CandidateRecord("a", "1. A table."),))
TEXT = {"part": "description", "text": "A lamp is known."}
CONTEXT = Context(
    (
        Paragraph("description", "FIELD", "", is_heading=True),
        Paragraph("description", 'A lamp "is"\nknown.', "0001"),
        Paragraph("abstract", "A lamp."),
    ),
    tuple(sheets_of(pages(2), "fig. 1.tif")),
)


def found(*lines: bytes, notes: ReadNotes | None = None) -> list[ReferenceRecord]:
    return list(read(io.BytesIO(b"".join(lines)), notes))


def of(name: str = "P1", **more: Any) -> bytes:
    return json.dumps({"context_of": name, **more}).encode() + b"\n"


def drawn(data: bytes, **more: Any) -> bytes:
    return of(drawing={"image": b64encode(data).decode(), **more})


def test_context_follows_its_reference_and_is_read_as_it_was_written() -> None:
    lines = [line_of(RECORD), *lines_of("P1", CONTEXT), line_of(OTHER)]
    notes = ReadNotes()
    first, second = found(*lines, notes=notes)
    assert (first.context, second.context) == (CONTEXT, None)
    assert (first.reference_claims, notes.records) == ("1. A lamp.", 2)
    assert [*lines_of("P1", first.context)] == lines[1:-1]


def test_a_file_without_context_is_read_as_before() -> None:
    assert found(line_of(RECORD)) == [RECORD]


def test_no_line_is_longer_than_a_line_may_be() -> None:
    long = tuple(Paragraph("description", "\u4e00" * 90_000 + str(n)) for n in range(22))
    largest = Sheet("s" * 100, b"\x89" * 3_000_000, 1, 1)
    lines = [*lines_of("P" * 200, Context(long, (largest,)))]
    assert len(lines) == 3 and max(map(len, lines)) <= MAX_BYTES
    (read_again,) = found(line_of(RECORD), *lines_of("P1", Context(long)))
    assert read_again.context == Context(long)


def test_that_of_a_reference_which_is_repeated_is_passed_over() -> None:
    lines = [line_of(RECORD), of(paragraphs=[TEXT])]
    notes = ReadNotes()
    (one,) = found(*lines, *lines, notes=notes)
    assert one.context == Context((Paragraph("description", "A lamp is known."),))
    assert notes.duplicates == 1


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([of(paragraphs=[TEXT]), line_of(RECORD)], "line 1, field context_of: stands before any"),
        ([line_of(RECORD), line_of(OTHER), of(paragraphs=[TEXT])], "after that of 'P2'"),
        ([line_of(RECORD), of()], "either paragraphs or a drawing"),
        ([line_of(RECORD), of(paragraphs=[TEXT], drawing={})], "either paragraphs or a drawing"),
        ([line_of(RECORD), of(paragraphs={})], "an array was expected"),
        ([line_of(RECORD), of(paragraphs=["A"])], "paragraphs[1]: an object was expected"),
        ([line_of(RECORD), of(paragraphs=[TEXT | {"part": "claims"}])], "description or abstract"),
        ([line_of(RECORD), of(paragraphs=[TEXT | {"text": " "}])], "paragraphs[1].text: blank"),
        ([line_of(RECORD), of(paragraphs=[TEXT | {"is_heading": 1}])], "true or false"),
        ([line_of(RECORD), of(paragraphs=[TEXT | {"colour": 1}])], "unknown field"),
        ([line_of(RECORD), of(paragraphs=[TEXT | {"text": "x" * 100_001}])], "longer than 100000"),
        ([line_of(RECORD), of("", paragraphs=[])], "context_of: empty"),
        ([line_of(RECORD), of(drawing="x")], "an object was expected"),
        ([line_of(RECORD), of(drawing={"name": "a"})], "the picture in base64"),
        ([line_of(RECORD), of(drawing={"image": "%%"})], "is not base64"),
        ([line_of(RECORD), drawn(picture(), name="a\u202eb")], "cannot be seen"),
        ([line_of(RECORD), drawn(SVG, name="a")], "is SVG"),
        ([line_of(RECORD), drawn(bomb())], "30,000 x 30,000 pixels"),
        ([line_of(RECORD), drawn(pages(2)[:300])], "damaged or incomplete"),
    ],
)
def test_wrong_context_is_refused_by_line(
    lines: list[bytes], why: str, record_property: Callable[[str, object], None]
) -> None:
    record_property(PROPERTY, ["lines of context", 1])
    with pytest.raises(FormatError) as caught:
        found(*lines)
    told = [caught.value.sentence, *map(str, caught.value.bad_records)]
    assert any(why in one for one in told), told


def test_more_than_is_stored_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def why(*lines: bytes) -> str:
        with pytest.raises(FormatError) as caught:
            found(line_of(RECORD), *lines)
        return caught.value.sentence

    monkeypatch.setattr(context_lines, "MOST_PASSAGES", 2)
    assert "at most 2 paragraphs" in why(of(paragraphs=[TEXT]), of(paragraphs=[TEXT, TEXT]))
    monkeypatch.setattr(context_lines, "MOST_CHARACTERS", 20)
    assert "at most 20 characters" in why(of(paragraphs=[TEXT, TEXT]))
    monkeypatch.setattr(context_lines, "MOST_SHEETS", 1)
    assert "at most 1 drawings" in why(drawn(picture()), drawn(picture()))
