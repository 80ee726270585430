"""Every reader of files against bytes that nobody wrote: it reads, or refuses with its own message.

Mutations of good files: flipped bits, cuts, other encodings, repeated, doubled and nested parts,
huge numbers, and what hypothesis makes of all of them together.
"""

import gzip
import io
import random
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.formats import claim_files, label_studio
from patclaimeval.documents.process import answer
from patclaimeval.documents.records import ReadOptions
from patclaimeval.documents.wire import decode_answer, encode_answer
from patclaimeval.text_io.streams import FormatError, ReadNotes
from scoring.formats import dataset_files
from scoring.formats.dataset_files import FORMATS
from tests.amounts import tries
from tests.bad_input.damaged_files import CLAIM_SETS, DATASETS, GOOD, PREFERENCES
from tests.patclaimeval.documents.samples import DOCUMENTS
from tests.promises.harness import SCALE
from tests.soak.tally import Tally

ROOT: Final = Path(__file__).resolve().parents[1]
Read = Callable[[bytes], Any]


def many(whole: int) -> int:
    """Return how many random tries are made: a share, all of them, or the full counts."""
    return tries(whole) if SCALE == 1 else whole * SCALE


def claims(name: str) -> Read:
    return lambda data: list(claim_files.read_claims(io.BytesIO(data), name))


def quadruplets(name: str) -> Read:
    return lambda data: list(FORMATS[name](io.BytesIO(data), ReadNotes()))


def golden(path: str) -> bytes:
    return (ROOT / path).read_bytes()


def document(data: bytes) -> Any:
    """Read a document as its process does, with what it answers written and read again."""
    found = decode_answer(encode_answer(answer(data, "auto", ReadOptions())))
    assert not found.failed_at
    if found.refused:
        raise FormatError(found.refused, found.bad)
    return found.document or found.matters


TABLE: Final = (
    b"reference_id,reference_claims,candidate_id,claims,apostrophe_put_before\r\n"
    b"r1,1. A cup.,c1,'=1. A mug.,claims\r\n"
    b',,c2,"1. A ""bowl"",\r\nround.",\r\n'
    b"r2;x,1. A dish.,c1,1. A plate.,\r\n"
)
PATENT_CE: Final = golden("scoring/formats/golden/patent-ce.json")
STUDIO: Final = golden("annotator/formats/golden/label-studio.json")


def claims_in_some_format(data: bytes) -> Any:
    found = claim_files.format_of(io.BytesIO(data))
    return claims(found)(data) if found in claim_files.READERS else None


SURFACES: Final[dict[str, tuple[Read, bytes]]] = {
    "claims-jsonl": (claims("claims-jsonl"), GOOD),
    "csv": (claims("csv"), TABLE),
    "patent-ce": (claims("patent-ce"), PATENT_CE),
    "label-studio": (lambda data: list(label_studio.read(io.BytesIO(data))), STUDIO),
    "dataset patent-ce-jsonl": (
        quadruplets("patent-ce-jsonl"),
        golden("scoring/formats/golden/patent-ce.jsonl"),
    ),
    "dataset patent-ce-json": (quadruplets("patent-ce-json"), PATENT_CE),
    "dataset label-studio": (quadruplets("label-studio"), STUDIO),
    "gzip": (claims("claims-jsonl"), gzip.compress(GOOD, mtime=0)),
    "found out": (claims_in_some_format, GOOD),
    **{f"document {name}": (document, data) for name, data in DOCUMENTS.items()},
    "dataset found out": (lambda data: dataset_files.detect_format(data), GOOD),
}


def is_sound(read: Read, data: bytes) -> bool:
    """Return whether the bytes are read, or refused as a reader refuses; all else is raised."""
    try:
        read(data)
    except FormatError as refusal:
        error = refusal
    else:
        return True
    assert error.sentence.strip() and error.sentence.isprintable()
    assert len(error.bad_records) <= 100
    for bad in error.bad_records:
        assert bad.line >= (not bad.file) and bad.reason.isprintable(), bad
    return False


REPLACEMENTS: Final = {
    b"\n": (b"\r\n", b"\r", b"\n\n\n"),
    b'"': (b"'", b'""'),
    b":": (b"::",),
    b",": (b",,", b";"),
    b"{": (b"[{",),
    b"1": (b"9" * 400, b"1e999", b"NaN", b"-0"),
    b"1.": (b"\\ud800", b"\\u0000", b"\0", "\u202e\u200b\U000e0041".encode()),
    b"cup": (b"\xed\xa0\x80",),
    b"reference": (b"refer" * 100_000,),
}


def damaged(data: bytes) -> Iterator[bytes]:
    """Yield every simple damage of a file: the shared list that all readers get."""
    draw = random.Random(len(data))
    for _ in range(many(40)):
        changed = bytearray(data)
        changed[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        yield bytes(changed)
    step = max(1, 100 // SCALE)
    yield from (data[:end] for end in range(0, len(data), step))
    yield from (data[start:] for start in range(0, len(data), step))
    text = data.decode(errors="replace")
    for encoding in ("utf-16", "utf-16-le", "utf-32", "cp1252", "shift-jis", "utf-7", "cp037"):
        yield text.encode(encoding, errors="replace")
    yield b"\xef\xbb\xbf" + data
    yield b"\xef\xbb\xbf" * 2 + data
    for old, replacements in REPLACEMENTS.items():
        for new in replacements:
            yield data.replace(old, new)
            yield data.replace(old, new, 1)
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        yield opening * 100_000
        yield opening * 100_000 + b"1" + closing * 100_000
        yield data + opening * 5_000 + closing * 5_000
    yield data * 3
    yield data[::-1]
    yield b"".join(line * 2 for line in data.splitlines(keepends=True))


@pytest.mark.parametrize("surface", sorted(SURFACES))
def test_no_damage_breaks_a_reader(surface: str, tally: Tally) -> None:
    read, good = SURFACES[surface]
    assert is_sound(read, good)
    refused = [not is_sound(read, data) for data in damaged(good)]
    tally.tried(files=len(refused))
    tally.noted(f"{surface}: {len(refused)} damaged files, {sum(refused)} refused")
    assert 0 < sum(refused) < len(refused)


@pytest.mark.parametrize("surface", sorted(SURFACES))
def test_no_file_of_the_catalogue_breaks_any_other_reader(surface: str, tally: Tally) -> None:
    """The siblings: what was thought of for one reader is handed to all of them."""
    read, _ = SURFACES[surface]
    for content, _reason in (CLAIM_SETS | DATASETS | PREFERENCES).values():
        is_sound(read, content)
        is_sound(read, gzip.compress(content, 1))
    tally.tried(files=2 * len(CLAIM_SETS | DATASETS | PREFERENCES))


# Signs, and parts that a reader may take for another encoding, number or escape.
PIECES = [bytes([sign]) for sign in b'\0\r\n"\\{}[],:'] + [b"null", b"-1", b"1e400", b"9" * 50]
PIECES += [b"\\u0000", b"\\ud800", b"\xff\xfe", b"\x1f\x8b", b"\xe2\x80"]
pieces = st.one_of(st.binary(max_size=30), st.sampled_from(PIECES))
edits = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 0.05), pieces, st.booleans()), min_size=1, max_size=8
)


def edited(data: bytes, changes: list[tuple[float, float, bytes, bool]]) -> bytes:
    """Cut parts out of a file, and put pieces, or parts of itself, in their places."""
    for at, share, piece, is_own in changes:
        start = int(at * len(data))
        end = start + int(share * len(data))
        put = data[end : end + 40] if is_own else piece
        data = data[:start] + put + data[end:]
    return data


@pytest.mark.parametrize("surface", sorted(SURFACES))
def test_no_sequence_of_edits_breaks_a_reader(surface: str, tally: Tally) -> None:
    read, good = SURFACES[surface]

    @settings(max_examples=many(100), deadline=None, database=None)
    @given(edits)
    def edit(changes: list[tuple[float, float, bytes, bool]]) -> None:
        tally.tried(files=1)
        is_sound(read, edited(good, changes))

    edit()


class Endless(io.RawIOBase):
    """A file of one line that goes on for gigabytes; who reads it to its end has lost."""

    def __init__(self, head: bytes, body: bytes, size: int) -> None:
        super().__init__()
        self._head, self._body, self._left = head, body, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        space = memoryview(buffer).cast("B")
        wanted = min(len(space), self._left)
        data = (self._head + self._body * (1 + wanted // len(self._body)))[:wanted]
        self._head = self._head[wanted:]
        space[: len(data)] = data
        self._left -= len(data)
        return len(data)


@pytest.mark.parametrize(
    ("read", "head", "body"),
    [
        (claim_files.READERS["claims-jsonl"], b'{"reference_id": "', b"x" * 1024),
        (claim_files.READERS["csv"], TABLE + b'"', b"x" * 1024),
        (claim_files.READERS["patent-ce"], b'[{"gold_claim": "', b"x" * 1024),
        (claim_files.READERS["patent-ce"], b"[", b"[" * 1024),
        (label_studio.read, b'[{"input_claim": "', b"\\u0041" * 128),
        (FORMATS["patent-ce-jsonl"], b'{"A": "', b"x" * 1024),
        (FORMATS["patent-ce-json"], b'[{"gold_claim": "', b"x" * 1024),
    ],
    ids=["jsonl", "csv", "array", "nested", "preferences", "dataset-jsonl", "dataset-array"],
)
def test_a_record_without_end_is_stopped_at_the_limit(read: Any, head: bytes, body: bytes) -> None:
    """IM09, IM11: memory does not grow with the file."""
    endless = Endless(head, body, 1 << 28)
    tracemalloc.start()
    try:
        with pytest.raises(FormatError):
            list(read(io.BufferedReader(endless, 1 << 16), ReadNotes()))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100 * 1024 * 1024
