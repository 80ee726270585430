"""The settled ratings of a campaign, and what each follows from, for admins and researchers."""

from dataclasses import dataclass
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotator.access.gate import SignedInRequest
from annotator.access.scopes import (
    LEAST_DISTINGUISHED,
    Names,
    campaigns_for,
    pseudonyms,
    user_names,
)
from annotator.access.visibility import Reader, is_unblinded, reader_of, show_systems
from annotator.adjudication.settled.queries import (
    candidate_trace,
    raters_of,
    references_with_candidates,
    settled_references,
)
from annotator.models import Campaign, Shown
from annotator.rubric import RUBRIC
from core.http import missing_is_404

REFERENCES_A_PAGE = 20
HEADINGS = (*(criterion.name for criterion in RUBRIC), "Overall")


@dataclass(frozen=True, slots=True)
class Seen:
    """A campaign and the person who reads of it."""

    campaign: Campaign
    reader: Reader

    @property
    def is_withheld(self) -> bool:
        """Whether ratings and rulings are not theirs to read yet: see the matrix of rights."""
        return self.reader.is_withheld or (self.campaign.is_open and not self.reader.is_admin)


@require_safe
def settled(request: SignedInRequest, slug: str) -> HttpResponse:
    """List every candidate of a campaign with its settled values, by reference."""
    seen = _seen(request, slug)
    if seen.is_withheld:
        return _withheld(request, seen)
    pages = Paginator(references_with_candidates(seen.campaign), REFERENCES_A_PAGE)
    page = pages.get_page(request.GET.get("page"))
    show_systems(campaign=seen.campaign, user=request.user)
    found = settled_references(seen.campaign, list(page))
    policy = "majority" if request.GET.get("policy") == "majority" else "settled"
    context = _context(seen) | {"page": page, "references": found, "policy": policy}
    return render(request, "annotator/adjudication/settled.html", context)


@require_safe
def settled_candidate(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Show what the settled values of one candidate follow from."""
    seen = _seen(request, slug)
    if seen.is_withheld:
        return _withheld(request, seen)
    names = _names(request, seen, pk)
    with missing_is_404():
        trace = candidate_trace(seen.campaign, pk, names)
    show_systems(campaign=seen.campaign, user=request.user)
    context = _context(seen) | {"trace": trace, "tells_each": bool(names)}
    return render(request, "annotator/adjudication/settled_candidate.html", context)


def _seen(request: SignedInRequest, slug: str) -> Seen:
    """Return the campaign as its admins and researchers see it."""
    campaign = get_object_or_404(campaigns_for(request.user), slug=slug)
    reader = reader_of(campaign, request.user)
    if reader is None:
        raise PermissionDenied
    return Seen(campaign, reader)


def _withheld(request: SignedInRequest, seen: Seen) -> HttpResponse:
    return render(
        request,
        "annotator/adjudication/settled_withheld.html",
        {"campaign": seen.campaign, "rates_here": seen.reader.is_withheld},
        status=403 if seen.reader.is_withheld else 200,
    )


def _names(request: SignedInRequest, seen: Seen, pk: UUID) -> Names:
    """Return how annotators are called.

    Admins: the pseudonyms of the campaign's reliability page, or user names once they are shown.
    Researchers: pseudonyms of this one candidate, and none where there are too few.
    """
    ids = raters_of(seen.campaign)
    if not seen.reader.is_admin:
        return pseudonyms(ids, pk) if len(ids) >= LEAST_DISTINGUISHED else {}
    if is_unblinded(seen.campaign, request.user, Shown.NAMES):
        return user_names(ids)
    return pseudonyms(ids, seen.campaign.pk)


def _context(seen: Seen) -> dict[str, object]:
    return {"campaign": seen.campaign, "is_admin": seen.reader.is_admin, "headings": HEADINGS}
