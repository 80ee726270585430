"""The audit trail: of a campaign for its admins, of the site for its own, of oneself."""

from urllib.parse import urlencode

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from annotator.access.gate import SignedInRequest, own_campaign
from annotator.audit_pages.forms import AuditForm
from annotator.audit_pages.queries import A_PAGE, Trail, campaign_trail, own_trail, system_trail
from annotator.audit_pages.services import request_audit_export
from core.errors import Refused
from core.http import export_download

UNPROCESSABLE = 422


@require_safe
def campaign_audit(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the trail of a campaign to its admins, the latest first."""
    campaign = own_campaign(request, slug)
    return _page(request, campaign_trail(campaign, request.user), {"campaign": campaign})


@require_safe
def system_audit(request: SignedInRequest) -> HttpResponse:
    """Show a site admin what belongs to no campaign."""
    return _page(request, system_trail(), {"is_system": True})


@require_safe
def own_acts(request: SignedInRequest) -> HttpResponse:
    """Show somebody what the trail holds of themselves."""
    return _page(request, own_trail(request.user), {"is_own": True}, has_people=False)


@require_POST
def export_audit(request: SignedInRequest, slug: str) -> HttpResponseBase:
    """Put an export of a campaign's trail on record and answer with its file."""
    campaign = own_campaign(request, slug)
    try:
        export = request_audit_export(campaign=campaign, asked_by=request.user)
        name = f"{campaign.slug}-audit.jsonl"
        return export_download(export.pieces(), name, "application/jsonl")
    except Refused as refusal:
        context = {"campaign": campaign, "problem": refusal.sentence}
        trail = campaign_trail(campaign, request.user)
        return _page(request, trail, context, refused=refusal.status)


def _page(
    request: SignedInRequest,
    trail: Trail,
    context: dict[str, object],
    *,
    has_people: bool = True,
    refused: int = 200,
) -> HttpResponse:
    form = AuditForm(request.GET, actions=trail.actions, has_people=has_people)
    is_valid = form.is_valid()
    entries = trail.page(form.question) if is_valid else []
    more = {
        "form": form,
        "trail": trail,
        "entries": entries[:A_PAGE],
        "older": _asked(form, before=entries[A_PAGE - 1].number) if len(entries) > A_PAGE else "",
        # An empty question is one too: that for everything.
        "latest": _asked(form) if form.typed("before") else None,
        "last_number": entries[:A_PAGE][-1].number if entries else None,
        "is_asked": any(form.cleaned_data.values()),
    }
    form.focus_error()
    status = refused if is_valid else UNPROCESSABLE
    return render(request, "annotator/audit_pages/audit.html", context | more, status=status)


def _asked(form: AuditForm, **before: int) -> str:
    """Return what was asked as an address: of the latest entries, or of those before a number."""
    names = [name for name in form.fields if name != "before" and form.typed(name)]
    return urlencode({name: form.typed(name) for name in names} | before)
