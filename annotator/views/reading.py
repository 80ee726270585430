"""The reading aids of the rate page: switched on and off, remembered per person."""

from typing import Final
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from annotator.forms.rating import RatingForm
from annotator.gate import SignedInRequest
from annotator.refusals import Refused
from annotator.services.preferences import show_aid
from annotator.views.rate_form import reading_context
from annotator.views.typed_forms import back_to, keep_typed, own_page, show_again

WISHES: Final = ("on", "off")


@require_POST
def reading(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show or hide the aid that the pressed button names, as `diff on` or `diff off`."""
    page = own_page(request, pk)
    if not request.headers.get("HX-Request") and (refused := keep_typed(request, page)):
        return refused
    aid, _, wish = str(request.POST.get("aid", "")).partition(" ")
    try:
        if wish not in WISHES:
            raise Refused("A reading aid is switched on or off.")
        preference = show_aid(user=request.user, aid=aid, is_shown=wish == "on")
    except Refused as refusal:
        if not request.headers.get("HX-Request"):
            return show_again(request, pk, RatingForm(request.POST), refusal)
        return HttpResponse(refusal.sentence, status=refusal.status, content_type="text/plain")
    if not request.headers.get("HX-Request"):
        return back_to(page)
    context = {"page": page, **reading_context(preference)}
    return render(request, "annotator/_panes.html", context)
