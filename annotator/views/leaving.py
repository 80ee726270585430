"""Leaving a candidate: skip, recuse, take back; and the flag, which leaves nothing."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import resolve_url
from django.views.decorators.http import require_POST

from annotator.forms.rating import RatingForm
from annotator.gate import SignedInRequest
from annotator.models import Assignment
from annotator.queries.rate_page import RatePage
from annotator.refusals import Refused
from annotator.services.departures import flag_candidate, recuse, return_to, skip_assignment
from annotator.views.following import following
from annotator.views.see_other import SeeOther
from annotator.views.typed_forms import back_to, keep_typed, own_page, show_again


@require_POST
def skip(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Leave this candidate and go on with the next."""

    def act(assignment: Assignment) -> None:
        skip_assignment(
            assignment=assignment,
            reason_code=str(request.POST.get("leave_code", "")),
            reason=_reason(request, "leave_reason"),
        )
        messages.success(request, f"{assignment.label}: skipped. It is free for others now.")

    return _done(request, pk, act, goes_on=True)


@require_POST
def recuse_oneself(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Leave every candidate of this reference for a conflict of interest."""

    def act(assignment: Assignment) -> None:
        left = recuse(assignment=assignment, reason=_reason(request, "leave_reason"))
        messages.success(
            request,
            f"You are recused from this reference; {len(left)} "
            f"candidate{'' if len(left) == 1 else 's'} went back.",
        )

    return _done(request, pk, act, goes_on=True)


@require_POST
def take_back(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Take a skipped candidate back."""
    return _done(request, pk, lambda assignment: return_to(assignment=assignment), goes_on=False)


@require_POST
def flag(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Tell the admin that something is wrong, and stay."""

    def act(assignment: Assignment) -> None:
        flag_candidate(
            assignment=assignment,
            reason_code=str(request.POST.get("flag_code", "")),
            reason=_reason(request, "flag_reason"),
        )
        messages.success(request, f"{assignment.label}: flagged for the campaign's admin.")

    return _done(request, pk, act, goes_on=False)


def _done(
    request: SignedInRequest, pk: UUID, act: Callable[[Assignment], None], *, goes_on: bool
) -> HttpResponse:
    """Keep what is typed, act, and go to the next candidate or stay."""
    page: RatePage = own_page(request, pk)
    if refused := keep_typed(request, page):
        return refused
    try:
        act(page.assignment)
    except Refused as refusal:
        return show_again(request, pk, RatingForm(request.POST), refusal)
    if not goes_on:
        return back_to(page)
    row = following(request.user, page.assignment)
    return SeeOther(resolve_url("annotator:rate", row.pk) if row else "/")


def _reason(request: SignedInRequest, name: str) -> str:
    return str(request.POST.get(name, "")).replace("\r\n", "\n").strip()
