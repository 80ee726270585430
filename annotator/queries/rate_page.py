"""What the rate screen shows of an assignment, and nothing that an annotator may not see."""

from dataclasses import dataclass
from uuid import UUID

from annotator.claims.parsing import Claim, parse_claims
from annotator.models import Assignment, Rating, User
from annotator.queries.access import assignments_for
from annotator.queries.locks import is_locked


@dataclass(frozen=True, slots=True)
class ClaimSetView:
    """A claim set to be read: its claims in order, and its facts."""

    heading: str
    facts: tuple[str, ...]
    claims: tuple[Claim, ...]
    words: int


@dataclass(frozen=True, slots=True)
class RatePage:
    """One assignment on screen."""

    assignment: Assignment
    reference: ClaimSetView
    candidate: ClaimSetView
    rating: Rating | None
    is_locked: bool
    number: int
    total: int
    previous_id: UUID | None
    next_id: UUID | None


def rate_page(user: User, assignment: Assignment) -> RatePage:
    """Return the page of an assignment of the user's own."""
    order = list(
        assignments_for(user)
        .filter(campaign=assignment.campaign)
        .order_by("position", "created_at")
        .values_list("pk", flat=True)
    )
    place = order.index(assignment.pk)
    source = assignment.candidate.reference
    facts = tuple(fact for fact in (source.office, source.ipc) if fact)
    return RatePage(
        assignment=assignment,
        reference=_claim_set(f"Reference: {source.title}" if source.title else "Reference", facts, source.claims),
        candidate=_claim_set(assignment.label, (), assignment.candidate.claims),
        rating=Rating.objects.filter(assignment=assignment).first(),
        is_locked=is_locked(assignment),
        number=place + 1,
        total=len(order),
        previous_id=order[place - 1] if place else None,
        next_id=order[place + 1] if place + 1 < len(order) else None,
    )


def _claim_set(heading: str, facts: tuple[str, ...], text: str) -> ClaimSetView:
    return ClaimSetView(heading, facts, parse_claims(text), len(text.split()))
