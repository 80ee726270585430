"""The campaign page of an admin, and its counts as they stand now."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotator.conflicts.rules import gap_text
from annotator.forms.comparison import AskForm
from annotator.gate import SignedInRequest, counted_campaign, own_campaign
from annotator.models import Campaign
from annotator.queries.campaign_notices import campaign_notices
from annotator.queries.campaign_progress import campaign_progress
from annotator.queries.preference_check import preference_check
from annotator.queries.reliability_access import COUNTS_WITHHELD, counts_withheld
from annotator.queries.retention import retention
from annotator.refusals import Refused
from annotator.services.comparison_draws import ask_comparisons
from annotator.views.see_other import SeeOther

UNPROCESSABLE = 422


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


@require_POST
def ask(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give out comparisons of a share of all pairs, and go back to the campaign."""
    campaign = counted_campaign(request, slug)
    form = AskForm(request.POST)
    if not form.is_valid():
        form.focus_error()
        return campaign_page(request, campaign, form, UNPROCESSABLE)
    try:
        asked = ask_comparisons(
            campaign=campaign,
            share=form.exact_share,
            seed=form.cleaned_data["seed"],
            asked_by=request.user,
        )
    except Refused as refusal:
        form.add_error(None, refusal.sentence)
        return campaign_page(request, campaign, form, refusal.status)
    messages.success(
        request,
        f"{asked.pairs} of {asked.of} pairs drawn; {asked.comparisons} comparisons given out.",
    )
    return SeeOther(resolve_url("annotator:campaign", campaign.slug))
