"""The page of all candidates of a reference: show one claim of each, switch the reading aids."""

from typing import Any, Final
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_POST, require_safe

from annotator.access.gate import SignedInRequest
from annotator.rating.all_candidates import AllCandidates, all_candidates
from annotator.reading import READING_KEYS, reading_context, show_aid
from core.errors import Refused
from core.http import SeeOther

# The keys of the rate screen that work here too, as this screen calls them.
KEY_LABELS: Final = {
    # One claim is shown: nothing of a set is to be folded.
    **{code: words for code, words in READING_KEYS.items() if not code.startswith("fold-")},
    "next-candidate": "Next claim",
    "previous-candidate": "Previous claim",
    "all-candidates": "Back to the candidate",
    "queue": "Back to the queue",
    "keys": "List of all keys",
}
WITHHELD: Final = 403


@require_safe
def all_of_reference(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show one claim of the reference beside those of all candidates that the person has rated."""
    page = own_all_candidates(request, pk)
    if not page.is_allowed:
        return withheld(request, page)
    return render(request, "annotator/rating/all_candidates.html", _context(page))


@require_POST
def all_reading(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Switch a reading aid for this person: the claims as they look then, or the page again."""
    page = own_all_candidates(request, pk)
    if not page.is_allowed:
        return withheld(request, page)
    aid, _, wish = str(request.POST.get("aid", "")).partition(" ")
    try:
        show_aid(user=request.user, aid=aid, is_shown=wish != "off")
    except Refused as refusal:
        return HttpResponse(refusal.sentence, status=refusal.status, content_type="text/plain")
    if not request.headers.get("HX-Request"):
        return SeeOther(resolve_url("annotator:all_candidates", pk) + page.address(page.key))
    return render(request, "annotator/rating/_all_panes.html", _context(page))


def own_all_candidates(request: SignedInRequest, pk: UUID) -> AllCandidates:
    """Return the page of the person's own assignment, or 404."""
    asked = request.GET.get("claim", ""), request.GET.get("page", "")
    page = all_candidates(request.user, pk, *asked)
    if page is None:
        raise Http404
    return page


def _context(page: AllCandidates) -> dict[str, Any]:
    return {"page": page, **reading_context(page.preference, KEY_LABELS)}


def withheld(request: SignedInRequest, page: AllCandidates) -> HttpResponse:
    context = {"page": page}
    name = "annotator/rating/all_candidates_withheld.html"
    return render(request, name, context, status=WITHHELD)
