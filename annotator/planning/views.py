"""The plan page: who has what, a balanced plan, and the small forms beside it."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_POST, require_safe

from annotator.access.gate import SignedInRequest, counted_campaign
from annotator.access.scopes import annotators_of
from annotator.models import Campaign, Role
from annotator.planning.forms import (
    BalancedForm,
    FindForm,
    NamedForm,
    PlanForm,
    QualificationForm,
    QuotaForm,
    ReferencesForm,
    RepeatsForm,
    SentinelsForm,
    WithdrawForm,
)
from annotator.planning.queries import (
    annotator_progress,
    checks_of,
    find_references,
    free_places,
    plan_table,
)
from annotator.planning.sentinels import add_sentinels, set_repeats
from annotator.planning.services import (
    assign_by_name,
    carry_out_plan,
    mark_qualification,
    preview_plan,
    set_quota,
    unmark_qualification,
    withdraw_assignments,
)
from annotator.planning.withdrawals import about_withdrawal
from core.clock import database_now
from core.confirmation import ask, is_confirmed
from core.http import SeeOther
from patclaimeval.plurals import counted


@require_safe
def plan(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the plan page; with a seed in the address, what a balanced plan would come to."""
    row = counted_campaign(request, slug)
    if "seed" not in request.GET:
        return plan_page(request, row)
    form = BalancedForm(row, request.GET)
    return plan_page(request, row, form, _preview(row, form) if form.is_valid() else None)


@require_POST
def carry_out(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give out the plan that was shown; when it has become another one, show that instead."""
    row = counted_campaign(request, slug)
    form = BalancedForm(row, request.POST)
    if not form.is_valid():
        return plan_page(request, row, form)
    cleaned = form.cleaned_data
    with form.refusals():
        done = carry_out_plan(
            campaign=row,
            annotators=list(cleaned["annotators"]),
            due_at=form.due_at,
            seed=cleaned["seed"],
            by=request.user,
            digest=cleaned["digest"],
        )
        messages.success(request, f"{done.count} candidates are assigned by name.")
        return SeeOther(resolve_url("annotator:plan", row.slug))
    return plan_page(request, row, form, _preview(row, form) if row.is_open else None)


def plan_page(
    request: SignedInRequest,
    row: Campaign,
    sent: PlanForm | None = None,
    preview: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """Show the page, one of its forms as it was sent."""
    everybody = list(annotators_of(row).values_list("username", flat=True))
    forms = [
        BalancedForm(row, initial={"annotators": everybody}),
        NamedForm(row),
        WithdrawForm(row),
        QuotaForm(row),
        QualificationForm(row),
        SentinelsForm(row),
        RepeatsForm(row, initial={"percent": row.repeat_percent, "lag": row.repeat_lag}),
    ]
    if sent is not None:
        sent.focus_error()
        forms.append(sent)
    find = FindForm(request.GET if "q" in request.GET else None, auto_id="find-%s")
    part = find.cleaned_data["q"] if find.is_bound and find.is_valid() else ""
    found = find_references(row, part)
    for form in forms:
        if isinstance(form, ReferencesForm):
            form.show(found)
    context = {
        "campaign": row,
        "find_form": find,
        "found": found,
        "people": [one for one in annotator_progress(row, database_now()) if one.is_annotator],
        "free_places": free_places(row),
        "checks": checks_of(row),
        "preview": preview,
        **{f"{form.section}_form": form for form in forms},
    }
    status = sent.status if sent else find.status
    return render(request, "annotator/planning/plan.html", context, status=status)


def _preview(row: Campaign, form: BalancedForm) -> dict[str, Any] | None:
    cleaned = form.cleaned_data
    people = list(cleaned.get("annotators", ()))
    if not people or "seed" not in cleaned:
        return None
    previewed = preview_plan(campaign=row, annotators=people, seed=cleaned["seed"])
    return {
        "table": plan_table(row, previewed.plan, people),
        "digest": previewed.digest,
        "annotators": [user.username for user in people],
        "seed": cleaned["seed"],
        "due_on": cleaned.get("due_on"),
    }


# History, in a sentence.
Act = Callable[[Campaign, dict[str, Any]], str]


@require_POST
def by_name(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give an annotator whole references."""
    form = _form(request, slug, NamedForm)

    def act(row: Campaign, cleaned: dict[str, Any]) -> str:
        done = assign_by_name(
            campaign=row,
            annotator=cleaned["annotator"],
            references=cleaned["references"],
            due_at=form.due_at,
            by=request.user,
        )
        beyond = f", {done.beyond} of them beyond their places" if done.beyond else ""
        left = f" {done.left_before} that they had skipped stay so." if done.left_before else ""
        return f"{cleaned['annotator'].username} is given {_count(done.given)}{beyond}.{left}"

    return _done(request, form, act)


@require_POST
def withdraw(request: SignedInRequest, slug: str) -> HttpResponse:
    """Take back what an annotator has open, once confirmed."""
    form = _form(request, slug, WithdrawForm)
    if form.is_valid() and not is_confirmed(request):
        references = "\n".join(one.reference_id for one in form.cleaned_data["references"])
        asks = about_withdrawal(form.campaign, form.cleaned_data, references)
        if asks is not None:
            return ask(request, asks)

    def act(row: Campaign, cleaned: dict[str, Any]) -> str:
        count = withdraw_assignments(
            campaign=row,
            annotator=cleaned["annotator"],
            reason=cleaned["reason"],
            by=request.user,
            references=cleaned["references"] or None,
        )
        return f"{_count(count)} taken back from {cleaned['annotator'].username}; drafts are kept."

    return _done(request, form, act)


@require_POST
def quota(request: SignedInRequest, slug: str) -> HttpResponse:
    """Set or lift the quota of an annotator."""

    def act(row: Campaign, cleaned: dict[str, Any]) -> str:
        person = cleaned["annotator"]
        membership = row.memberships.get(user=person, role=Role.ANNOTATOR)
        set_quota(membership=membership, quota=cleaned["quota"], by=request.user)
        if cleaned["quota"] is None:
            return f"{person.username} has no quota."
        return f"{person.username} has a quota of {cleaned['quota']}."

    return _done(request, _form(request, slug, QuotaForm), act)


@require_POST
def qualification(request: SignedInRequest, slug: str) -> HttpResponse:
    """Have everybody rate some references first, or make them ordinary ones again."""
    marks = request.POST.get("step") != "unmark"

    def act(row: Campaign, cleaned: dict[str, Any]) -> str:
        change = mark_qualification if marks else unmark_qualification
        count = change(campaign=row, references=cleaned["references"], by=request.user)
        if marks:
            return f"{_count(count)} for qualification: every annotator has them now."
        return f"{_count(count)} ordinary again; what is given stays."

    return _done(request, _form(request, slug, QualificationForm), act)


@require_POST
def sentinels(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make sentinels from references."""

    def act(row: Campaign, cleaned: dict[str, Any]) -> str:
        made = add_sentinels(
            campaign=row, count=cleaned["count"], seed=cleaned["seed"], by=request.user
        )
        return f"{counted(len(made), 'sentinel')} made."

    return _done(request, _form(request, slug, SentinelsForm), act)


@require_POST
def repeats(request: SignedInRequest, slug: str) -> HttpResponse:
    """Return which share of the ratings is asked once more."""

    def act(row: Campaign, cleaned: dict[str, Any]) -> str:
        set_repeats(campaign=row, percent=cleaned["percent"], lag=cleaned["lag"], by=request.user)
        if not cleaned["percent"]:
            return "Nothing more is repeated."
        return f"{cleaned['percent']} % of each annotator's ratings are repeated."

    return _done(request, _form(request, slug, RepeatsForm), act)


def _form(request: SignedInRequest, slug: str, kind: type[PlanForm]) -> PlanForm:
    return kind(counted_campaign(request, slug), request.POST)


def _done(request: SignedInRequest, form: PlanForm, act: Act) -> HttpResponse:
    """Do it and go back to the page, or show the page with what was refused."""
    if form.is_valid():
        with form.refusals():
            messages.success(request, act(form.campaign, form.cleaned_data))
            return SeeOther(resolve_url("annotator:plan", form.campaign.slug))
    return plan_page(request, form.campaign, form)


def _count(number: int) -> str:
    return counted(number, "candidate")
