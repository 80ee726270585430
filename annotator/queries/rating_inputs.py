"""What a reliability report is about, in a few numbers: the same numbers, the same figures."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final, Self

from django.db.models import Count, Max, Model, QuerySet, Sum

from annotator.models import Assignment, Campaign, Membership, Preference, Rating, Role

# Raised when a change here, in rating_tables or in annotator.reliability moves a number.
CODE_VERSION: Final = "1"


@dataclass(frozen=True, slots=True)
class State:
    """How many rows there are, how often they were written in all, and when last.

    Every revision raises a row's version, so that no change leaves all three as they were.
    """

    rows: int
    versions: int
    last: str

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[int, datetime]]) -> Self:
        """Return the state of rows that were read; each gives its version and last change."""
        found = list(rows)
        last = max((at for _, at in found), default=None)
        return cls(len(found), sum(version for version, _ in found), _text(last))

    @property
    def revisions(self) -> int:
        return self.versions - self.rows


@dataclass(frozen=True, slots=True)
class Inputs:
    """The ratings and preferences of a campaign, and whose ratings are left out as an admin's."""

    ratings: State
    preferences: State
    admins: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """The digest by which a report is found again."""
        text = json.dumps([CODE_VERSION, asdict(self)], sort_keys=True)
        return sha256(text.encode()).hexdigest()


def inputs_of(campaign: Campaign) -> Inputs:
    """Measure the inputs by aggregates; no rating is read."""
    return Inputs(
        # By way of the assignments: those of the candidates are wide with claim texts.
        _state(Rating.objects.filter(assignment__campaign=campaign)),
        _state(Preference.objects.filter(comparison__campaign=campaign)),
        rating_admins(campaign),
    )


def rating_admins(campaign: Campaign) -> tuple[str, ...]:
    """Return the ids of the campaign's admins who were given something to rate."""
    admins = Membership.objects.filter(campaign=campaign, role=Role.ADMIN).values("user")
    rows = Assignment.objects.filter(campaign=campaign, annotator__in=admins).order_by()
    return tuple(sorted(str(pk) for pk in set(rows.values_list("annotator", flat=True))))


def _state(rows: QuerySet[Model]) -> State:
    found = rows.aggregate(n=Count("pk"), versions=Sum("version"), last=Max("revised_at"))
    return State(found["n"], found["versions"] or 0, _text(found["last"]))


def _text(at: datetime | None) -> str:
    return at.astimezone(UTC).isoformat() if at else ""
