"""The pages of a version: its card, quadruplets, differences, ranked systems."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_POST, require_safe

from annotator.access.gate import SignedInRequest
from annotator.access.visibility import show_systems
from annotator.adjudication.settled.queries import names_for
from core.confirmation import ask, is_confirmed
from core.errors import Refused
from core.http import SeeOther, page_or_plot, refusals_told
from core.plots.shapes import Plot
from scoring.access.scopes import (
    SPLITS,
    VersionReader,
    may_export,
    version_or_404,
    version_reader,
)
from scoring.datasets.exports.forms import LicenceForm
from scoring.datasets.exports.services import set_licence
from scoring.datasets.texts.forms import PermissionForm
from scoring.datasets.texts.queries import about_revoking, permissions_for
from scoring.datasets.texts.services import permit_texts, revoke_texts
from scoring.datasets.versions.comparisons import compare_versions
from scoring.datasets.versions.forms import ComparisonForm, FilterForm, RankingForm
from scoring.datasets.versions.lineage import lineage_of, ratings_by_annotator, uses_of_version
from scoring.datasets.versions.queries import (
    A_PAGE,
    HEADINGS,
    card_page,
    describe_making,
    files_of,
    label_lines,
    lines_of,
    page_of,
    people_plot,
    rows_at,
    siblings_of,
)
from scoring.datasets.versions.rankings import comparisons_plots, ranking_of, ratings_plot
from scoring.formats.export_formats import EXPORT_FORMATS
from scoring.models import DatasetVersion

UNPROCESSABLE = 422


@require_safe
def version(request: SignedInRequest, name: str, number: int) -> HttpResponse:
    """Show the card of a version, what was made on it, and what leaves with it."""
    return _version_page(request, version_or_404(request.user, name, number))


@require_POST
def licence(request: SignedInRequest, name: str, number: int) -> HttpResponse:
    """Return what others may do with a version."""
    row = version_or_404(request.user, name, number)
    if not may_export(version_reader(request.user, row)):
        raise PermissionDenied("Only admins of the campaign say what others may do with it.")
    form = LicenceForm(request.POST)
    if form.is_valid():
        with form.refusals():
            set_licence(version=row, licence=form.cleaned_data["licence"], set_by=request.user)
            messages.success(request, "Licence saved.")
            return SeeOther(resolve_url("scoring:dataset_version", name, number))
    return _version_page(request, row, form)


@require_POST
def permit(request: SignedInRequest, name: str, number: int) -> HttpResponse:
    """Let a researcher of the campaign read the claim texts of a version."""
    row = version_or_404(request.user, name, number)
    if row.dataset.campaign is None or not may_export(version_reader(request.user, row)):
        raise PermissionDenied("Only admins of the campaign say who reads its claim texts.")
    form = PermissionForm(row, request.POST)
    if form.is_valid():
        with form.refusals():
            found = permit_texts(version=row, **form.cleaned_data, permitted_by=request.user)
            messages.success(request, f"{found.person.username} may read the claim texts now.")
            return SeeOther(resolve_url("scoring:dataset_version", name, number) + "#texts")
    return _version_page(request, row, texts_form=form)


@require_POST
def revoke(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Take such a permission away, once confirmed."""
    found = get_object_or_404(permissions_for(request.user), pk=pk)
    if not is_confirmed(request):
        return ask(request, about_revoking(found))
    dataset, number = found.version.dataset, found.version.number
    with refusals_told(request):
        revoke_texts(permission=found, revoked_by=request.user)
        messages.success(request, f"{found.person.username} reads the claim texts no more.")
    return SeeOther(resolve_url("scoring:dataset_version", dataset.full_name, number) + "#texts")


def _version_page(
    request: SignedInRequest,
    row: DatasetVersion,
    form: LicenceForm | None = None,
    texts_form: PermissionForm | None = None,
) -> HttpResponse:
    reader = version_reader(request.user, row)
    status = max([one.status for one in (form, texts_form) if one], default=200)
    form = form or LicenceForm(initial={"licence": row.licence})
    plots: list[Plot | None] = []
    context: dict[str, Any] = {
        "version": row,
        "reader": reader,
        "siblings": siblings_of(row),
        # Before, systems are hidden; an imported file names none.
        "ranks_systems": row.dataset.campaign is not None and not row.dataset.campaign.is_open,
        "may_export": may_export(reader),
        "formats": tuple(EXPORT_FORMATS),
        "splits": SPLITS,
        "form": form,
    }
    if may_export(reader) and row.dataset.campaign is not None:
        context["text_permissions"] = permissions_for(request.user).filter(version=row)
        context["texts_form"] = texts_form or PermissionForm(row)
    if not reader.is_withheld:
        context["making"] = list(describe_making(row.card, shows_files=reader.is_admin))
        context["use"] = uses_of_version(row)
        context["page"] = card_page(row.card)
        context["people_plot"] = people_plot(ratings_by_annotator(row))
        plots = [context["page"]["size_plot"], context["people_plot"]]
    return page_or_plot(
        request, "scoring/datasets/dataset_version.html", context, plots, status=status
    )


FORBIDDEN = 403
FACTS = (("office", "Office"), ("ipc", "IPC"), ("language", "Language"), ("family", "Family"))


@require_safe
def quadruplets(request: SignedInRequest, name: str, number: int) -> HttpResponse:
    """List the quadruplets of a version by page, all or those of a filter."""
    version = version_or_404(request.user, name, number)
    reader = version_reader(request.user, version)
    if reader.is_withheld:
        return _withheld(request, version)
    form = FilterForm(request.GET)
    context: dict[str, Any] = {"version": version, "form": form, "reader": reader}
    status = 200
    if (wanted := form.wanted) is None:
        status = UNPROCESSABLE
    else:
        try:
            rows, page = page_of(version, wanted, request.GET.get("page", ""), A_PAGE)
            _record_systems(request, version, reader)
            context |= lines_of(version, rows, reader=reader) | {"page": page}
        except Refused as refusal:
            context["refused"], status = refusal.sentence, refusal.status
    return render(request, "scoring/datasets/quadruplets.html", context, status=status)


@require_safe
def quadruplet(request: SignedInRequest, name: str, number: int, place: int) -> HttpResponse:
    """Show one quadruplet: its labels and all that they follow from."""
    version = version_or_404(request.user, name, number)
    reader = version_reader(request.user, version)
    if reader.is_withheld:
        return _withheld(request, version)
    try:
        row = rows_at(version, [place]).get(place)
    except Refused as refusal:
        context = {"version": version, "refused": refusal.sentence}
        return render(request, "scoring/datasets/quadruplet.html", context, status=refusal.status)
    if row is None:
        raise Http404
    _record_systems(request, version, reader)
    campaign = version.dataset.campaign
    key = f"{version.pk} {row.reference_id}"
    names = names_for(request.user, campaign, key, is_admin=reader.is_admin) if campaign else {}
    context = {
        "version": version,
        "reader": reader,
        "place": place,
        "row": row,
        "labels": list(label_lines(row)),
        "headings": HEADINGS,
        "facts": [(name, row.extras[key]) for key, name in FACTS if row.extras.get(key)],
        "files": files_of(version.card),
        "texts": (("A, the reference", row.reference), ("B", row.b), ("C", row.c)),
        "lineage": lineage_of(version, row, names),
        "tells_each": bool(names),
    }
    return render(request, "scoring/datasets/quadruplet.html", context)


def _record_systems(
    request: SignedInRequest, version: DatasetVersion, reader: VersionReader
) -> None:
    """Put on record that the ids of candidates, which may reveal their systems, are shown."""
    if reader.tells_ids and version.dataset.campaign is not None:
        show_systems(campaign=version.dataset.campaign, user=request.user)


def _withheld(request: SignedInRequest, version: DatasetVersion) -> HttpResponse:
    context = {"version": version}
    return render(request, "scoring/datasets/quadruplets_withheld.html", context, status=FORBIDDEN)


RATES_HERE = (
    "You rate in the campaign of this version, and its labels would tell you what the others gave. "
    "They are open to you once the campaign is closed."
)


@require_safe
def compare(request: SignedInRequest) -> HttpResponse:
    """Ask for two versions, and show what differs between them and why."""
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
        for campaign in {row.dataset.campaign for row in versions.values()}:
            if campaign is not None:
                show_systems(campaign=campaign, user=request.user)
    return _page(request, form, compared=compared, tells_ids=told, **versions)


def _page(
    request: SignedInRequest, form: ComparisonForm, status: int = 200, **more: Any
) -> HttpResponse:
    context = {"form": form, "headings": HEADINGS, **more}
    return render(request, "scoring/datasets/compare_versions.html", context, status=status)


@require_safe
def ranking(request: SignedInRequest, name: str, number: int) -> HttpResponse:
    """Show how the systems of a version rank; nothing of it before its campaign is closed."""
    version = version_or_404(request.user, name, number)
    campaign = version.dataset.campaign
    context: dict[str, Any] = {"version": version}
    if campaign is not None and campaign.is_open:
        rates_here = version_reader(request.user, version).is_withheld
        context["rates_here"] = rates_here
        status = FORBIDDEN if rates_here else 200
        return render(request, "scoring/datasets/ranking_withheld.html", context, status=status)
    context["form"] = form = RankingForm(version, request.GET)
    status = 200
    plots: list[Plot | None] = []
    if form.chosen is None:
        status = UNPROCESSABLE
    else:
        try:
            found = ranking_of(version, form.chosen)
            if campaign is not None and found.shows_systems:
                show_systems(campaign=campaign, user=request.user)
            by_comparisons, by_ratings = comparisons_plots(found), ratings_plot(found)
            plots = [*by_comparisons, by_ratings]
            context |= {"ranking": found, "criterion": form.chosen, "ratings_plot": by_ratings}
            if found.by_comparisons is not None:
                context["groups"] = list(
                    zip(found.by_comparisons["groups"], by_comparisons, strict=True)
                )
        except Refused as refusal:
            context["refused"], status = refusal.sentence, refusal.status
    template = "scoring/datasets/ranking.html"
    return page_or_plot(request, template, context, plots, known=form.fields.keys(), status=status)
