"""Whose comparisons, which are open, and what the compare page shows.

The page is blind: no candidate row, no label of the rate screen and no rating is put into what
templates are given, so that none can be shown by mistake.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from annotator.access.scopes import recused_references
from annotator.models import (
    Campaign,
    CampaignStatus,
    Comparison,
    ComparisonDraft,
    Preference,
    ReadingPreference,
    Reference,
    Role,
    User,
)
from annotator.reading import reading_of, reading_preference
from core.database import neighbours
from patclaimeval.claims.minimap import Cell, State
from patclaimeval.claims.side_by_side import (
    SideBySide,
    joint_cells,
    set_side_by_side,
    unlike_states,
)

CLOSED_SENTENCE = "The campaign is closed; preferences are no longer taken."
RECUSED_SENTENCE = "You recused yourself from this reference: nothing is to be compared."


def comparisons_for(user: User) -> QuerySet[Comparison]:
    """Return the user's own comparisons in campaigns where they still are annotator."""
    return Comparison.objects.filter(
        annotator=user,
        campaign__memberships__user=user,
        campaign__memberships__role=Role.ANNOTATOR,
    ).select_related("campaign", "left__reference", "preference")


def compared_claims(user: User, comparison_id: UUID) -> Comparison | None:
    """Return the user's own comparison with its texts; None after a recusal from the reference."""
    rows = comparisons_for(user).select_related(None).select_related("left__reference", "right")
    rows = rows.exclude(left__reference__in=recused_references(user.pk))
    return rows.filter(pk=comparison_id).first()


def open_comparisons(user: User) -> QuerySet[Comparison]:
    """Return what the user may compare now, in order, without references they recused from."""
    # Read once, whatever the planner thinks of the tables: as a correlated question it was asked
    # of every row of a table that PostgreSQL took for empty, and took 38 s.
    rows = comparisons_for(user).filter(
        preference__isnull=True, campaign__status=CampaignStatus.OPEN
    )
    rows = rows.exclude(left__reference__in=recused_references(user.pk))
    rows = rows.annotate(has_draft=Q(draft__isnull=False))
    # A list needs no claim text, and a queue may be long.
    texts = ("left__claims", "left__reference__claims", "left__reference__draft_claims")
    return rows.defer(*texts).order_by("campaign__created_at", "position")


def next_comparison(user: User, after: Comparison) -> Comparison | None:
    """Return what to compare after a comparison: the same reference first, then its campaign."""
    rows = open_comparisons(user).exclude(pk=after.pk)
    here = rows.filter(campaign=after.campaign_id)
    same = here.filter(left__reference=after.left.reference_id)
    return same.first() or here.first() or rows.first()


def closed_because(comparison: Comparison) -> str:
    """Return why a comparison takes no preference any more, "" while it does."""
    return _closed_because(comparison.campaign, is_recused=_is_recused(comparison))


def _closed_because(campaign: Campaign, *, is_recused: bool) -> str:
    if not campaign.is_open:
        return CLOSED_SENTENCE
    return RECUSED_SENTENCE if is_recused else ""


def _is_recused(comparison: Comparison) -> bool:
    recused = recused_references(comparison.annotator_id)
    return recused.filter(candidate__reference=comparison.left.reference_id).exists()


SIDES: Final = ("left", "right")


def _note(lacking: Sequence[int]) -> str:
    """Return which side lacks a limitation of the reference."""
    return "on neither side" if len(lacking) > 1 else f"not on the {SIDES[lacking[0]]}"


@dataclass(frozen=True, slots=True)
class ComparePage:
    """Everything that the compare page shows."""

    comparison_id: UUID
    position: int
    campaign: Campaign
    reference: Reference
    seen: SideBySide
    preference: Preference | None
    draft: ComparisonDraft | None
    closed_because: str
    # Whether the annotator has recused themselves: no text of the reference is shown then.
    is_recused: bool
    previous: UUID | None
    following: UUID | None
    reading: ReadingPreference

    @property
    def cells(self) -> tuple[Cell, ...]:
        return joint_cells(self.seen, SIDES, SIDES)

    @property
    def states(self) -> list[list[tuple[State, int]]]:
        """Return how many claims of each side differ, by state."""
        return [unlike_states(self.seen, place) for place in range(len(SIDES))]

    @property
    def is_writable(self) -> bool:
        return not self.closed_because

    @property
    def label(self) -> str:
        return f"Comparison {self.position}"

    @property
    def version(self) -> int:
        return self.preference.version if self.preference else 0

    @property
    def draft_version(self) -> int:
        return self.draft.version if self.draft else 0


def compare_page(user: User, comparison_id: UUID) -> ComparePage | None:
    """Return the page of the user's own comparison; None when it is not theirs."""
    rows = comparisons_for(user).select_related(
        "campaign", "left__reference", "right", "preference", "draft"
    )
    comparison = rows.filter(pk=comparison_id).first()
    if comparison is None:
        return None
    reference = comparison.left.reference
    seen = set_side_by_side(
        [reading_of(reference, one) for one in (comparison.left, comparison.right)],
        _note,
    )
    is_recused = _is_recused(comparison)
    own = Comparison.objects.filter(annotator=user, campaign=comparison.campaign_id)
    # Answered or not.
    before, after = neighbours(own, comparison.position)
    return ComparePage(
        comparison_id=comparison.pk,
        position=comparison.position,
        campaign=comparison.campaign,
        reference=reference,
        seen=seen,
        preference=getattr(comparison, "preference", None),
        draft=getattr(comparison, "draft", None),
        closed_because=_closed_because(comparison.campaign, is_recused=is_recused),
        is_recused=is_recused,
        previous=before,
        following=after,
        reading=reading_preference(user),
    )
