"""The reliability page, and an annotator's own results once the campaign is closed."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest, own_campaign
from annotator.access.scopes import campaigns_for, roles_of
from annotator.access.visibility import (
    Reader,
    is_unblinded,
    reader_of,
    show_feedback,
    show_names,
    unblindings_of,
)
from annotator.models import Campaign, Role, Shown, User
from annotator.reliability.queries import names_for, own_feedback, reliability_page, standing_of
from annotator.reliability.services import cancel_reliability, request_reliability
from core.errors import OutOfDate
from core.forms import ReasonForm
from core.http import SeeOther, refusals_told
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobStatus


@dataclass(frozen=True, slots=True)
class Seen:
    """A campaign and the person who reads of it."""

    campaign: Campaign
    reader: Reader


@require_http_methods(["GET", "HEAD", "POST"])
def reliability(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the last figures and what is under way; a POST asks for those of the ratings now."""
    seen = _seen(request.user, slug)
    if seen.reader.is_withheld:
        return _withheld(request, seen)
    if request.method != "POST":
        return _page(request, seen, ReasonForm())
    row = request_reliability(campaign=seen.campaign, asked_by=request.user)
    if row.status == JobStatus.QUEUED:
        enqueue_on_commit(row)
    return SeeOther(resolve_url("annotator:reliability", slug))


@require_safe
def progress(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the part of the page that changes while a worker is at it."""
    seen = _seen(request.user, slug)
    if seen.reader.is_withheld:
        return _withheld(request, seen)
    return render(
        request, "annotator/reliability/_reliability_body.html", _context(request.user, seen)
    )


@require_POST
def cancel(request: SignedInRequest, slug: str) -> HttpResponse:
    """Stop the report that is under way."""
    seen = _seen(request.user, slug)
    if seen.reader.is_withheld:
        return _withheld(request, seen)
    row = standing_of(seen.campaign).under_way
    with refusals_told(request):
        if row is None:
            raise OutOfDate("No report is under way.")
        cancel_reliability(report=row, cancelled_by=request.user)
        messages.success(request, "The report will stop within seconds.")
    return SeeOther(resolve_url("annotator:reliability", slug))


@require_POST
def names(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show an admin which annotator is which, once the campaign is closed, and record it."""
    row = own_campaign(request, slug)
    seen = _seen(request.user, slug)
    if seen.reader.is_withheld:
        return _withheld(request, seen)
    form = ReasonForm(request.POST)
    with form.refusals():
        show_names(campaign=row, asked_by=request.user, reason=form.reason_sent)
        messages.success(request, "You are shown names until the campaign is opened again.")
        return SeeOther(resolve_url("annotator:reliability", slug))
    return _page(request, seen, form)


@require_safe
def unblindings(request: SignedInRequest, slug: str) -> HttpResponse:
    """List who was shown what annotators must not see."""
    row = own_campaign(request, slug)
    context = {"campaign": row, "unblindings": unblindings_of(row)}
    return render(request, "annotator/reliability/unblindings.html", context)


def _seen(user: User, slug: str) -> Seen:
    """Return the campaign and its reader; not found from outside, refused without the role."""
    campaign = get_object_or_404(campaigns_for(user), slug=slug)
    reader = reader_of(campaign, user)
    if reader is None:
        raise PermissionDenied
    return Seen(campaign, reader)


def _withheld(request: SignedInRequest, seen: Seen) -> HttpResponse:
    context = {"campaign": seen.campaign}
    return render(request, "annotator/reliability/reliability_withheld.html", context, status=403)


def _page(request: SignedInRequest, seen: Seen, form: ReasonForm) -> HttpResponse:
    form.focus_error()
    context = _context(request.user, seen) | {"form": form}
    return render(request, "annotator/reliability/reliability.html", context, status=form.status)


def _context(user: User, seen: Seen) -> dict[str, Any]:
    campaign, is_admin = seen.campaign, seen.reader.is_admin
    standing = standing_of(campaign)
    has_names = is_admin and is_unblinded(campaign, user, Shown.NAMES)
    page = None
    if standing.latest:
        names = names_for(standing.latest, is_admin=is_admin, has_names=has_names)
        page = reliability_page(standing.latest, names, is_admin=is_admin)
    return {
        "campaign": campaign,
        "is_admin": is_admin,
        "has_names": has_names,
        "standing": standing,
        "page": page,
    }


@require_http_methods(["GET", "HEAD", "POST"])
def feedback(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show own results; a POST asks a worker for them; looking at them is recorded once."""
    campaign = get_object_or_404(campaigns_for(request.user), slug=slug)
    if Role.ANNOTATOR not in roles_of(request.user, campaign):
        raise PermissionDenied
    if campaign.is_open:
        status = 409 if request.method == "POST" else 200
        context: dict[str, Any] = {"campaign": campaign}
        template = "annotator/reliability/feedback_closed.html"
        return render(request, template, context, status=status)
    if request.method == "POST":
        row = request_reliability(campaign=campaign, asked_by=request.user)
        if row.status == JobStatus.QUEUED:
            enqueue_on_commit(row)
        return SeeOther(resolve_url("annotator:feedback", slug))
    standing, own = standing_of(campaign), None
    # Older figures might rest on ratings that the annotator could still have changed.
    if standing.latest and standing.is_current:
        own = own_feedback(standing.latest, str(request.user.pk))
        if own:
            show_feedback(campaign=campaign, annotator=request.user)
    context = {"campaign": campaign, "standing": standing, "own": own}
    return render(request, "annotator/reliability/feedback.html", context)
