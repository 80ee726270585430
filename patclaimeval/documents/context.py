"""The context of a reference as files state it: paragraphs and drawings, counted by part."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from patclaimeval.plurals import counted

PARTS: Final = ("description", "abstract")
DRAWING: Final = "drawing"
OF_A_CANDIDATE: Final = "context is a reference's, never a candidate's"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A drawing as it is stored: what its file was called, its pixels as PNG, its size in them."""

    name: str
    png: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph: `part` is one of PARTS, `label` its own number, "" where it has none."""

    part: str
    text: str
    label: str = ""
    is_heading: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """What stands around the claims of one reference, in the order of its source."""

    paragraphs: tuple[Paragraph, ...] = ()
    sheets: tuple[Sheet, ...] = ()

    def counts(self) -> dict[str, int]:
        """Return how many paragraphs of each part there are, and how many drawings."""
        return counts_of((one.part for one in self.paragraphs), len(self.sheets))

    @property
    def characters(self) -> int:
        """How much it holds, a byte of a drawing counted as a character."""
        return sum(len(one.text) for one in self.paragraphs) + sum(
            len(sheet.png) for sheet in self.sheets
        )


def counts_of(parts: Iterable[str], drawings: int) -> dict[str, int]:
    """Return how many there are by part, in the order in which they are shown, without zeros."""
    found = dict.fromkeys((*PARTS, DRAWING), 0)
    for part in parts:
        found[part] += 1
    found[DRAWING] = drawings
    return {part: count for part, count in found.items() if count}


def describe_context(counts: Mapping[str, int], *, is_candidate: bool = False) -> list[str]:
    """Return in sentences what of a claim set's context would be stored, or that it is not."""
    # A database may hand stored counts over in another order.
    found = [(part, counts[part]) for part in (*PARTS, DRAWING) if part in counts]
    if is_candidate:
        return [f"Left out: {part}: {count:,}; {OF_A_CANDIDATE}." for part, count in found]
    named = [
        counted(count, part) if part == DRAWING else f"{part} of {counted(count, 'paragraph')}"
        for part, count in found
    ]
    return [f"Context: {', '.join(named)}."] if named else []
