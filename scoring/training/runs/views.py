"""Training run screens: list and start, one run and what is said of it, several side by side."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest
from core.confirmation import about_cancelling, ask, is_confirmed
from core.http import SeeOther, page_or_plot, refusals_told
from core.jobs.registry import enqueue_on_commit
from scoring.access.scopes import is_researcher
from scoring.training.model_versions.queries import runs_for
from scoring.training.runs.choices import training_options
from scoring.training.runs.comparisons import FEWEST, MOST, compare_runs
from scoring.training.runs.estimate import training_estimate
from scoring.training.runs.forms import DescribeForm, RunsForm, TrainingForm
from scoring.training.runs.queries import listed_runs, run_page
from scoring.training.runs.services import (
    cancel_training,
    describe_run,
    request_trainings,
    train_again,
)

UNPROCESSABLE = 422
A_PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
def run_list(request: SignedInRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request, TrainingForm(request.user))
    form = TrainingForm(request.user, request.POST)
    if not form.is_valid():
        return _page(request, form)
    values = dict(form.cleaned_data)
    version = values.pop("version")
    del values["criterion"]
    if not is_researcher(request.user, version):
        raise PermissionDenied("Researchers of the campaign start training.")
    with form.refusals():
        options = training_options(values)
        if "estimate" in request.POST:
            estimate = training_estimate(request.user, version, form.criteria, options)
            return _page(request, form, estimate=estimate, is_estimated=True)
        runs = request_trainings(
            version=version, criteria=form.criteria, options=options, requested_by=request.user
        )
        for run in runs:
            enqueue_on_commit(run)
        return redirect("scoring:runs") if runs[1:] else redirect("scoring:run", pk=runs[0].pk)
    return _page(request, form)


@require_safe
def run(request: SignedInRequest, pk: UUID) -> HttpResponse:
    return _run(request, pk, "scoring/training/run.html")


@require_safe
def progress(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Answer the poll of a run's page; the fragment stops polling by itself once final."""
    return _run(request, pk, "scoring/training/_run_progress.html")


@require_POST
def cancel(request: SignedInRequest, pk: UUID) -> HttpResponse:
    row = get_object_or_404(runs_for(request.user), pk=pk)
    if not row.is_final and not is_confirmed(request):
        again = "The same run can be started again, from the beginning."
        back = resolve_url("scoring:run", pk)
        return ask(request, about_cancelling("run", row.percent, again=again, back=back))
    with refusals_told(request):
        cancel_training(run=row, cancelled_by=request.user)
        messages.success(request, "The run will stop within seconds.")
    return redirect("scoring:run", pk=pk)


@require_POST
def again(request: SignedInRequest, pk: UUID) -> HttpResponse:
    row = get_object_or_404(runs_for(request.user), pk=pk)
    if not is_researcher(request.user, row.dataset_version):
        raise PermissionDenied("Researchers of the campaign start training.")
    with refusals_told(request):
        new = train_again(run=row, requested_by=request.user)
        enqueue_on_commit(new)
        return redirect("scoring:run", pk=new.pk)
    return redirect("scoring:run", pk=pk)


@require_POST
def describe(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Take the tags and the note of a run."""
    row = get_object_or_404(runs_for(request.user), pk=pk)
    if not is_researcher(request.user, row.dataset_version):
        raise PermissionDenied("Researchers of the campaign describe a run.")
    form = DescribeForm(request.POST)
    if form.is_valid():
        with form.refusals():
            describe_run(run=row, **form.described, described_by=request.user)
            messages.success(request, "Tags and note saved.")
            return SeeOther(resolve_url("scoring:run", pk))
    form.focus_error()
    return _run(request, pk, "scoring/training/run.html", form)


@require_safe
def compare(request: SignedInRequest) -> HttpResponse:
    """Show the runs that the address names beside each other."""
    keys = list(dict.fromkeys(map(_key, request.GET.getlist("run"))))
    if not FEWEST <= len(keys) <= MOST:
        wrong = f"Choose {FEWEST} to {MOST} runs of the list; {len(keys)} are chosen."
        context = {"wrong": wrong}
        return render(request, "scoring/training/compare_runs.html", context, status=UNPROCESSABLE)
    found = runs_for(request.user).in_bulk(keys)
    if len(found) < len(keys):
        raise Http404("One of these runs is not there.")
    page = compare_runs([found[key] for key in keys])
    template = "scoring/training/compare_runs.html"
    return page_or_plot(request, template, {"page": page}, page.plots, known=("run",))


def _key(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise Http404("No run is called so.") from error


def _run(
    request: SignedInRequest, pk: UUID, template: str, form: DescribeForm | None = None
) -> HttpResponse:
    row = get_object_or_404(runs_for(request.user), pk=pk)
    page = run_page(row, request.user)
    context = {"run": row, "page": page, "form": form or DescribeForm.of_run(row)}
    status = form.status if form else 200
    return page_or_plot(request, template, context, page["plots"], status=status)


def _page(request: SignedInRequest, form: TrainingForm, **more: object) -> HttpResponse:
    filters = RunsForm(request.user, request.GET)
    context = {"filters": filters, "form": form, "most": MOST, **more}
    if not filters.is_valid():
        return render(request, "scoring/training/runs.html", context, status=UNPROCESSABLE)
    runs = listed_runs(request.user, filters.wanted)
    context["page"] = Paginator(runs, A_PAGE).get_page(request.GET.get("page"))
    return render(request, "scoring/training/runs.html", context, status=form.status)
