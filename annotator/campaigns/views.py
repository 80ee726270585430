"""What an admin does with a campaign: create it, change its rules, close and reopen it."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.access.gate import SignedInRequest, own_campaign
from annotator.campaigns.forms import NewCampaignForm, RulesForm, rules_as_sent
from annotator.campaigns.queries import rules_history
from annotator.campaigns.services import (
    change_rules,
    close_campaign,
    create_campaign,
    reopen_campaign,
)
from annotator.models import Campaign
from core.errors import Refused
from core.forms import ReasonForm, RefusableForm
from core.http import SeeOther

UNPROCESSABLE = 422


@require_http_methods(["GET", "HEAD", "POST"])
def new_campaign(request: SignedInRequest) -> HttpResponse:
    """Create a campaign; its creator becomes its admin."""
    if request.method != "POST":
        return _new(request, NewCampaignForm(), 200)
    form = NewCampaignForm(request.POST)
    if not form.is_valid():
        return _new(request, form, UNPROCESSABLE)
    try:
        row = create_campaign(**form.cleaned_data, created_by=request.user, has_drawn_ending=True)
    except Refused as refusal:
        form.take_refusal(refusal)
        return _new(request, form, refusal.status)
    messages.success(
        request,
        f"{row.name} exists now, open and empty, and you are its admin. Its short name is "
        f"{row.slug}.",
    )
    return SeeOther(resolve_url("annotator:campaign_rules", row.slug))


@require_http_methods(["GET", "HEAD", "POST"])
def campaign_rules(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show and change the rules of a campaign."""
    row = own_campaign(request, slug)
    if request.method != "POST":
        return _rules(request, row, RulesForm(initial=rules_as_sent(row)), 200)
    form = RulesForm(request.POST, initial=rules_as_sent(row))
    if not form.is_valid():
        return _rules(request, row, form, UNPROCESSABLE)
    try:
        change_rules(campaign=row, rules=form.rules, changed_by=request.user)
    except Refused as refusal:
        form.take_refusal(refusal)
        return _rules(request, row, form, refusal.status)
    messages.success(request, "The rules hold from now on; conflicts were measured again by them.")
    return SeeOther(resolve_url("annotator:campaign", row.slug))


@require_POST
def close(request: SignedInRequest, slug: str) -> HttpResponse:
    """Close a campaign with a reason."""
    return _turn(request, slug, is_closing=True)


@require_POST
def reopen(request: SignedInRequest, slug: str) -> HttpResponse:
    """Open a closed campaign again with a reason."""
    return _turn(request, slug, is_closing=False)


def _turn(request: SignedInRequest, slug: str, *, is_closing: bool) -> HttpResponse:
    row = own_campaign(request, slug)
    form = ReasonForm(request.POST)
    form.is_valid()
    reason = str(form.cleaned_data.get("reason", ""))
    try:
        if is_closing:
            close_campaign(campaign=row, reason=reason, closed_by=request.user)
        else:
            reopen_campaign(campaign=row, reason=reason, reopened_by=request.user)
    except Refused as refusal:
        if "reason" not in form.errors:
            form.take_refusal(refusal)
        rules = RulesForm(initial=rules_as_sent(row))
        return _rules(request, row, rules, refusal.status, reason=form)
    messages.success(request, f"{row.name} is {'closed' if is_closing else 'open again'}.")
    return SeeOther(resolve_url("annotator:campaign", row.slug))


def _new(request: SignedInRequest, form: NewCampaignForm, status: int) -> HttpResponse:
    form.focus_error()
    return render(request, "annotator/campaigns/new_campaign.html", {"form": form}, status=status)


def _rules(
    request: SignedInRequest,
    row: Campaign,
    form: RulesForm,
    status: int,
    reason: RefusableForm | None = None,
) -> HttpResponse:
    form.focus_error()
    if reason:
        reason.focus_error()
    context: dict[str, Any] = {
        "campaign": row,
        "form": form,
        "reason": reason or ReasonForm(),
        "history": rules_history(row),
    }
    return render(request, "annotator/campaigns/campaign_rules.html", context, status=status)
