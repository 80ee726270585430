"""Whether a reference that a draft was made from was erased before its version is stored."""

from collections.abc import Collection
from uuid import UUID

from annotator.imports.erasing import keyed_mark
from annotator.models import Campaign, Candidate, Rating, Reference
from scoring.datasets.drafts import Draft


def rates_erased(campaign: Campaign, used_ratings: Collection[str]) -> bool:
    """Return whether one of these ratings is of a reference that is erased by now."""
    gone = Rating.objects.filter(
        candidate__campaign=campaign, candidate__reference__erased_at__isnull=False
    )
    used = set(used_ratings)
    return any(str(pk) in used for pk in gone.values_list("pk", flat=True))


def erased_in(campaign: Campaign) -> frozenset[UUID]:
    """Return the references of a campaign that are erased by now."""
    rows = Reference.objects.filter(campaign=campaign).exclude(erased_at=None)
    return frozenset(rows.values_list("pk", flat=True))


def quotes_erased(campaign: Campaign, draft: Draft, before: Collection[UUID]) -> bool:
    """Return whether rows hold a text that was erased in the campaign, other than `before`.

    What is left of an erased text is its keyed mark; the rows of files name no row of ours.
    """
    since = erased_in(campaign).difference(before)
    if not since:
        return False
    marks = set(Reference.objects.filter(pk__in=since).values_list("claims_sha256", flat=True))
    candidates = Candidate.objects.filter(reference__in=since)
    marks.update(candidates.values_list("claims_sha256", flat=True))
    return any(
        keyed_mark(text) in marks for row in draft.rows for text in (row.reference, row.b, row.c)
    )
