"""The rulings of a campaign for its admins, and the voiding of a signature."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_POST, require_safe

from annotator.gate import SignedInRequest, counted_campaign
from annotator.models import Campaign
from annotator.queries.campaign_rulings import campaign_rulings, rulings_of
from annotator.refusals import Refused
from annotator.services.adjudication import void_adjudication
from annotator.views.see_other import SeeOther


@require_safe
def rulings(request: SignedInRequest, slug: str) -> HttpResponse:
    """List the rulings of a campaign to its admins."""
    return _show(request, counted_campaign(request, slug))


@require_POST
def void(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Void a signature for a reason; its conflicts open again."""
    campaign = counted_campaign(request, slug)
    row = get_object_or_404(rulings_of(campaign), pk=pk)
    reason = request.POST.get("reason", "").replace("\r\n", "\n")
    try:
        void_adjudication(adjudication_id=row.pk, reason=reason, by=request.user)
    except Refused as refusal:
        wrong = {"pk": row.pk, "sentence": refusal.sentence, "reason": reason}
        return _show(request, campaign, wrong, refusal.status)
    messages.success(request, "The signature is void; its conflicts are open again.")
    return SeeOther(resolve_url("annotator:rulings", campaign.slug))


def _show(
    request: SignedInRequest,
    campaign: Campaign,
    wrong: dict[str, object] | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {"campaign": campaign, "rulings": campaign_rulings(campaign), "wrong": wrong or {}}
    return render(request, "annotator/rulings.html", context, status=status)
