"""The campaign page of an admin."""

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from annotator.gate import SignedInRequest
from annotator.models import Role
from annotator.queries.access import campaigns_for, roles_of
from annotator.queries.campaign_progress import campaign_progress


@require_GET
def campaign(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the progress of a campaign to its admins; it is not found by those outside it."""
    user = request.user
    row = get_object_or_404(campaigns_for(user), slug=slug)
    if Role.ADMIN not in roles_of(user, row):
        raise PermissionDenied
    context = {"campaign": row, "progress": campaign_progress(row)}
    return render(request, "annotator/campaign.html", context)
