"""The page of a campaign's webhooks, and what is done to each."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.access.gate import SignedInRequest, counted_campaign
from annotator.models import Campaign, Webhook
from annotator.outgoing.rules import TOLERANCE_SECONDS
from annotator.webhooks.forms import WebhookForm
from annotator.webhooks.queries import webhook_part, webhooks_of
from annotator.webhooks.services import (
    NewSecret,
    add_webhook,
    remove_webhook,
    rotate_secret,
    try_webhook,
)
from core.confirmation import Confirmation, ask, is_confirmed
from core.http import SeeOther, refusals_told


@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the webhooks and their deliveries; a POST adds one and shows its secret, this once."""
    campaign = counted_campaign(request, slug)
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with form.refusals():
            made = add_webhook(campaign=campaign, by=request.user, **form.cleaned_data)
            return _page(request, campaign, WebhookForm(), made)
    return _page(request, campaign, form)


def _page(
    request: SignedInRequest, campaign: Campaign, form: WebhookForm, made: NewSecret | None = None
) -> HttpResponse:
    form.focus_error()
    context = {
        "campaign": campaign,
        "form": form,
        "made": made,
        "webhooks": [webhook_part(row) for row in webhooks_of(campaign)],
        "is_on": bool(settings.WEBHOOK_HOSTS),
        "hosts": settings.WEBHOOK_HOSTS,
        "minutes": TOLERANCE_SECONDS // 60,
    }
    return render(request, "annotator/webhooks/webhooks.html", context, status=form.status)


def _own(request: SignedInRequest, slug: str, pk: UUID) -> tuple[Campaign, Webhook]:
    campaign = counted_campaign(request, slug)
    return campaign, get_object_or_404(webhooks_of(campaign), pk=pk)


@require_POST
def try_out(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Queue a delivery about nothing; the page shows what came of it."""
    campaign, row = _own(request, slug, pk)
    with refusals_told(request):
        try_webhook(webhook=row, by=request.user)
        messages.success(request, "A test is on its way; load this page again to see its answer.")
    return SeeOther(resolve_url("annotator:webhooks", campaign.slug))


@require_POST
def rotate(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Give it another secret, once confirmed, and show that, this once."""
    campaign, row = _own(request, slug, pk)
    if not is_confirmed(request):
        about = Confirmation(
            question="Make a new secret?",
            count="1 secret",
            effect="ends at once: what is sent from now on is signed with the new one alone, and a "
            "receiver that has the old one refuses it.",
            undo="This cannot be taken back. The new secret is shown once, on the next page.",
            act="Make a new secret",
            leave="Leave the secret",
            back=resolve_url("annotator:webhooks", campaign.slug),
        )
        return ask(request, about)
    with refusals_told(request):
        made = rotate_secret(webhook=row, by=request.user)
        return _page(request, campaign, WebhookForm(), made)
    return SeeOther(resolve_url("annotator:webhooks", campaign.slug))


@require_POST
def remove(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Remove it with its deliveries, once confirmed."""
    campaign, row = _own(request, slug, pk)
    if not is_confirmed(request):
        about = Confirmation(
            question="Remove this webhook?",
            count="1 webhook",
            effect="goes, with the list of its deliveries. What still waits is not sent.",
            undo="This cannot be taken back; add it anew, with a new secret.",
            act="Remove the webhook",
            leave="Leave it",
            back=resolve_url("annotator:webhooks", campaign.slug),
        )
        return ask(request, about)
    with refusals_told(request):
        remove_webhook(webhook=row, by=request.user)
        messages.success(request, "The webhook is removed.")
    return SeeOther(resolve_url("annotator:webhooks", campaign.slug))
