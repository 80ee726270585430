"""The screen on which two dataset versions are compared."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotator.gate import SignedInRequest
from annotator.refusals import Refused
from annotator.services.system_unblinding import show_systems
from scoring.forms.comparisons import ComparisonForm
from scoring.models import DatasetVersion
from scoring.queries.comparisons import compare_versions
from scoring.queries.quadruplet_words import HEADINGS
from scoring.queries.version_access import version_reader

UNPROCESSABLE = 422
RATES_HERE = (
    "You rate in the campaign of this version, and its labels would tell you what the others gave. "
    "They are open to you once the campaign is closed."
)


@require_safe
def compare(request: SignedInRequest) -> HttpResponse:
    """Ask for two versions, and say what differs between them and why."""
    if not {"one", "other"} & set(request.GET):
        return _page(request, ComparisonForm(request.user))
    form = ComparisonForm(request.user, request.GET)
    if not form.is_valid():
        return _page(request, form, UNPROCESSABLE)
    versions = {name: form.cleaned_data[name] for name in ("one", "other")}
    readers = {name: version_reader(request.user, row) for name, row in versions.items()}
    for name, reader in readers.items():
        if reader.is_withheld:
            form.add_error(name, RATES_HERE)
    if form.errors:
        return _page(request, form, UNPROCESSABLE)
    try:
        compared = compare_versions(versions["one"], versions["other"])
    except Refused as refusal:
        form.add_error(None, refusal.sentence)
        return _page(request, form, refusal.status)
    told = all(reader.tells_ids for reader in readers.values())
    if told:
        _record_systems(request, *versions.values())
    return _page(request, form, compared=compared, tells_ids=told, **versions)


def _record_systems(request: SignedInRequest, *versions: DatasetVersion) -> None:
    for campaign in {row.dataset.campaign for row in versions} - {None}:
        assert campaign is not None
        show_systems(campaign=campaign, user=request.user)


def _page(
    request: SignedInRequest, form: ComparisonForm, status: int = 200, **more: Any
) -> HttpResponse:
    context = {"form": form, "headings": HEADINGS, **more}
    return render(request, "scoring/compare_versions.html", context, status=status)
