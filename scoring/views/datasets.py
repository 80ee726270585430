"""Dataset screens: the list, one version, its licence."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_POST, require_safe

from annotator.gate import SignedInRequest
from annotator.refusals import Refused
from annotator.views.see_other import SeeOther
from scoring.formats.export_formats import EXPORT_FORMATS
from scoring.forms.licence import LicenceForm
from scoring.models import DatasetVersion
from scoring.queries.card_page import card_page
from scoring.queries.datasets import SPLITS, version_or_404
from scoring.queries.exporters import may_export
from scoring.queries.used_ratings import ratings_by_annotator
from scoring.queries.uses import uses_of_version
from scoring.queries.version_access import version_reader
from scoring.queries.version_page import making_words, people_plot, siblings_of
from scoring.services.licences import set_licence

UNPROCESSABLE = 422


@require_safe
def version(request: SignedInRequest, name: str, number: int) -> HttpResponse:
    """Show the card of a version, what was made on it, and what leaves with it."""
    return _version_page(request, version_or_404(request.user, name, number))


@require_POST
def licence(request: SignedInRequest, name: str, number: int) -> HttpResponse:
    """Say what others may do with a version."""
    row = version_or_404(request.user, name, number)
    if not may_export(version_reader(request.user, row)):
        raise PermissionDenied("Only admins of the campaign say what others may do with it.")
    form = LicenceForm(request.POST)
    if not form.is_valid():
        return _version_page(request, row, form, UNPROCESSABLE)
    try:
        set_licence(version=row, licence=form.cleaned_data["licence"], set_by=request.user)
    except Refused as refusal:
        form.take_refusal(refusal)
        return _version_page(request, row, form, refusal.status)
    messages.success(request, "The licence stands on the card now.")
    return SeeOther(resolve_url("scoring:dataset_version", name, number))


def _version_page(
    request: SignedInRequest,
    row: DatasetVersion,
    form: LicenceForm | None = None,
    status: int = 200,
) -> HttpResponse:
    reader = version_reader(request.user, row)
    context: dict[str, Any] = {
        "version": row,
        "reader": reader,
        "siblings": siblings_of(row),
        # Before, systems are hidden; an imported file names none.
        "ranks_systems": row.dataset.campaign is not None and not row.dataset.campaign.is_open,
        "may_export": may_export(reader),
        "formats": tuple(EXPORT_FORMATS),
        "splits": SPLITS,
        "form": form or LicenceForm(initial={"licence": row.licence}),
    }
    if not reader.is_withheld:
        context["making"] = list(making_words(row.card, tells_files=reader.is_admin))
        context["use"] = uses_of_version(row)
        context["page"] = card_page(row.card)
        context["people_plot"] = people_plot(ratings_by_annotator(row))
    return render(request, "scoring/dataset_version.html", context, status=status)
