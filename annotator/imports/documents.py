"""Documents of attorneys as claim sets to import, as another process reads them."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, BinaryIO, Final

from patclaimeval.documents.confined import read_confined
from patclaimeval.documents.matters import Matter, ReadMatters
from patclaimeval.documents.reading import ARCHIVE, DOCUMENTS
from patclaimeval.documents.records import ReadDocument, ReadOptions, TrackedChanges
from patclaimeval.text_io.streams import BOM

KINDS: Final = (*DOCUMENTS, ARCHIVE)
NO_DRAFT: Final = "A candidate has no draft: choose the text, accepted or original."
_HEAD: Final = 1024
# ZIP, PDF, Office before 2007; XML and web pages begin with "<".
_BEGINNINGS: Final = (b"PK\x03\x04", b"PK\x05\x06", b"%PDF-", b"\xd0\xcf\x11\xe0", b"<")


@dataclass(frozen=True, slots=True)
class Choices:
    """What somebody chose and answered about a file of documents; "" and None are left open.

    `first` and `last` number the paragraphs or lines of the claims, `reference_id` and
    `candidate_id` say which claim set one document is. An archive takes the first two only.
    """

    tracked_changes: str = TrackedChanges.ACCEPTED.value
    language: str = ""
    reference_id: str = ""
    candidate_id: str = ""
    first: int | None = None
    last: int | None = None

    def options(self) -> ReadOptions:
        """Return what a reader has to know."""
        changes = TrackedChanges(self.tracked_changes)
        return ReadOptions(changes, self.language, self.first, self.last)

    def as_values(self) -> dict[str, Any]:
        """Return them as a row stores them."""
        return asdict(self)

    def renamed(self, other: "Choices") -> bool:
        """Return whether other choices differ by ids alone, so that nothing is read anew."""
        one = replace(self, reference_id="", candidate_id="")
        return one == replace(other, reference_id="", candidate_id="")

    @classmethod
    def given(cls, values: Mapping[str, Any]) -> "Choices":
        """Return those that a form, a call or a command was given, by the names of its fields."""
        names = ("tracked_changes", "language", "reference_id", "candidate_id")
        own = {name: values[name] for name in names}
        return cls(**own, first=values["claims_from"], last=values["claims_to"])

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Choices":
        """Return those that a row has stored."""
        return cls(**values)


@dataclass(frozen=True, slots=True)
class ReadSet:
    """One claim set of a file: whose it is, its document, and its path in an archive."""

    reference_id: str
    candidate_id: str
    document: ReadDocument
    file: str = ""
    system: str = ""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """The claim sets of a file, each reference before its candidates, and what was passed over."""

    kind: str
    sets: tuple[ReadSet, ...]
    passed_over: tuple[str, ...] = ()


def is_document(file: BinaryIO) -> bool:
    """Return whether a file begins like a document and unlike a file of claim sets.

    Plain text is not told from one that was cut short, and has to be asked for.
    """
    head = file.read(_HEAD).removeprefix(BOM).lstrip()
    file.seek(0)
    return head.startswith(_BEGINNINGS)


def read_sets(file: BinaryIO, kind: str, choices: Choices) -> ReadFile:
    """Return the claim sets of a file as another process reads them, questions included.

    Raises FormatError as the readers do.
    """
    read = read_confined(file, kind, choices.options())
    if isinstance(read, ReadMatters):
        sets = tuple(one for item in read.matters for one in _sets_of(item))
        return ReadFile(ARCHIVE, sets, read.passed_over)
    return ReadFile(read.format, (ReadSet(choices.reference_id, choices.candidate_id, read),))


def _sets_of(item: Matter) -> Iterator[ReadSet]:
    yield ReadSet(item.reference_id, "", item.document, item.file)
    for one in item.candidates:
        yield ReadSet(item.reference_id, one.candidate_id, one.document, one.file, one.system)
