"""The reliability page, and an annotator's own results once the campaign is closed."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest, own_campaign, read_campaign
from annotator.access.scopes import campaigns_for, roles_of
from annotator.access.visibility import (
    Reader,
    is_unblinded,
    show_feedback,
    show_names,
    unblindings_of,
)
from annotator.models import Campaign, Role, Shown, User
from annotator.reliability.queries import names_for, own_feedback, reliability_page, standing_of
from annotator.reliability.services import cancel_reliability, request_reliability
from annotator.reliability.verdicts import RELIABLE, TENTATIVE
from core.confirmation import about_cancelling, ask, is_confirmed
from core.errors import OutOfDate
from core.forms import ReasonForm
from core.http import SeeOther, page_or_plot, refusals_told
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobStatus

ForReader = Callable[[SignedInRequest, Campaign, Reader], HttpResponse]


def _of_campaign(view: ForReader) -> Callable[[SignedInRequest, str], HttpResponse]:
    """Call a view with the campaign and its reader; answer 403 from whom figures are withheld."""

    @wraps(view)
    def handle(request: SignedInRequest, slug: str) -> HttpResponse:
        campaign, reader = read_campaign(request, slug)
        if reader.is_withheld:
            template = "annotator/reliability/reliability_withheld.html"
            return render(request, template, {"campaign": campaign}, status=403)
        return view(request, campaign, reader)

    return handle


@require_http_methods(["GET", "HEAD", "POST"])
@_of_campaign
def reliability(request: SignedInRequest, campaign: Campaign, reader: Reader) -> HttpResponse:
    """Show the last figures and what is under way; a POST asks for those of the ratings now."""
    if request.method != "POST":
        return _page(request, campaign, reader, ReasonForm())
    row = request_reliability(campaign=campaign, asked_by=request.user)
    if row.status == JobStatus.QUEUED:
        enqueue_on_commit(row)
    return SeeOther(resolve_url("annotator:reliability", campaign.slug))


@require_safe
@_of_campaign
def progress(request: SignedInRequest, campaign: Campaign, reader: Reader) -> HttpResponse:
    """Show the part of the page that changes while a worker is at it."""
    context = _context(request.user, campaign, reader)
    return render(request, "annotator/reliability/_reliability_body.html", context)


@require_POST
@_of_campaign
def cancel(request: SignedInRequest, campaign: Campaign, reader: Reader) -> HttpResponse:
    """Stop the report that is under way."""
    row = standing_of(campaign).under_way
    if row is not None and not is_confirmed(request):
        again = "It can be asked for again, from the ratings as they are then."
        back = resolve_url("annotator:reliability", campaign.slug)
        return ask(request, about_cancelling("report", row.percent, again=again, back=back))
    with refusals_told(request):
        if row is None:
            raise OutOfDate("No report is under way.")
        cancel_reliability(report=row, cancelled_by=request.user)
        messages.success(request, "The report will stop within seconds.")
    return SeeOther(resolve_url("annotator:reliability", campaign.slug))


@require_POST
@_of_campaign
def names(request: SignedInRequest, campaign: Campaign, reader: Reader) -> HttpResponse:
    """Show an admin which annotator is which, once the campaign is closed, and record it."""
    if not reader.is_admin:
        raise PermissionDenied
    form = ReasonForm(request.POST)
    with form.refusals():
        show_names(campaign=campaign, asked_by=request.user, reason=form.reason_sent)
        messages.success(request, "You are shown names until the campaign is opened again.")
        return SeeOther(resolve_url("annotator:reliability", campaign.slug))
    return _page(request, campaign, reader, form)


@require_safe
def unblindings(request: SignedInRequest, slug: str) -> HttpResponse:
    """List who was unblinded."""
    row = own_campaign(request, slug)
    context = {"campaign": row, "unblindings": unblindings_of(row)}
    return render(request, "annotator/reliability/unblindings.html", context)


def _page(
    request: SignedInRequest, campaign: Campaign, reader: Reader, form: ReasonForm
) -> HttpResponse:
    form.focus_error()
    context = _context(request.user, campaign, reader) | {"form": form}
    plots = context["page"].plots if context["page"] else ()
    template = "annotator/reliability/reliability.html"
    return page_or_plot(request, template, context, plots, status=form.status)


def _context(user: User, campaign: Campaign, reader: Reader) -> dict[str, Any]:
    is_admin = reader.is_admin
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
        "reliable": RELIABLE,
        "tentative": TENTATIVE,
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
