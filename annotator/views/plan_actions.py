"""What the plan page does besides balanced plans, one small form each."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import resolve_url
from django.views.decorators.http import require_POST

from annotator.forms.plan import (
    NamedForm,
    PlanForm,
    QualificationForm,
    QuotaForm,
    RepeatsForm,
    SentinelsForm,
    WithdrawForm,
)
from annotator.gate import SignedInRequest, counted_campaign
from annotator.models import Campaign
from annotator.queries.members import annotator_membership
from annotator.refusals import Refused
from annotator.services.named_work import assign_by_name, set_quota, withdraw_assignments
from annotator.services.qualification import mark_qualification, unmark_qualification
from annotator.services.repeats import set_repeats
from annotator.services.sentinels import add_sentinels
from annotator.views.plan import UNPROCESSABLE, plan_page
from annotator.views.see_other import SeeOther

# What was done, in a sentence.
Act = Callable[[Campaign, dict[str, Any]], str]


@require_POST
def by_name(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give an annotator whole references."""
    form = _form(request, slug, NamedForm)

    def act(row: Campaign, said: dict[str, Any]) -> str:
        done = assign_by_name(
            campaign=row,
            annotator=said["annotator"],
            references=said["references"],
            due_at=form.due_at,
            by=request.user,
        )
        beyond = f", {done.beyond} of them beyond their places" if done.beyond else ""
        left = f" {done.left_before} that they had skipped stay so." if done.left_before else ""
        return f"{said['annotator'].username} is given {_count(done.given)}{beyond}.{left}"

    return _done(request, form, act)


@require_POST
def withdraw(request: SignedInRequest, slug: str) -> HttpResponse:
    """Take back what an annotator has open."""

    def act(row: Campaign, said: dict[str, Any]) -> str:
        count = withdraw_assignments(
            campaign=row,
            annotator=said["annotator"],
            reason=said["reason"],
            by=request.user,
            references=said["references"] or None,
        )
        return f"{_count(count)} taken back from {said['annotator'].username}; drafts are kept."

    return _done(request, _form(request, slug, WithdrawForm), act)


@require_POST
def quota(request: SignedInRequest, slug: str) -> HttpResponse:
    """Set or lift the quota of an annotator."""

    def act(row: Campaign, said: dict[str, Any]) -> str:
        person = said["annotator"]
        membership = annotator_membership(row, person)
        set_quota(membership=membership, quota=said["quota"], by=request.user)
        if said["quota"] is None:
            return f"{person.username} has no quota."
        return f"{person.username} has a quota of {said['quota']}."

    return _done(request, _form(request, slug, QuotaForm), act)


@require_POST
def qualification(request: SignedInRequest, slug: str) -> HttpResponse:
    """Have everybody rate some references first, or make them ordinary ones again."""
    marks = request.POST.get("step") != "unmark"

    def act(row: Campaign, said: dict[str, Any]) -> str:
        change = mark_qualification if marks else unmark_qualification
        count = change(campaign=row, references=said["references"], by=request.user)
        if marks:
            return f"{_count(count)} for qualification: every annotator has them now."
        return f"{_count(count)} ordinary again; what is given stays."

    return _done(request, _form(request, slug, QualificationForm), act)


@require_POST
def sentinels(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make sentinels from references."""

    def act(row: Campaign, said: dict[str, Any]) -> str:
        made = add_sentinels(campaign=row, count=said["count"], seed=said["seed"], by=request.user)
        return f"{len(made)} sentinel{'' if len(made) == 1 else 's'} made."

    return _done(request, _form(request, slug, SentinelsForm), act)


@require_POST
def repeats(request: SignedInRequest, slug: str) -> HttpResponse:
    """Say which share of the ratings is asked once more."""

    def act(row: Campaign, said: dict[str, Any]) -> str:
        set_repeats(campaign=row, percent=said["percent"], lag=said["lag"], by=request.user)
        if not said["percent"]:
            return "Nothing more is repeated."
        return f"{said['percent']} % of each annotator's ratings are asked once more."

    return _done(request, _form(request, slug, RepeatsForm), act)


def _form(request: SignedInRequest, slug: str, kind: type[PlanForm]) -> PlanForm:
    return kind(counted_campaign(request, slug), request.POST)


def _done(request: SignedInRequest, form: PlanForm, act: Act) -> HttpResponse:
    """Do it and go back to the page, or show the page with what was refused."""
    row = form.campaign
    if not form.is_valid():
        return plan_page(request, row, form, UNPROCESSABLE)
    try:
        sentence = act(row, form.cleaned_data)
    except Refused as refusal:
        form.take_refusal(refusal)
        return plan_page(request, row, form, refusal.status)
    messages.success(request, sentence)
    return SeeOther(resolve_url("annotator:plan", row.slug))


def _count(number: int) -> str:
    return f"{number} candidate{'' if number == 1 else 's'}"
