"""What a rating holds beside its four scores, declared once.

The form, its draft and page, the digest of a request, the API, revisions, exports, the adjudication
page and erasure read this list; the columns stand in `annotator.models.ratings.Scores`, because
Django wants them there. Standard library only.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Required, TypedDict
from uuid import UUID

from annotator.rubric import CRITERIA, SCORE_COLUMNS

LONGEST_WORDS: Final = 20_000


class Kind(Enum):
    """Who says it, and how: free words, error tags, or what the server notes of the work."""

    WORDS = "words"
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
    RatingField("comment", Kind.WORDS, "Comment", "optional"),
    RatingField("error_tags", Kind.TAGS),
    RatingField("note", Kind.WORDS, "Note", "to the adjudicator only", is_exported=False),
    RatingField("active_seconds", Kind.NOTED),
    RatingField("is_blind", Kind.NOTED),
    RatingField("shown", Kind.NOTED),
    RatingField("round", Kind.NOTED),
)
WORDS: Final = tuple(field for field in FIELDS if field.kind is Kind.WORDS)
ERROR_TAGS: Final = "error_tags"
SAID: Final = (*(field.name for field in WORDS), ERROR_TAGS)
# What an annotator gives: a form sends it, a draft keeps it.
TYPED: Final = (*CRITERIA, *SAID)
# The columns that a rating and its revisions share.
COLUMNS: Final = (*SCORE_COLUMNS, *(field.name for field in FIELDS))
EXPORTED: Final = tuple(field.name for field in FIELDS if field.is_exported)
# The reading aids that `shown` tells of.
AIDS: Final = ("aligned", "diff", "marks")


class Given(TypedDict, total=False):
    """What an annotator gives a candidate, as services take it; left out is empty."""

    scores: Required[Mapping[str, int]]
    comment: str
    note: str
    error_tags: Sequence[Any]


def said_of(row: Any) -> dict[str, Any]:
    """Return the words and error tags of a stored rating or revision."""
    return {name: getattr(row, name) for name in SAID}


def words_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the free words among what is given, "" where there are none."""
    return {field.name: given.get(field.name, "") for field in WORDS}


def rating_digest(assignment_id: UUID, given: Mapping[str, Any]) -> str:
    """Return the sha256 of what a rating says, in whatever order its keys come."""
    said = [str(assignment_id), dict(given["scores"])]
    for field in FIELDS:
        if field.kind is Kind.WORDS:
            said.append(given.get(field.name, ""))
        elif field.kind is Kind.TAGS:
            said.append(list(given.get(field.name, ())))
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
