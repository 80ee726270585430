"""How a reference opens, how long its candidates are, and how long their annotator will need.

The time follows from the annotator's own ratings: that of others would show what they did.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Final
from uuid import UUID

from django.db.models.functions import Length, Substr

from annotator.models import Assignment, Rating, User
from patclaimeval.claims.openings import HEAD, opening_of

# Ratings with a time from which on a time is expected, and how many of the latest are read.
FEWEST: Final = 5
MOST_READ: Final = 200
# From here on a "word" is no word: the script writes no spaces.
LONGEST_WORD: Final = 20
ROUNDED_FROM: Final = 100


@dataclass(frozen=True, slots=True)
class Size:
    """How long a candidate is: in words, or in characters where its script writes no spaces.

    `minutes` is None until the annotator has rated enough in the campaign.
    """

    words: int | None
    characters: int
    minutes: int | None


def head_of(reference: str) -> Substr:
    """Return the expression of how the claims of a reference begin, for its opening."""
    return Substr(f"{reference}__claims", 1, HEAD)


def read_sizes(
    user: User, assignments: Collection[UUID], campaigns: Iterable[UUID]
) -> tuple[dict[UUID, Size], dict[UUID, str]]:
    """Return the sizes of a user's assignments, and the openings of their references.

    Two queries, however many they are.
    """
    speeds = _own_speeds(user, campaigns)
    rows = Assignment.objects.filter(annotator=user, pk__in=assignments).values_list(
        "pk",
        "campaign",
        "candidate__claims",
        "candidate__reference",
        head_of("candidate__reference"),
    )
    sizes: dict[UUID, Size] = {}
    openings: dict[UUID, str] = {}
    for pk, campaign, claims, reference, head in rows:
        sizes[pk] = size_of(claims, speeds.get(campaign))
        if reference not in openings:
            openings[reference] = opening_of(head)
    return sizes, openings


def size_of(claims: str, speed: float | None) -> Size:
    """Return the size of a claim set that is read at `speed` seconds a character.

    Above 100, words and characters are rounded to tens: two candidates of one text are not to be
    found by their number.
    """
    words, characters = len(claims.split()), len(claims)
    minutes = None if speed is None or not claims else max(1, round(speed * characters / 60))
    has_words = characters <= LONGEST_WORD * words
    return Size(_rounded(words) if has_words else None, _rounded(characters), minutes)


def _rounded(number: int) -> int:
    return number if number < ROUNDED_FROM else round(number, -1)


def _own_speeds(user: User, campaigns: Iterable[UUID]) -> dict[UUID, float]:
    """Return the user's median seconds a character in each campaign with enough ratings."""
    rows = (
        Rating.objects.filter(
            annotator=user, assignment__campaign__in=campaigns, active_seconds__gt=0
        )
        .annotate(characters=Length("candidate__claims"))
        .filter(characters__gt=0)
        .order_by("-submitted_at")
        .values_list("assignment__campaign", "active_seconds", "characters")
    )
    speeds: dict[UUID, list[float]] = {}
    for campaign, seconds, characters in rows[:MOST_READ]:
        speeds.setdefault(campaign, []).append(seconds / characters)
    return {key: median(found) for key, found in speeds.items() if len(found) >= FEWEST}
