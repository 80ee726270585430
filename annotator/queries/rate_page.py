"""What the rate page shows: two claim sets, the annotator's own rating, and nothing else.

The page is blind: no system, no candidate_id, no rating of another person and no model score is
put into these rows, so that no template can show them by mistake.
"""

from dataclasses import dataclass
from uuid import UUID

from annotator.claims.parsing import Claim, parse_claims
from annotator.models import Assignment, AssignmentStatus, Rating, User
from annotator.queries.access import assignments_for
from annotator.queries.locks import LOCKED_SENTENCE, is_locked

DEEPEST_INDENT = 4
CLOSED_SENTENCE = "The campaign is closed; ratings are no longer taken."


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """One claim as the reading pane shows it."""

    number: int | None
    words: str
    depends_on: tuple[int, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class Pane:
    """A claim set in its reading pane."""

    name: str
    lines: tuple[ClaimLine, ...]
    word_count: int

    @property
    def claim_count(self) -> int:
        return sum(line.number is not None for line in self.lines)


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another candidate of the same reference that is this annotator's too."""

    assignment_id: UUID
    label: str
    is_rated: bool
    is_current: bool


@dataclass(frozen=True, slots=True)
class RatePage:
    """Everything that the rate page shows."""

    assignment: Assignment
    rating: Rating | None
    closed_because: str
    reference: Pane
    candidate: Pane
    siblings: tuple[Sibling, ...]

    @property
    def is_writable(self) -> bool:
        return not self.closed_because


def rate_page(user: User, assignment_id: UUID) -> RatePage | None:
    """Return the page of the user's own assignment; None when it is not theirs."""
    assignment = assignments_for(user).filter(pk=assignment_id).first()
    if assignment is None:
        return None
    rating = Rating.objects.filter(assignment=assignment).first()
    candidate = assignment.candidate
    return RatePage(
        assignment=assignment,
        rating=rating,
        closed_because=_closed_because(assignment, rating),
        reference=read_pane("Reference", candidate.reference.claims),
        candidate=read_pane(assignment.label, candidate.claims),
        siblings=_siblings(user, assignment),
    )


def read_pane(name: str, text: str) -> Pane:
    """Cut a claim set into lines, indented by how far each claim is from an independent one."""
    depths: dict[int, int] = {}
    lines = []
    for claim in parse_claims(text):
        depth = _depth(claim, depths)
        if claim.number is not None:
            depths.setdefault(claim.number, depth)
        lines.append(ClaimLine(claim.number, claim.body, claim.depends_on, depth))
    words = sum(len(line.words.split()) for line in lines)
    return Pane(name, tuple(lines), words)


def _depth(claim: Claim, depths: dict[int, int]) -> int:
    if not claim.depends_on:
        return 0
    # A citation of a later or missing claim has no depth yet: one step is right for it.
    above = max(depths.get(number, 0) for number in claim.depends_on)
    return min(above + 1, DEEPEST_INDENT)


def _closed_because(assignment: Assignment, rating: Rating | None) -> str:
    if not is_locked(assignment):
        return ""
    return LOCKED_SENTENCE if rating else CLOSED_SENTENCE


def _siblings(user: User, current: Assignment) -> tuple[Sibling, ...]:
    rows = assignments_for(user).filter(candidate__reference=current.candidate.reference_id)
    return tuple(
        Sibling(row.pk, row.label, row.status == AssignmentStatus.SUBMITTED, row.pk == current.pk)
        for row in rows.order_by("position")
    )
