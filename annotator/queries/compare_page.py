"""What the compare page shows: a reference, a left and a right, and the own preference.

The page is blind: no candidate row, no label of the rate screen and no rating is put into what
templates are given, so that none can be shown by mistake.
"""

from dataclasses import dataclass
from uuid import UUID

from annotator.claims.reading import SideView
from annotator.models import Campaign, Comparison, Preference, ReadingPreference, Reference, User
from annotator.queries.compare_rows import CompareRow, compare_rows
from annotator.queries.comparisons import closed_because, comparisons_for
from annotator.queries.readings import reading_of, reading_preference


@dataclass(frozen=True, slots=True)
class ComparePage:
    """Everything that the compare page shows."""

    comparison_id: UUID
    position: int
    campaign: Campaign
    reference: Reference
    reference_view: SideView
    left_view: SideView
    right_view: SideView
    rows: tuple[CompareRow, ...]
    notices: tuple[str, ...]
    preference: Preference | None
    closed_because: str
    previous: UUID | None
    following: UUID | None
    reading: ReadingPreference

    @property
    def is_writable(self) -> bool:
        return not self.closed_because

    @property
    def label(self) -> str:
        return f"Comparison {self.position}"

    @property
    def version(self) -> int:
        return self.preference.version if self.preference else 0


def compare_page(user: User, comparison_id: UUID) -> ComparePage | None:
    """Return the page of the user's own comparison; None when it is not theirs."""
    rows = comparisons_for(user).select_related(
        "campaign", "left__reference", "right", "preference"
    )
    comparison = rows.filter(pk=comparison_id).first()
    if comparison is None:
        return None
    reference = comparison.left.reference
    seen = compare_rows(
        reading_of(reference.claims, comparison.left.claims),
        reading_of(reference.claims, comparison.right.claims),
    )
    before, after = _neighbours(comparison)
    return ComparePage(
        comparison_id=comparison.pk,
        position=comparison.position,
        campaign=comparison.campaign,
        reference=reference,
        reference_view=seen.reference,
        left_view=seen.candidates[0],
        right_view=seen.candidates[1],
        rows=seen.rows,
        notices=seen.notices,
        preference=getattr(comparison, "preference", None),
        closed_because=closed_because(comparison),
        previous=before,
        following=after,
        reading=reading_preference(user),
    )


def _neighbours(current: Comparison) -> tuple[UUID | None, UUID | None]:
    """Return the comparisons before and after this one, answered or not, in the user's order."""
    rows = Comparison.objects.filter(annotator=current.annotator_id, campaign=current.campaign_id)
    before = rows.filter(position__lt=current.position).order_by("-position")
    after = rows.filter(position__gt=current.position).order_by("position")
    return (
        before.values_list("pk", flat=True).first(),
        after.values_list("pk", flat=True).first(),
    )
