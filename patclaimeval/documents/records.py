"""What was read of a document: claims, where they stand, what was left out, what is in doubt."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from patclaimeval import limits
from patclaimeval.documents.context import Sheet
from patclaimeval.text_io.streams import FormatError


class Severity(StrEnum):
    """What a finding asks of the person who looks at the preview."""

    NOTE = "note"
    """Nothing to do."""
    CHECK = "check"
    """Something may be wrong: look at it before the claims are stored."""
    QUESTION = "question"
    """Cannot be decided here: nothing may be stored until somebody has answered."""


class TrackedChanges(StrEnum):
    """Which text of a file with tracked changes is meant."""

    ACCEPTED = "accepted"
    ORIGINAL = "original"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in its source: a unit ("paragraph", "line") by number, perhaps a page.

    Numbers count from 1; `page` is 0 where the source has no pages.
    """

    unit: str
    number: int
    page: int = 0

    def __str__(self) -> str:
        where = f"{self.unit} {self.number:,}"
        return f"page {self.page:,}, {where}" if self.page else where


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """One claim: text == claim_set.text[start:end], its number and the space after it included.

    `last_number` ends a range that was cancelled at once and is the number itself otherwise.
    `cites` are the claims that the source links to, which only XML and HTML do; `status` is what
    the source says of it ("currently amended", "cancelled", ...), "" where it says nothing.
    """

    number: int
    last_number: int
    start: int
    end: int
    place: Place
    cites: tuple[int, ...] = ()
    status: str = ""


@dataclass(frozen=True, slots=True)
class ClaimSet:
    """The text of all claims as it would be stored, and where each begins in text and source."""

    text: str = ""
    claims: tuple[ReadClaim, ...] = ()

    def text_of(self, claim: ReadClaim) -> str:
        """Return one claim as it stands in the text."""
        return self.text[claim.start : claim.end]


# Of each kind of thing so many places are listed.
MOST_PLACES: Final = 20


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Things of one kind that are no part of the claims: how many, why, and the first places."""

    kind: str
    count: int
    reason: str
    places: tuple[Place, ...] = ()

    def __str__(self) -> str:
        where = f" ({', '.join(map(str, self.places[:3]))})" if self.places else ""
        return f"{self.kind}: {self.count:,}{where}; {self.reason}."


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the person should know or answer; the sentence quotes no claim."""

    severity: Severity
    kind: str
    sentence: str
    place: Place | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.sentence}" if self.place else self.sentence


@dataclass(frozen=True, slots=True)
class Bibliography:
    """What the source says of the document itself; "" and () where it says nothing.

    `date` is YYYY-MM-DD, `languages` are lower-case ISO 639-1 codes of the claims that it holds.
    """

    office: str = ""
    number: str = ""
    kind: str = ""
    date: str = ""
    title: str = ""
    language: str = ""
    languages: tuple[str, ...] = ()
    ipc: tuple[str, ...] = ()
    cpc: tuple[str, ...] = ()
    family: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph of the context: `part` is "description" or "abstract", `label` its own number."""

    part: str
    text: str
    place: Place
    label: str = ""
    is_heading: bool = False


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """All that was read of one document.

    `claims` is what would be stored; `draft` is the text before revision, None unless both texts of
    a file with tracked changes were asked for and differ. `context` and `sheets` are what stands
    around the claims; where no claims were found, `context` is all lines, for who is asked.
    """

    format: str
    claims: ClaimSet
    draft: ClaimSet | None = None
    left_out: tuple[LeftOut, ...] = ()
    findings: tuple[Finding, ...] = ()
    bibliography: Bibliography = Bibliography()
    context: tuple[Passage, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    sha256: str = ""

    @property
    def questions(self) -> tuple[Finding, ...]:
        """The findings that somebody must answer before anything is stored."""
        return tuple(item for item in self.findings if item.severity is Severity.QUESTION)

    def report(self) -> list[str]:
        """Return what a dry run prints: a sentence a line, no claim quoted."""
        count = len(self.claims.claims)
        lines = [f"{count:,} {'claim' if count == 1 else 'claims'} read."]
        lines += [f"Left out: {item}" for item in self.left_out]
        lines += [f"{item.severity.capitalize()}: {item}" for item in self.findings]
        return lines


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the person chose: tracked changes, the language, and where the claims begin and end.

    `first` and `last` number paragraphs or lines of the source and answer the question where the
    claims are; None leaves that to the headings.
    """

    tracked_changes: TrackedChanges = TrackedChanges.ACCEPTED
    language: str = ""
    first: int | None = None
    last: int | None = None


@dataclass(slots=True)
class Notes:
    """Gathers what is left out and found while a source is read, things of a kind together."""

    findings: list[Finding] = field(default_factory=list)
    _left_out: dict[str, LeftOut] = field(default_factory=dict)

    def leave_out(self, kind: str, reason: str, place: Place | None = None, count: int = 1) -> None:
        """Count things of a kind that are left out."""
        before = self._left_out.get(kind, LeftOut(kind, 0, reason))
        places = before.places
        if place is not None and len(places) < MOST_PLACES and place not in places:
            places = (*places, place)
        self._left_out[kind] = replace(before, count=before.count + count, places=places)

    def add(self, severity: Severity, kind: str, sentence: str, place: Place | None = None) -> None:
        """Add a finding, once."""
        finding = Finding(severity, kind, sentence, place)
        if finding not in self.findings:
            self.findings.append(finding)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What was left out, in the order of its first appearance."""
        return tuple(self._left_out.values())

    def merge(self, other: "Notes") -> None:
        """Take over what another reading of the same source has noted and this one has not."""
        for finding in other.findings:
            self.add(finding.severity, finding.kind, finding.sentence, finding.place)
        for kind, item in other._left_out.items():
            self._left_out.setdefault(kind, item)


def list_numbers(numbers: Iterable[int], most: int = 8) -> str:
    """Return numbers as "1, 2 and 5", ending in "and more" past `most` of them."""
    given = [f"{number:,}" for number in numbers]
    shown = given[:most]
    if len(given) > most:
        return ", ".join(shown) + " and more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def refuse_too_many(count: int) -> None:
    """Raise FormatError for more claims than one claim set may have."""
    if count > limits.CLAIMS:
        raise FormatError(
            f"The file has {count:,} claims; at most {limits.CLAIMS:,} are read. Split it, "
            "or check whether its numbered paragraphs are claims."
        )
