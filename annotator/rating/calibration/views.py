"""The page on which an annotator rates a calibration item, and the page of admins."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest, counted_campaign
from annotator.models import CalibrationItem, Campaign
from annotator.rating.calibration.forms import (
    AnswerForm,
    CandidateForm,
    ExamplesForm,
    SwitchForm,
)
from annotator.rating.calibration.queries import (
    ItemPage,
    calibration_of,
    item_page,
    offered_names,
)
from annotator.rating.calibration.services import (
    add_candidate,
    add_examples,
    answer_item,
    remove_item,
    switch_calibration,
)
from annotator.rating.page import aids_context, scales_of
from annotator.reading import reading_preference
from core.forms import RefusableForm
from core.http import SeeOther
from patclaimeval.plurals import counted
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, NAMES


@require_http_methods(["GET", "HEAD", "POST"])
def calibrate(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show an item to rate, and once it is rated the agreed scores beside the own ones."""
    page = item_page(request.user, pk)
    if page is None:
        raise Http404
    if request.method != "POST":
        return _show(request, page)
    form = AnswerForm(request.POST)
    if form.is_valid():
        with form.refusals():
            try:
                answer_item(item_id=pk, annotator=request.user, scores=form.scores)
            except CalibrationItem.DoesNotExist as error:
                raise Http404 from error
            return SeeOther(resolve_url("annotator:calibrate", pk))
    return _show(request, page, form)


def _show(request: SignedInRequest, page: ItemPage, form: AnswerForm | None = None) -> HttpResponse:
    sent = {key: form.typed(key) if form else "" for key in CRITERIA}
    context = {
        "page": page,
        "scales": scales_of(sent, form),
        "form_errors": form.non_field_errors() if form else [],
        "is_refused": form is not None,
        **aids_context(reading_preference(request.user)),
    }
    status = form.status if form else 200
    return render(request, "annotator/rating/calibrate.html", context, status=status)


@require_safe
def calibration(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the items of a campaign, how far its annotators are from them, and how to add some."""
    return _setup(request, counted_campaign(request, slug))


@require_POST
def add_calibration_candidate(request: SignedInRequest, slug: str) -> HttpResponse:
    """Add a candidate of the campaign with its agreed scores."""
    row = counted_campaign(request, slug)
    form = CandidateForm(row, request.POST)
    if form.is_valid():
        with form.refusals():
            add_candidate(
                campaign=row,
                candidate=form.cleaned_data["row"],
                scores=form.scores,
                reasons=form.reasons,
                by=request.user,
            )
            return _back(request, row, "The candidate is an item of the calibration.")
    return _setup(request, row, form)


@require_POST
def add_calibration_examples(request: SignedInRequest, slug: str) -> HttpResponse:
    """Add worked examples of the rubric."""
    row = counted_campaign(request, slug)
    form = ExamplesForm(request.POST)
    if form.is_valid():
        with form.refusals():
            keys = form.cleaned_data["examples"]
            count = len(add_examples(campaign=row, keys=keys, by=request.user))
            return _back(request, row, f"{counted(count, 'example')} added.")
    return _setup(request, row, form)


@require_POST
def remove_calibration_item(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Remove an item, and what was answered to it."""
    row = counted_campaign(request, slug)
    form = SwitchForm({"is_on": row.has_calibration})
    form.full_clean()
    with form.refusals():
        try:
            count = remove_item(campaign=row, item_id=pk, by=request.user)
        except CalibrationItem.DoesNotExist as error:
            raise Http404 from error
        answers = f", with {counted(count, 'answer')}" if count else ""
        return _back(request, row, f"The item is removed{answers}.")
    return _setup(request, row, form)


@require_POST
def switch(request: SignedInRequest, slug: str) -> HttpResponse:
    """Have the campaign start with its calibration, or no longer."""
    row = counted_campaign(request, slug)
    form = SwitchForm(request.POST)
    if form.is_valid():
        with form.refusals():
            is_on = form.cleaned_data["is_on"]
            switch_calibration(campaign=row, is_on=is_on, by=request.user)
            done = (
                "Every annotator who has not begun to rate starts with the calibration."
                if is_on
                else "The calibration is switched off."
            )
            return _back(request, row, done)
    return _setup(request, row, form)


def _back(request: SignedInRequest, row: Campaign, done: str) -> HttpResponse:
    messages.success(request, done)
    return SeeOther(resolve_url("annotator:calibration", row.slug))


def _setup(
    request: SignedInRequest, row: Campaign, sent: RefusableForm | None = None
) -> HttpResponse:
    """Show the page of admins, one of its forms as it was sent."""
    if sent is not None:
        sent.focus_error()
    context = {
        "campaign": row,
        "calibration": calibration_of(row, request.user),
        "names": [NAMES[key] for key in ALL_CRITERIA],
        "candidate_form": sent if isinstance(sent, CandidateForm) else CandidateForm(row),
        "offered": offered_names(row),
        "examples_form": sent if isinstance(sent, ExamplesForm) else ExamplesForm(),
        "errors": sent.non_field_errors() if isinstance(sent, SwitchForm) else [],
    }
    status = sent.status if sent else 200
    return render(request, "annotator/rating/calibration.html", context, status=status)
