"""The worked examples of the rubric: small invented claim sets with scores and the reasons.

Inventions, claims and reasons are this project's own; the examples are in exemplars.toml.
Standard library only.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from patclaimeval.rubric import (
    CRITERIA,
    OVERALL,
    RUBRIC,
    TOTAL_WEIGHT,
    Band,
    band_of,
    overall_numerator,
    overall_text,
)

DATA_FILE: Final = Path(__file__).with_name("exemplars.toml")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of claim text, and whether it is what the example is about."""

    text: str
    is_marked: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One line of claim text: a claim's beginning, or an element indented under it."""

    is_element: bool
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Example:
    """One candidate with its scores, the band of the lesson's criterion, and the band beside it.

    `lost` are words of the reference that the candidate has nowhere.
    """

    criterion: str
    point: str
    lines: tuple[Line, ...]
    lost: tuple[str, ...]
    scores: Mapping[str, int]
    band: Band
    why: str
    contrast_band: Band
    contrast: str

    @property
    def candidate(self) -> str:
        return "\n".join(line.text for line in self.lines)

    @property
    def score(self) -> int:
        """The score of the lesson's criterion."""
        return self.scores[self.criterion]

    @property
    def overall(self) -> str:
        """The overall quality as text with two decimals, by the rubric's own rule."""
        return overall_text(overall_numerator(self.scores))

    @property
    def overall_band(self) -> Band:
        return band_of(OVERALL, Fraction(overall_numerator(self.scores), TOTAL_WEIGHT))


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one criterion means: a small reference and candidates rated against it."""

    criterion: str
    title: str
    lines: tuple[Line, ...]
    examples: tuple[Example, ...]

    @property
    def reference(self) -> str:
        return "\n".join(line.text for line in self.lines)


def marked_parts(text: str, marks: Sequence[str]) -> tuple[Part, ...]:
    """Cut a text at every occurrence of the marks; the parts joined give the text again.

    Of marks that begin at one place the longest counts. No marks: one part, unmarked.
    """
    if not marks:
        return (Part(text, False),)
    pattern = "|".join(re.escape(mark) for mark in sorted(marks, key=len, reverse=True))
    pieces = re.split(f"({pattern})", text)
    return tuple(Part(piece, at % 2 == 1) for at, piece in enumerate(pieces) if piece)


def _lines(claims: str, marks: Sequence[str] = ()) -> tuple[Line, ...]:
    return tuple(
        Line(line.startswith(" "), marked_parts(line.strip(), marks))
        for line in claims.splitlines()
    )


def _example(criterion: str, row: Mapping[str, Any]) -> Example:
    bands = {band.label: band for entry in RUBRIC if entry.key == criterion for band in entry.bands}
    return Example(
        criterion=criterion,
        point=row["point"],
        lines=_lines(row["candidate"], row.get("marks", ())),
        lost=tuple(row.get("lost", ())),
        scores=dict(zip(CRITERIA, row["scores"], strict=True)),
        band=bands[row["band"]],
        why=row["why"],
        contrast_band=bands[row["contrast"]["band"]],
        contrast=row["contrast"]["why"],
    )


def _lesson(row: Mapping[str, Any]) -> Lesson:
    criterion = row["criterion"]
    examples = tuple(_example(criterion, example) for example in row["examples"])
    return Lesson(criterion, row["title"], _lines(row["reference"]), examples)


LESSONS: Final[tuple[Lesson, ...]] = tuple(
    _lesson(row) for row in tomllib.loads(DATA_FILE.read_text(encoding="utf-8"))["lessons"]
)
_BY_CRITERION: Final = {lesson.criterion: lesson for lesson in LESSONS}


def lesson_of(criterion: str) -> Lesson:
    """Return the lesson of one of the four criteria; KeyError for any other key."""
    return _BY_CRITERION[criterion]
