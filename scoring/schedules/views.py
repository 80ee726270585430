"""The pages of schedules: all of a person, that of a campaign; switch on, switch off, stop."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest, read_campaign
from annotator.access.visibility import Reader
from annotator.models import Campaign
from core.confirmation import Confirmation, ask, is_confirmed
from core.errors import Forbidden
from core.http import SeeOther, refusals_told
from scoring.schedules.forms import ScheduleForm
from scoring.schedules.queries import (
    WITHHELD,
    chain_under_way,
    right_lost,
    schedule_lines,
    schedule_page,
    standing_schedule,
)
from scoring.schedules.services import ENDED_ALREADY, OFF_ALREADY, stop_chain, switch_off, switch_on


@require_safe
def schedule_list(request: SignedInRequest) -> HttpResponse:
    """List the campaigns of the person with the state of each one's schedule."""
    context = {"lines": list(schedule_lines(request.user))}
    return render(request, "scoring/schedules/schedules.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def schedule(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the schedule of a campaign with its chains; a POST switches one on."""
    campaign, reader = _read(request, slug)
    if request.method != "POST":
        return _page(request, campaign, reader, ScheduleForm(campaign))
    form = ScheduleForm(campaign, request.POST)
    if form.is_valid():
        with form.refusals():
            try:
                switch_on(campaign=campaign, switched_on_by=request.user, **form.asked)
            except Forbidden as refusal:
                raise PermissionDenied(refusal.sentence) from refusal
            messages.success(request, "The schedule is switched on.")
            return SeeOther(resolve_url("scoring:schedule", slug))
    return _page(request, campaign, reader, form)


@require_safe
def progress(request: SignedInRequest, slug: str) -> HttpResponse:
    """Answer the poll of the page; the fragment stops polling by itself where nothing runs."""
    campaign, _ = _read(request, slug)
    context = {"campaign": campaign, "page": schedule_page(campaign)}
    return render(request, "scoring/schedules/_schedule_progress.html", context)


@require_POST
def off(request: SignedInRequest, slug: str) -> HttpResponse:
    """Switch the schedule off, once it is confirmed."""
    campaign, _ = _read(request, slug)
    row, back = standing_schedule(campaign), resolve_url("scoring:schedule", slug)
    if row is None:
        messages.error(request, OFF_ALREADY)
        return SeeOther(back)
    if not is_confirmed(request):
        runs = row.chains.filter(finished_at=None).count()
        about = Confirmation(
            question="Switch this schedule off?",
            count=f"{runs} {'chain' if runs == 1 else 'chains'}",
            effect="of it runs now, and is stopped with its jobs. What it has made stays.",
            undo="It can be switched on again by a researcher; what was settled meanwhile counts.",
            act="Switch off",
            leave="Leave it on",
            back=back,
        )
        return ask(request, about)
    with refusals_told(request):
        switch_off(schedule=row, switched_off_by=request.user)
        messages.success(request, "The schedule is switched off.")
    return SeeOther(back)


@require_POST
def stop(request: SignedInRequest, slug: str) -> HttpResponse:
    """Stop the chain that runs, once it is confirmed; the schedule stays on."""
    campaign, _ = _read(request, slug)
    row, back = chain_under_way(campaign), resolve_url("scoring:schedule", slug)
    if row is None:
        messages.error(request, ENDED_ALREADY)
        return SeeOther(back)
    if not is_confirmed(request):
        about = Confirmation(
            question="Stop this chain?",
            count="1 chain",
            effect="is stopped, and the jobs that it waits for are cancelled within seconds. What "
            "it has made stays.",
            undo="It does not go on. The schedule stays on, and begins the next chain when it is "
            "due.",
            act="Stop the chain",
            leave="Let it go on",
            back=back,
        )
        return ask(request, about)
    with refusals_told(request):
        stop_chain(chain=row, stopped_by=request.user)
        messages.success(request, "The chain is stopped.")
    return SeeOther(back)


def _read(request: SignedInRequest, slug: str) -> tuple[Campaign, Reader]:
    campaign, reader = read_campaign(request, slug)
    if reader.is_withheld:
        raise PermissionDenied(WITHHELD)
    return campaign, reader


def _page(
    request: SignedInRequest, campaign: Campaign, reader: Reader, form: ScheduleForm
) -> HttpResponse:
    form.focus_error()
    context = {
        "campaign": campaign,
        "page": schedule_page(campaign),
        "form": form,
        "is_admin": reader.is_admin,
        "may_switch_on": not right_lost(request.user, campaign),
    }
    return render(request, "scoring/schedules/schedule.html", context, status=form.status)
