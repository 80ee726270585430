"""Home: the queue of an annotator, the dashboard of everybody else."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from annotator.models import Role
from annotator.queries.access import campaigns_for, roles_of
from annotator.queries.campaign_progress import campaign_progress
from annotator.queries.queue import queue_of
from annotator.rubric import OVERALL_BANDS, RUBRIC


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    is_annotator = Role.ANNOTATOR in roles_of(request.user)
    context = {
        "queue": queue_of(request.user) if is_annotator else None,
        "managed": campaigns_for(request.user, [Role.ADMIN]),
    }
    return render(request, "annotator/home.html", context)


@require_GET
def rubric(request: HttpRequest) -> HttpResponse:
    return render(
        request, "annotator/rubric.html", {"rubric": RUBRIC, "overall_bands": OVERALL_BANDS}
    )


@require_GET
def campaign(request: HttpRequest, slug: str) -> HttpResponse:
    row = get_object_or_404(campaigns_for(request.user, [Role.ADMIN]), slug=slug)
    context = {"campaign": row, "progress": campaign_progress(row)}
    return render(request, "annotator/campaign.html", context)
