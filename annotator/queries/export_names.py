"""How an export of ratings calls annotators: by user name, by a pseudonym of its own, or not."""

from collections.abc import Mapping
from functools import cache
from typing import Final, Protocol
from uuid import UUID

from django.db.models import Q
from django.utils.crypto import salted_hmac

from annotator.models import Assignment, Campaign, Comparison, User

# What the reader of Label Studio's files puts before the number of an annotator.
ELSEWHERE: Final = "label-studio-"
# Numbers up to here are read alike by every reader of JSON.
EXACT_BITS: Final = 53
DIGITS: Final = 10


class Naming(Protocol):
    """A name and a number for each annotator."""

    def name(self, pk: UUID) -> str | None: ...

    def number(self, pk: UUID) -> int: ...

    def number_elsewhere(self, number: int, pk: UUID | None) -> int:
        """Return the number of one to whom another program gave a number; pk where known here."""


class Pseudonyms:
    """Names that follow from a key and the secret of this install: another key, other names.

    The campaign goes into them, so that one key does not join two campaigns.
    """

    def __init__(self, campaign: Campaign, key: str) -> None:
        self._prefix = f"{campaign.pk}:{key}"
        self._digits = cache(self._made)

    def name(self, pk: UUID) -> str:
        return f"annotator-{self._digits(pk)}"

    def number(self, pk: UUID) -> int:
        return int(self._digits(pk), 16)

    def number_elsewhere(self, number: int, pk: UUID | None) -> int:
        return self.number(pk or UUID(int=number))

    def _made(self, pk: UUID) -> str:
        made = salted_hmac("annotator.exports", f"{self._prefix}:{pk}", algorithm="sha256")
        return made.hexdigest()[:DIGITS]


class Nobody:
    """No annotator is told apart from another."""

    def name(self, pk: UUID) -> None:
        return None

    def number(self, pk: UUID) -> int:
        return 0

    def number_elsewhere(self, number: int, pk: UUID | None) -> int:
        return 0


class UserNames:
    """User names; the numbers of those who came by import, and for the others one of their id."""

    def __init__(self, names: Mapping[UUID, str]) -> None:
        self._names = names

    def name(self, pk: UUID) -> str:
        return self._names[pk]

    def number(self, pk: UUID) -> int:
        digits = self._names[pk].removeprefix(ELSEWHERE)
        is_imported = digits != self._names[pk] and digits.isascii() and digits.isdigit()
        return int(digits) if is_imported else number_of(pk)

    def number_elsewhere(self, number: int, pk: UUID | None) -> int:
        return number


def user_names(campaign: Campaign) -> UserNames:
    """Return the names of all who were given something to rate or to compare in a campaign."""
    of_campaign = {"campaign": campaign}
    given = Q(pk__in=Assignment.objects.filter(**of_campaign).values("annotator")) | Q(
        pk__in=Comparison.objects.filter(**of_campaign).values("annotator")
    )
    return UserNames(dict(User.objects.filter(given).values_list("pk", "username")))


def number_of(pk: UUID) -> int:
    """Return a number that stands for an id, the same each time."""
    return pk.int & ((1 << EXACT_BITS) - 1)
