"""An annotator's own results, once the campaign is closed."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods

from annotator.gate import SignedInRequest
from annotator.jobs.registry import ring_on_commit
from annotator.jobs.rows import JobStatus
from annotator.models import Campaign, Role
from annotator.queries.access import campaigns_for, roles_of
from annotator.queries.own_feedback import own_feedback
from annotator.queries.reliability_reports import standing_of
from annotator.services.reliability import request_reliability
from annotator.services.unblinding import show_feedback
from annotator.views.see_other import SeeOther

CONFLICT = 409


@require_http_methods(["GET", "HEAD", "POST"])
def feedback(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show own results; a POST asks a worker for them; looking at them is recorded once."""
    campaign = get_object_or_404(campaigns_for(request.user), slug=slug)
    if Role.ANNOTATOR not in roles_of(request.user, campaign):
        raise PermissionDenied
    if campaign.is_open:
        status = CONFLICT if request.method == "POST" else 200
        return render(
            request, "annotator/feedback_closed.html", {"campaign": campaign}, status=status
        )
    if request.method == "POST":
        row = request_reliability(campaign=campaign, asked_by=request.user)
        if row.status == JobStatus.QUEUED:
            ring_on_commit(row)
        return SeeOther(resolve_url("annotator:feedback", slug))
    return render(request, "annotator/feedback.html", _context(request, campaign))


def _context(request: SignedInRequest, campaign: Campaign) -> dict[str, Any]:
    standing = standing_of(campaign)
    own = None
    # Older figures might rest on ratings that the annotator could still have changed.
    if standing.latest and standing.is_current:
        own = own_feedback(standing.latest, str(request.user.pk))
        if own:
            show_feedback(campaign=campaign, annotator=request.user)
    return {"campaign": campaign, "standing": standing, "own": own}
