"""What an admin does with a campaign: create it, change its rules, close and reopen it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.access.gate import SignedInRequest, own_campaign
from annotator.campaigns.closing import about_closing
from annotator.campaigns.forms import NewCampaignForm, RulesForm, rules_as_sent
from annotator.campaigns.queries import rules_history
from annotator.campaigns.services import (
    change_rules,
    close_campaign,
    create_campaign,
    reopen_campaign,
)
from annotator.models import Campaign
from core.confirmation import ask, asked_form, is_confirmed
from core.forms import ReasonForm
from core.http import SeeOther


@require_http_methods(["GET", "HEAD", "POST"])
def new_campaign(request: SignedInRequest) -> HttpResponse:
    """Create a campaign; its creator becomes its admin."""
    form = NewCampaignForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        said = form.cleaned_data
        with form.refusals():
            row = create_campaign(**said, created_by=request.user, has_drawn_ending=True)
            messages.success(
                request,
                f"{row.name} exists now, open and empty, and you are its admin. Its short name is "
                f"{row.slug}.",
            )
            return SeeOther(resolve_url("annotator:campaign_rules", row.slug))
    form.focus_error()
    context = {"form": form}
    return render(request, "annotator/campaigns/new_campaign.html", context, status=form.status)


@require_http_methods(["GET", "HEAD", "POST"])
def campaign_rules(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show and change the rules of a campaign."""
    row = own_campaign(request, slug)
    sent = request.POST if request.method == "POST" else None
    form = RulesForm(sent, initial=rules_as_sent(row))
    if form.is_valid():
        with form.refusals():
            change_rules(campaign=row, rules=form.rules, changed_by=request.user)
            done = "Rules saved; conflicts were recalculated."
            messages.success(request, done)
            return SeeOther(resolve_url("annotator:campaign", row.slug))
    return _rules(request, row, form, ReasonForm())


@require_POST
def close(request: SignedInRequest, slug: str) -> HttpResponse:
    """Close a campaign with a reason, once confirmed."""
    row = own_campaign(request, slug)
    form = asked_form(ReasonForm, request)
    if is_confirmed(request):
        with form.refusals():
            close_campaign(campaign=row, reason=form.reason_sent, closed_by=request.user)
            messages.success(request, f"{row.name} is closed. You can reopen it here.")
            return SeeOther(resolve_url("annotator:campaign_rules", row.slug))
    return ask(request, about_closing(row), form)


@require_POST
def reopen(request: SignedInRequest, slug: str) -> HttpResponse:
    """Open a closed campaign again with a reason."""
    row = own_campaign(request, slug)
    form = ReasonForm(request.POST)
    with form.refusals():
        reopen_campaign(campaign=row, reason=form.reason_sent, reopened_by=request.user)
        messages.success(request, f"{row.name} is open again.")
        return SeeOther(resolve_url("annotator:campaign", row.slug))
    return _rules(request, row, RulesForm(initial=rules_as_sent(row)), form)


def _rules(
    request: SignedInRequest, row: Campaign, form: RulesForm, reason: ReasonForm
) -> HttpResponse:
    form.focus_error()
    reason.focus_error()
    context = {"campaign": row, "form": form, "reason": reason, "history": rules_history(row)}
    status = max(form.status, reason.status)
    return render(request, "annotator/campaigns/campaign_rules.html", context, status=status)
