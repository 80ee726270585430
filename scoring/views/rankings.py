"""The screen of a version's systems, ranked by what people prefer."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotator.gate import SignedInRequest
from annotator.refusals import Refused
from annotator.services.system_unblinding import show_systems
from scoring.forms.rankings import RankingForm
from scoring.queries.datasets import version_or_404
from scoring.queries.rankings import ranking_of
from scoring.queries.version_access import version_reader

FORBIDDEN = 403
UNPROCESSABLE = 422


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
        return render(request, "scoring/ranking_withheld.html", context, status=status)
    form = RankingForm(version, request.GET)
    context["form"] = form
    if form.chosen is None:
        return render(request, "scoring/ranking.html", context, status=UNPROCESSABLE)
    try:
        found = ranking_of(version, form.chosen)
    except Refused as refusal:
        context["refused"] = refusal.sentence
        return render(request, "scoring/ranking.html", context, status=refusal.status)
    if campaign is not None and found.tells_systems:
        show_systems(campaign=campaign, user=request.user)
    context |= {"ranking": found, "criterion": form.chosen}
    return render(request, "scoring/ranking.html", context)
