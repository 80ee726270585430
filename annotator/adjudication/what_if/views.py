"""The what-if page: rules to try on the ratings so far, for admins; it only reads."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotator.access.gate import SignedInRequest, counted_campaign
from annotator.adjudication.what_if.forms import what_if_form
from annotator.adjudication.what_if.queries import what_if as replay


@require_safe
def what_if(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show what the rules in the address would find; today's when it names none."""
    row = counted_campaign(request, slug)
    form = what_if_form(row, request.GET)
    context: dict[str, Any] = {"campaign": row, "form": form}
    if not form.is_valid():
        form.focus_error()
        return render(request, "annotator/adjudication/what_if.html", context, status=422)
    context |= {"rules": form.rules, "found": replay(row, form.rules)}
    return render(request, "annotator/adjudication/what_if.html", context)
