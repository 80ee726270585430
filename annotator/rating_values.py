"""What a rating holds, and the value that several settle to: each declared once.

FIELDS declares what a rating holds beside its four scores. The form, its draft and page, the digest
of a request, the API, revisions, exports, the adjudication page and erasure read that list; the
columns stand in `annotator.models.ratings.Scores`, because Django wants them there. Below it: the
scores as numbers, the mean, the majority and the ruling. Standard library only.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, Final, Required, TypedDict, TypeVar
from uuid import UUID

from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, NAMES, OVERALL, SCORE_COLUMNS, unit_of

LONGEST_TEXT: Final = 20_000


class Kind(Enum):
    """Who gives it, and how: free text, error tags, or what the server notes of the work."""

    TEXT = "text"
    TAGS = "tags"
    NOTED = "noted"


@dataclass(frozen=True, slots=True)
class RatingField:
    """A column of a rating; label and hint are those of the rate page."""

    name: str
    kind: Kind
    label: str = ""
    hint: str = ""
    is_exported: bool = True


# In the order of exports and of the digest, to which a new field is added behind the others.
FIELDS: Final = (
    RatingField("comment", Kind.TEXT, "Comment", "optional"),
    RatingField("error_tags", Kind.TAGS),
    RatingField("note", Kind.TEXT, "Note", "to the adjudicator only", is_exported=False),
    RatingField("active_seconds", Kind.NOTED),
    RatingField("is_blind", Kind.NOTED),
    RatingField("shown", Kind.NOTED),
    RatingField("round", Kind.NOTED),
)
TEXT_FIELDS: Final = tuple(field for field in FIELDS if field.kind is Kind.TEXT)
ERROR_TAGS: Final = "error_tags"
REMARKS: Final = (*(field.name for field in TEXT_FIELDS), ERROR_TAGS)
# What an annotator gives: a form sends it, a draft holds it.
TYPED: Final = (*CRITERIA, *REMARKS)
# The columns that a rating and its revisions share.
COLUMNS: Final = (*SCORE_COLUMNS, *(field.name for field in FIELDS))
EXPORTED: Final = tuple(field.name for field in FIELDS if field.is_exported)
# The reading aids that `shown` is about.
AIDS: Final = ("aligned", "diff", "marks")


class Given(TypedDict, total=False):
    """What an annotator gives a candidate, as services take it; left out is empty."""

    scores: Required[Mapping[str, int]]
    comment: str
    note: str
    error_tags: Sequence[Any]


def remarks_of(row: Any) -> dict[str, Any]:
    """Return the texts and error tags of a stored rating or revision."""
    return {name: getattr(row, name) for name in REMARKS}


def texts_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the free texts among what is given, "" where there are none."""
    return {field.name: given.get(field.name, "") for field in TEXT_FIELDS}


def rating_digest(assignment_id: UUID, given: Mapping[str, Any]) -> str:
    """Return the sha256 of what a rating holds, in whatever order its keys come."""
    values = [str(assignment_id), dict(given["scores"])]
    for field in FIELDS:
        if field.kind is Kind.TEXT:
            values.append(given.get(field.name, ""))
        elif field.kind is Kind.TAGS:
            values.append(list(given.get(field.name, ())))
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


Value = TypeVar("Value", bound=Hashable)
# Rating points by criterion, 0 to 10, exactly.
Points = dict[str, Fraction]


@dataclass(frozen=True, slots=True)
class RatedScores:
    """One annotator's rating of one candidate, as whatever measures ratings reads it.

    `scores` are as stored: the four criteria 0 to 10, the overall as its numerator, 0 to 110.
    Names are ids as text or pseudonyms, "" where a reader has no use for one; `position` counts
    the annotator's own ratings in the campaign from 1, in the order of giving.
    """

    annotator: str
    candidate: str
    scores: Mapping[str, int]
    reference: str = ""
    rating: str = ""
    purpose: str = ""
    position: int = 0

    @property
    def overall(self) -> int:
        return self.scores[OVERALL]


def scores_of(stored: Iterable[int]) -> dict[str, int]:
    """Return the five scores by criterion, given the columns `rubric.SCORE_COLUMNS`."""
    return dict(zip(ALL_CRITERIA, stored, strict=True))


def points_of(scores: Mapping[str, int]) -> Points:
    """Return stored scores in rating points: the overall is numerator / 11."""
    return {key: Fraction(value, unit_of(key)) for key, value in scores.items()}


def ruled_points(stored: Mapping[str, str]) -> Points:
    """Return the points of a ruling, which are stored as fractions in text."""
    return {criterion: Fraction(value) for criterion, value in stored.items()}


def mean(values: Sequence[Fraction]) -> Fraction | None:
    """Return the exact mean, or None of no values: sum of the values / their number."""
    return sum(values, Fraction(0)) / len(values) if values else None


def settled_value(given: Sequence[Fraction], ruled: Fraction | None = None) -> Fraction | None:
    """Return the value that counts: the ruled one where there is one, else the mean.

    Input: one criterion of one candidate, in points: what each annotator gave, and what the valid
    ruling gives. None where there is neither.
    """
    return mean(given) if ruled is None else ruled


def majority(values: Sequence[Value]) -> Value | None:
    """Return the value that more than half of the annotators give, or None where there is none.

    Input: one value of each annotator who is asked about: points of a candidate, or in which order
    somebody who rated both puts two candidates. Half of them is no majority. Whatever is called a
    majority of annotators in this program is this one; callers decide what none means. The baseline
    of that name in a report is another thing: the most frequent label of all its items.
    """
    if not values:
        return None
    value, times = Counter(values).most_common(1)[0]
    return value if 2 * times > len(values) else None


@dataclass(frozen=True, slots=True)
class SettledValue:
    """One criterion of one candidate: what was given, and what counts under each policy.

    All in rating points, 0 to 10, the overall as numerator / 11. `settled` is the ruling where
    there is one, else the mean; `majority` what more than half gave; none where there is nothing.
    """

    criterion: str
    given: tuple[Fraction, ...]
    settled: Fraction | None
    majority: Fraction | None
    is_ruled: bool

    @property
    def name(self) -> str:
        return NAMES[self.criterion]

    @property
    def settled_text(self) -> str:
        return "none" if self.settled is None else mean_text(self.settled)

    @property
    def majority_text(self) -> str:
        return "none" if self.majority is None else points_text(self.criterion, self.majority)


def settle(
    given: Sequence[Mapping[str, Fraction]], ruling: Mapping[str, Fraction] | None = None
) -> tuple[SettledValue, ...]:
    """Return the five criteria of a candidate in the rubric's order.

    Input: each annotator's points by criterion, and those of the valid ruling where there is one.
    The ruling counts instead of the mean; a majority is one of the annotators whatever was ruled.
    """
    values = []
    for criterion in ALL_CRITERIA:
        column = tuple(points[criterion] for points in given)
        ruled = ruling[criterion] if ruling else None
        settled, found = settled_value(column, ruled), majority(column)
        values.append(SettledValue(criterion, column, settled, found, ruled is not None))
    return tuple(values)


def points_text(criterion: str, value: Fraction) -> str:
    """Return points (0 to 10) as people read them: a score is whole, all else as `mean_text`."""
    is_score = criterion != OVERALL and value.denominator == 1
    return str(value.numerator) if is_score else mean_text(value)


def mean_text(value: Fraction) -> str:
    """Return what was calculated of points, with two decimals, rounded half up."""
    hundredths = (200 * value + 1) // 2
    return f"{hundredths // 100}.{hundredths % 100:02d}"
