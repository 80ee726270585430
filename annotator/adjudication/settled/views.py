"""The settled ratings of a campaign, and what each follows from, for admins and researchers."""

from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotator.access.gate import SignedInRequest, read_campaign
from annotator.access.visibility import Reader, ratings_withheld, show_systems
from annotator.adjudication.settled.queries import (
    candidate_trace,
    names_for,
    references_with_candidates,
    settled_references,
)
from annotator.models import Campaign
from core.http import missing_is_404
from patclaimeval.rubric import RUBRIC

REFERENCES_A_PAGE = 20
HEADINGS = (*(criterion.name for criterion in RUBRIC), "Overall")


@require_safe
def settled(request: SignedInRequest, slug: str) -> HttpResponse:
    """List every candidate of a campaign with its settled values, by reference."""
    campaign, reader = read_campaign(request, slug)
    if ratings_withheld(campaign, reader):
        return _withheld(request, campaign, reader)
    pages = Paginator(references_with_candidates(campaign), REFERENCES_A_PAGE)
    page = pages.get_page(request.GET.get("page"))
    show_systems(campaign=campaign, user=request.user)
    found = settled_references(campaign, list(page), shows_titles=reader.is_admin)
    policy = "majority" if request.GET.get("policy") == "majority" else "settled"
    context = _context(campaign, reader) | {"page": page, "references": found, "policy": policy}
    return render(request, "annotator/adjudication/settled.html", context)


@require_safe
def settled_candidate(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Show what the settled values of one candidate follow from."""
    campaign, reader = read_campaign(request, slug)
    if ratings_withheld(campaign, reader):
        return _withheld(request, campaign, reader)
    names = names_for(request.user, campaign, pk, is_admin=reader.is_admin)
    with missing_is_404():
        trace = candidate_trace(campaign, pk, names, shows_titles=reader.is_admin)
    show_systems(campaign=campaign, user=request.user)
    context = _context(campaign, reader) | {"trace": trace, "tells_each": bool(names)}
    return render(request, "annotator/adjudication/settled_candidate.html", context)


def _withheld(request: SignedInRequest, campaign: Campaign, reader: Reader) -> HttpResponse:
    return render(
        request,
        "annotator/adjudication/settled_withheld.html",
        {"campaign": campaign, "rates_here": reader.is_withheld},
        status=403 if reader.is_withheld else 200,
    )


def _context(campaign: Campaign, reader: Reader) -> dict[str, object]:
    return {"campaign": campaign, "is_admin": reader.is_admin, "headings": HEADINGS}
