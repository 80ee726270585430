"""The plan page of a campaign's admin: who has what, a balanced plan, and its carrying out."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_POST, require_safe

from annotator.forms.plan import (
    BalancedForm,
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
from annotator.queries.annotators import annotators_of
from annotator.queries.plan_page import checks_of, free_places, people_at_work
from annotator.queries.plan_preview import plan_table
from annotator.refusals import Refused
from annotator.services.plans import carry_out_plan, preview_plan
from annotator.views.see_other import SeeOther

UNPROCESSABLE = 422


@require_safe
def plan(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the plan page; with a seed in the address, what a balanced plan would come to."""
    row = counted_campaign(request, slug)
    if "seed" not in request.GET:
        return plan_page(request, row)
    form = BalancedForm(row, request.GET)
    if not form.is_valid():
        return plan_page(request, row, form, UNPROCESSABLE)
    return plan_page(request, row, form, preview=_preview(row, form))


@require_POST
def carry_out(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give out the plan that was shown; when it has become another one, show that instead."""
    row = counted_campaign(request, slug)
    form = BalancedForm(row, request.POST)
    if not form.is_valid():
        return plan_page(request, row, form, UNPROCESSABLE)
    said = form.cleaned_data
    try:
        done = carry_out_plan(
            campaign=row,
            annotators=list(said["annotators"]),
            due_at=form.due_at,
            seed=said["seed"],
            by=request.user,
            digest=said["digest"],
        )
    except Refused as refusal:
        form.take_refusal(refusal)
        preview = _preview(row, form) if row.is_open else None
        return plan_page(request, row, form, refusal.status, preview=preview)
    messages.success(request, f"{done.count} candidates are given out by name.")
    return SeeOther(resolve_url("annotator:plan", row.slug))


def plan_page(
    request: SignedInRequest,
    row: Campaign,
    sent: PlanForm | None = None,
    status: int = 200,
    preview: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """Show the page, one of its forms as it was sent."""
    if sent is not None:
        sent.focus_error()
    known = {form.section: form for form in (*_fresh_forms(row), *([sent] if sent else []))}
    context = {
        "campaign": row,
        "people": people_at_work(row),
        "free_places": free_places(row),
        "checks": checks_of(row),
        "preview": preview,
        **{f"{section}_form": form for section, form in known.items()},
    }
    return render(request, "annotator/plan.html", context, status=status)


def _fresh_forms(row: Campaign) -> tuple[PlanForm, ...]:
    everybody = list(annotators_of(row).values_list("username", flat=True))
    return (
        BalancedForm(row, initial={"annotators": everybody}),
        NamedForm(row),
        WithdrawForm(row),
        QuotaForm(row),
        QualificationForm(row),
        SentinelsForm(row),
        RepeatsForm(row, initial={"percent": row.repeat_percent, "lag": row.repeat_lag}),
    )


def _preview(row: Campaign, form: BalancedForm) -> dict[str, Any] | None:
    said = form.cleaned_data
    people = list(said.get("annotators", ()))
    if not people or "seed" not in said:
        return None
    previewed = preview_plan(campaign=row, annotators=people, seed=said["seed"])
    return {
        "table": plan_table(row, previewed.plan, people),
        "digest": previewed.digest,
        "annotators": [user.username for user in people],
        "seed": said["seed"],
        "due_on": said.get("due_on"),
    }
