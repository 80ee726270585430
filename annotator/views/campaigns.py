"""The campaign page of an admin, and its counts as they stand now."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotator.conflicts.rules import gap_text
from annotator.forms.comparison import AskForm
from annotator.gate import SignedInRequest
from annotator.models import Campaign, Role
from annotator.queries.access import campaigns_for, roles_of
from annotator.queries.campaign_notices import campaign_notices
from annotator.queries.campaign_progress import campaign_progress
from annotator.queries.preference_check import preference_check
from annotator.queries.retention import retention


@require_safe
def campaign(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the progress of a campaign to its admins; it is not found by those outside it."""
    return campaign_page(request, own_campaign(request, slug))


@require_safe
def campaign_counts(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the counts alone, for a page that is open."""
    row = own_campaign(request, slug)
    context = {"campaign": row, "progress": campaign_progress(row)}
    return render(request, "annotator/_campaign_counts.html", context)


def own_campaign(request: SignedInRequest, slug: str) -> Campaign:
    """Return the campaign if the person is its admin."""
    row = get_object_or_404(campaigns_for(request.user), slug=slug)
    if Role.ADMIN not in roles_of(request.user, row):
        raise PermissionDenied
    return row


def campaign_page(
    request: HttpRequest, row: Campaign, asking: AskForm | None = None, status: int = 200
) -> HttpResponse:
    """Show the campaign page, with the form for comparisons as it was sent."""
    context = {
        "campaign": row,
        "progress": campaign_progress(row),
        "rules": {
            "criterion_gap": row.criterion_gap,
            "overall_gap": gap_text(row.overall_gap_numerator),
            "flip_gap": gap_text(row.flip_gap_numerator),
        },
        "retention": retention(row, timezone.now().date()),
        "notices": campaign_notices(row),
        "check": preference_check(row),
        "asking": asking or AskForm(),
    }
    return render(request, "annotator/campaign.html", context, status=status)
