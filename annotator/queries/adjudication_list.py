"""The list of conflicts, a page at a time: which references have some, how many, and the first."""

from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotator.models import Conflict, ConflictStatus, Turn, User
from annotator.queries.conflict_cases import conflicts_to_rule

_REFERENCE = "candidate__reference"
_ORDER = ("campaign__name", f"{_REFERENCE}__position", f"{_REFERENCE}_id")


def references_to_rule(user: User) -> list[UUID]:
    """Return the references with an open conflict for the user, in the order of the list."""
    rows = _open(user).order_by(*_ORDER).values_list(*_ORDER).distinct()
    return [reference for *_, reference in rows]


def case_count(user: User) -> int:
    """Return how many cases are open: candidates, or pairs of them, with a conflict."""
    return _open(user).order_by().values("candidate", "other_candidate").distinct().count()


def first_free(user: User) -> UUID | None:
    """Return the first conflict that no other adjudicator has open."""
    taken = Turn.objects.filter(
        Q(candidate=OuterRef("candidate")) | Q(candidate=OuterRef("other_candidate")),
        expires_at__gt=Now(),
    ).exclude(adjudicator=user)
    alone_first = F("other_candidate").asc(nulls_first=True)
    free = _open(user).filter(~Exists(taken)).order_by(*_ORDER, alone_first, "-gap", "pk")
    return free.values_list("pk", flat=True).first()


def _open(user: User) -> QuerySet[Conflict]:
    return conflicts_to_rule(user).filter(status=ConflictStatus.OPEN)
