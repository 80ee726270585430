"""A ZIP archive of references with their candidates, each claim set a document of its own.

Three layouts are known: a folder a reference (`P1/reference.docx`, `P1/candidates/NAME.docx`), a
`manifest.csv` that names the files, and files in one folder that go together by name
(`P1_reference.docx`, `P1_candidate_NAME.docx`). The first two may have context of a reference:
`P1/description.txt`, `P1/abstract.txt`, `P1/drawings/NAME.png`.
"""

import io
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from patclaimeval.documents.bounds import (
    MOST_FILE_BYTES,
    with_bounds,
    without_context,
)
from patclaimeval.documents.context import DRAWING, OF_A_CANDIDATE, PARTS, Sheet
from patclaimeval.documents.csv_streams import CsvStream
from patclaimeval.documents.plain_text import read_passages
from patclaimeval.documents.reading import AUTO, MOST_BYTES, read_document
from patclaimeval.documents.records import (
    Passage,
    ReadDocument,
    ReadOptions,
    TrackedChanges,
)
from patclaimeval.documents.zip_files import ZipSource, shown
from patclaimeval.text_io.shapes import is_blank
from patclaimeval.text_io.streams import BadRecord, BadRecordList, FormatError, ReadNotes

MANIFEST: Final = "manifest.csv"
COLUMNS: Final = frozenset(
    {"file", "reference_id", "candidate_id", "system", "language", "tracked_changes", "part"}
)
LAYOUT: Final = (
    "Put P1/reference.docx and P1/candidates/NAME.docx for each reference P1 into it, or name the "
    "files in manifest.csv (columns file, reference_id, candidate_id). Context of a reference is "
    "P1/description.txt, P1/abstract.txt and P1/drawings/NAME.png"
)
LONGEST_ID: Final = 200
MOST_FILES: Final = 2_000
# Of a candidate in which no claims were found.
MOST_LINES: Final = 400
_CLUTTER: Final = re.compile(
    r"(?:^|/)(?:__MACOSX/|\.|~\$|thumbs\.db$|desktop\.ini$)", re.IGNORECASE
)
_PAIR: Final = re.compile(
    r"(?P<reference>.+?)[ _.-](?:(?P<is_reference>reference)|candidate[ _.-](?P<candidate>.+))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of the archive: which claim set it is; `candidate_id` is "" for the reference.

    `part` is "" for claims, and else which context of the reference: one of PARTS, or DRAWING.
    """

    file: str
    reference_id: str
    candidate_id: str = ""
    system: str = ""
    language: str = ""
    changes: str = ""
    line: int = 0
    part: str = ""


@dataclass(frozen=True, slots=True)
class ReadCandidate:
    """A candidate as it was read."""

    candidate_id: str
    document: ReadDocument
    file: str
    system: str = ""


@dataclass(frozen=True, slots=True)
class Matter:
    """A reference as it was read, with its candidates."""

    reference_id: str
    document: ReadDocument
    file: str
    candidates: tuple[ReadCandidate, ...]


@dataclass(frozen=True, slots=True)
class ReadMatters:
    """All references of an archive, and the names of files that were passed over."""

    matters: tuple[Matter, ...]
    passed_over: tuple[str, ...] = ()


def read_matters(data: bytes, options: ReadOptions) -> ReadMatters:
    """Return the references of an archive with their candidates, in the order of their ids.

    Inputs: the bytes of a ZIP, and what the person chose for all of its files, which a manifest may
    choose for one. Raises FormatError where the layout is none of the three, where a reference or
    its candidates are missing, and with a bad record for each file that cannot be read.
    """
    archive = ZipSource(data, "The archive")
    names = [name for name in archive.names if not _CLUTTER.search(name)]
    passed_over = tuple(name for name in archive.names if _CLUTTER.search(name))
    if not names:
        raise FormatError(f"The archive holds no files. {LAYOUT}.")
    entries = _entries(archive, names)
    if len(entries) > MOST_FILES:
        raise FormatError(
            f"The archive has {len(entries):,} documents; at most {MOST_FILES:,} are read."
        )
    claims = [entry for entry in entries if not entry.part]
    context = [entry for entry in entries if entry.part]
    _refuse_incomplete(claims)
    _refuse_loose(context, {_id(entry.reference_id) for entry in claims})
    read = dict(_read_all(archive, claims, options))
    _add_context(archive, claims, context, read)
    return ReadMatters(tuple(_matters(claims, read)), passed_over)


def _entries(archive: ZipSource, names: list[str]) -> list[Entry]:
    """Return what each file is, by the first layout that fits."""
    manifest = next((name for name in names if _base(name).lower() == MANIFEST), None)
    if manifest is not None:
        return list(_of_manifest(archive, manifest, names))
    is_flat = len({str(PurePosixPath(name).parent) for name in names}) == 1
    if is_flat and all(_PAIR.fullmatch(PurePosixPath(name).stem) for name in names):
        return [_of_pair(name) for name in names]
    found = [_of_folder(name) for name in names]
    odd = [name for name, entry in zip(names, found, strict=True) if entry is None]
    if odd:
        raise FormatError(
            f"{len(odd):,} files of the archive have no place in its layout, the first is "
            f"{shown(odd[0])}. {LAYOUT}."
        )
    return [entry for entry in found if entry is not None]


def _base(name: str) -> str:
    return name.rpartition("/")[2]


def _of_folder(name: str) -> Entry | None:
    """Return a file of `P1/reference.docx` or `P1/candidates/NAME.docx`, within any folder."""
    path = PurePosixPath(name)
    above = path.parent
    if path.stem.lower() == "reference" and above.name:
        return Entry(name, above.name)
    if above.name.lower() == "candidates" and above.parent.name:
        return Entry(name, above.parent.name, path.stem)
    if above.name.lower() == "drawings" and above.parent.name:
        return Entry(name, above.parent.name, part=DRAWING)
    if path.stem.lower() in PARTS and path.suffix.lower() == ".txt" and above.name:
        return Entry(name, above.name, part=path.stem.lower())
    return None


def _of_pair(name: str) -> Entry:
    found = _PAIR.fullmatch(PurePosixPath(name).stem)
    assert found is not None
    return Entry(name, found["reference"], found["candidate"] or "")


def _of_manifest(archive: ZipSource, manifest: str, names: list[str]) -> Iterator[Entry]:
    """Yield what the rows of a manifest name; files are relative to its own folder."""
    stream = CsvStream(io.BytesIO(archive.read(manifest, MOST_BYTES)), ReadNotes())
    header = stream.header(COLUMNS).cells
    bad = BadRecordList()
    for name in header:
        if name not in COLUMNS:
            bad.add(BadRecord(1, shown(name), "unknown column", file=MANIFEST))
    for name in ("file", "reference_id"):
        if name not in header:
            bad.add(BadRecord(1, name, "this column is missing", file=MANIFEST))
    bad.refuse_if_any()
    folder = manifest.removesuffix(_base(manifest))
    named: set[str] = set()
    for row in stream.rows():
        if isinstance(row, BadRecord):
            bad.add(replace(row, file=MANIFEST))
            continue
        cells = dict(zip(header, (cell.strip() for cell in row.cells), strict=False))
        file = folder + cells.get("file", "")
        if why := _wrong_with(cells, len(row.cells) == len(header), file in names, file in named):
            bad.add(BadRecord(row.line, *why, file=MANIFEST))
            continue
        named.add(file)
        yield Entry(
            file,
            cells["reference_id"],
            cells.get("candidate_id", ""),
            cells.get("system", ""),
            cells.get("language", ""),
            cells.get("tracked_changes", ""),
            row.line,
            cells.get("part", ""),
        )
    bad.refuse_if_any()


def _wrong_with(
    cells: dict[str, str], is_whole: bool, is_there: bool, is_named: bool
) -> tuple[str, str] | None:
    if not is_whole:
        return "", "another number of cells than the header has columns"
    if not is_there:
        return "file", "is not in the archive"
    if is_named:
        return "file", "is named in an earlier row"
    if cells.get("tracked_changes", "") not in ("", *TrackedChanges):
        return "tracked_changes", "accepted, original or both was expected"
    part = cells.get("part", "")
    if part not in ("", *PARTS, DRAWING):
        return "part", f"{', '.join(PARTS)}, {DRAWING} or nothing was expected"
    if part and cells.get("candidate_id", ""):
        return "candidate_id", OF_A_CANDIDATE
    return None


def _refuse_incomplete(entries: Iterable[Entry]) -> None:
    """Refuse ids that cannot be ids, stand twice, or lack a reference or candidates."""
    bad = BadRecordList()
    files: dict[tuple[str, str], str] = {}
    for entry in entries:
        key = (_id(entry.reference_id), _id(entry.candidate_id))
        wrong = next((part for part in key if _is_no_id(part)), None)
        if not key[0] or wrong:
            bad.add(BadRecord(entry.line, "", "its name is no id", file=shown(entry.file)))
        elif key in files:
            why = f"is the same claim set as {shown(files[key])}"
            bad.add(BadRecord(entry.line, "", why, file=shown(entry.file)))
        files.setdefault(key, entry.file)
    for reference in dict.fromkeys(key[0] for key in files if key[0]):
        if (reference, "") not in files:
            bad.add(BadRecord(0, "", "has no file of the reference", file=shown(reference)))
        elif not any(key[0] == reference and key[1] for key in files):
            bad.add(BadRecord(0, "", "has no candidates", file=shown(reference)))
    bad.refuse_if_any()


def _id(text: str) -> str:
    """Return an id as file systems may have spelt it in two ways, in one of them."""
    return unicodedata.normalize("NFC", text)


def _is_no_id(text: str) -> bool:
    has_control = any(unicodedata.category(sign) == "Cc" for sign in text)
    return len(text) > LONGEST_ID or text != text.strip() or has_control


def _read_all(
    archive: ZipSource, entries: Iterable[Entry], options: ReadOptions
) -> Iterator[tuple[str, ReadDocument]]:
    bad = BadRecordList()
    for entry in entries:
        own = replace(options, first=None, last=None)
        if entry.language:
            own = replace(own, language=entry.language)
        if entry.changes:
            own = replace(own, tracked_changes=TrackedChanges(entry.changes))
        if entry.candidate_id and own.tracked_changes is TrackedChanges.BOTH:
            # A draft is a reference's.
            own = replace(own, tracked_changes=TrackedChanges.ACCEPTED)
        try:
            document = read_document(archive.read(entry.file, MOST_BYTES), AUTO, own)
        except FormatError as error:
            bad.add(BadRecord(0, "", error.sentence, file=shown(entry.file)))
            continue
        if entry.candidate_id:
            # That of all candidates would be held at once. Who is asked where the claims stand is
            # shown the first lines.
            document = without_context(document, MOST_LINES)
        yield entry.file, document
    bad.refuse_if_any()


def _refuse_loose(context: Iterable[Entry], references: set[str]) -> None:
    """Refuse context of no reference, and a part that stands twice."""
    bad = BadRecordList()
    files: dict[tuple[str, str], str] = {}
    for entry in context:
        key = (_id(entry.reference_id), entry.part)
        if key[0] not in references:
            why = "is context of a reference that is not in the archive"
            bad.add(BadRecord(entry.line, "", why, file=shown(entry.file)))
        elif key in files and entry.part != DRAWING:
            why = f"is the same part as {shown(files[key])}"
            bad.add(BadRecord(entry.line, "", why, file=shown(entry.file)))
        files.setdefault(key, entry.file)
    bad.refuse_if_any()


def _add_context(
    archive: ZipSource,
    claims: Iterable[Entry],
    context: Iterable[Entry],
    read: dict[str, ReadDocument],
) -> None:
    """Give references the context that lies beside them in files of its own."""
    documents = {_id(entry.reference_id): entry.file for entry in claims if not entry.candidate_id}
    bad = BadRecordList()
    for entry in sorted(context, key=lambda entry: (entry.part, _natural(entry.file))):
        file = documents[_id(entry.reference_id)]
        document = read[file]
        has_part = any(one.part == entry.part for one in document.context)
        if has_part and not is_blank(document.claims.text):
            why = f"{shown(file)} holds the {entry.part} itself; send one of the two"
            bad.add(BadRecord(entry.line, "", why, file=shown(entry.file)))
            continue
        try:
            found = _context_of(archive, entry)
        except FormatError as error:
            bad.add(BadRecord(entry.line, "", error.sentence, file=shown(entry.file)))
            continue
        read[file] = replace(
            document,
            context=document.context + tuple(one for one in found if isinstance(one, Passage)),
            sheets=document.sheets + tuple(one for one in found if isinstance(one, Sheet)),
        )
    bad.refuse_if_any()
    for file in documents.values():
        read[file] = with_bounds(read[file])


def _context_of(archive: ZipSource, entry: Entry) -> list[Passage | Sheet]:
    if entry.part == DRAWING:
        # Its library is for the reader's process alone.
        from patclaimeval.documents.drawings import sheets_of

        return [*sheets_of(archive.read(entry.file, MOST_FILE_BYTES), entry.file)]
    return [*read_passages(archive.read(entry.file, MOST_BYTES), entry.part)]


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a name by which figure 2 stands before figure 10."""
    pieces = re.split(r"(\d+)", name.lower())
    return [(int(one), "") if one.isdecimal() else (0, one) for one in pieces]


def _matters(entries: list[Entry], read: dict[str, ReadDocument]) -> Iterator[Matter]:
    references = {_id(entry.reference_id): entry for entry in entries if not entry.candidate_id}
    for name in sorted(references):
        candidates = sorted(
            (_id(entry.candidate_id), entry)
            for entry in entries
            if entry.candidate_id and _id(entry.reference_id) == name
        )
        yield Matter(
            name,
            read[references[name].file],
            references[name].file,
            tuple(
                ReadCandidate(key, read[entry.file], entry.file, entry.system)
                for key, entry in candidates
            ),
        )
