"""The rubric page, and one criterion of it for a dialog of the rate screen."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from annotator.exemplars import LESSONS, Example, lesson_of
from annotator.gate import SignedInRequest
from annotator.rubric import (
    OVERALL_BANDS,
    RUBRIC,
    TOTAL_WEIGHT,
    WEIGHTS,
    Criterion,
    overall_numerator,
)
from annotator.typology import ABSTRACTS, CLAIMS, grouped


@require_safe
def rubric(request: SignedInRequest) -> HttpResponse:
    """Show all criteria with bands and worked examples, the overall, and the error tags."""
    context = {
        "chapters": [_chapter(criterion) for criterion in RUBRIC],
        "overall_bands": OVERALL_BANDS,
        "total_weight": TOTAL_WEIGHT,
        "sum": _sum(LESSONS[0].examples[0]),
        "claim_tags": grouped(CLAIMS),
        "abstract_tags": grouped(ABSTRACTS),
    }
    return render(request, "annotator/rubric.html", context)


@require_safe
def rubric_criterion(request: SignedInRequest, name: str) -> HttpResponse:
    """Show one criterion: the part alone when a script asks for it, else a page around it."""
    criterion = next((entry for entry in RUBRIC if entry.key == name), None)
    if criterion is None:
        raise Http404
    is_part = request.headers.get("HX-Request") == "true"
    template = "annotator/_exemplars.html" if is_part else "annotator/rubric_criterion.html"
    response = render(request, template, {"chapter": _chapter(criterion), "chapters": RUBRIC})
    patch_vary_headers(response, ["HX-Request"])
    return response


def _chapter(criterion: Criterion) -> dict[str, Any]:
    return {
        "criterion": criterion,
        "lesson": lesson_of(criterion.key),
        "total_weight": TOTAL_WEIGHT,
    }


def _sum(example: Example) -> dict[str, Any]:
    """Return the overall of one example with every step of the sum."""
    return {
        "terms": [(WEIGHTS[key], score) for key, score in example.scores.items()],
        "numerator": overall_numerator(example.scores),
        "overall": example.overall,
        "band": example.overall_band,
    }
