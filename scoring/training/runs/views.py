"""Training run screens: list and start, one run with live progress, cancel, run again."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest
from core.confirmation import about_cancelling, ask, is_confirmed
from core.http import page_or_plot, refusals_told
from core.jobs.registry import enqueue_on_commit
from scoring.access.scopes import is_researcher
from scoring.training.model_versions.queries import runs_for
from scoring.training.runs.choices import training_options
from scoring.training.runs.estimate import training_estimate
from scoring.training.runs.forms import TrainingForm
from scoring.training.runs.queries import run_page
from scoring.training.runs.services import cancel_training, request_trainings, train_again


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


def _run(request: SignedInRequest, pk: UUID, template: str) -> HttpResponse:
    row = get_object_or_404(runs_for(request.user), pk=pk)
    page = run_page(row, request.user)
    return page_or_plot(request, template, {"run": row, "page": page}, page["plots"])


def _page(request: SignedInRequest, form: TrainingForm, **more: object) -> HttpResponse:
    context = {"runs": runs_for(request.user)[:100], "form": form, **more}
    return render(request, "scoring/training/runs.html", context, status=form.status)
