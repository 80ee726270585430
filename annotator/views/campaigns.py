"""The campaign page of an admin, and its counts as they stand now."""

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
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
from annotator.queries.reliability_access import COUNTS_WITHHELD, counts_withheld
from annotator.queries.retention import retention


@require_safe
def campaign(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the progress of a campaign to its admins; it is not found by those outside it."""
    return campaign_page(request, own_campaign(request, slug))


@require_safe
def campaign_counts(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the counts alone, for a page that is open."""
    row = counted_campaign(request, slug)
    context = {"campaign": row, "progress": campaign_progress(row)}
    return render(request, "annotator/_campaign_counts.html", context)


def own_campaign(request: SignedInRequest, slug: str) -> Campaign:
    """Return the campaign if the person is its admin."""
    row = get_object_or_404(campaigns_for(request.user), slug=slug)
    if Role.ADMIN not in roles_of(request.user, row):
        raise PermissionDenied
    return row


def counted_campaign(request: SignedInRequest, slug: str) -> Campaign:
    """Return the campaign if the person is its admin and its counts are not withheld from them."""
    row = own_campaign(request, slug)
    if counts_withheld(row, request.user):
        raise PermissionDenied(COUNTS_WITHHELD)
    return row


def campaign_page(
    request: SignedInRequest, row: Campaign, asking: AskForm | None = None, status: int = 200
) -> HttpResponse:
    """Show the campaign page, with the form for comparisons as it was sent."""
    context: dict[str, object] = {
        "campaign": row,
        "rules": {
            "criterion_gap": row.criterion_gap,
            "overall_gap": gap_text(row.overall_gap_numerator),
            "flip_gap": gap_text(row.flip_gap_numerator),
        },
        "retention": retention(row, timezone.now().date()),
    }
    if counts_withheld(row, request.user):
        context["withheld"] = COUNTS_WITHHELD
    else:
        context |= {
            "progress": campaign_progress(row),
            "notices": campaign_notices(row),
            "check": preference_check(row),
            "asking": asking or AskForm(),
        }
    return render(request, "annotator/campaign.html", context, status=status)
