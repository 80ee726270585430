"""Error tags of the rate page: one more, one less."""

import json
import re
from typing import Any, Final
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from annotator.forms.rating import RatingForm
from annotator.gate import SignedInRequest
from annotator.refusals import OutOfDate, Refused
from annotator.services.drafts import save_draft
from annotator.typology import clean_tags
from annotator.views.rate_form import tags_context
from annotator.views.tag_chips import read_tags
from annotator.views.typed_forms import back_to, own_page, show_again

# "add vagueness", "add vagueness candidate 10 24", "remove 2", or "show" for the list as it is
ADD: Final = re.compile(r"add ([a-z-]{1,80})(?: (candidate|reference) (\d{1,7}) (\d{1,7}))?")
SHOW: Final = "show"
REMOVE: Final = re.compile(r"remove (\d{1,3})")


@require_POST
def tags(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Change the chosen tags by what the pressed button says.

    For the page's script: the list of chips with its hidden field, which is then saved with the
    draft. For a browser without it: the draft is saved with the change, and the page shown again.
    """
    page = own_page(request, pk)
    candidate = page.assignment.candidate
    texts = {"candidate": candidate.claims, "reference": candidate.reference.claims}
    chosen = read_tags(str(request.POST.get("error_tags", "")), texts)
    form = RatingForm(request.POST)
    form.is_valid()
    try:
        changed = json.dumps(_changed(chosen, request.POST.getlist("tag"), texts))
    except ValueError as error:
        refusal = Refused(str(error), {"error_tags": [str(error)]})
        if request.headers.get("HX-Request"):
            return HttpResponse(str(error), status=refusal.status, content_type="text/plain")
        return show_again(request, pk, form, refusal)
    if request.headers.get("HX-Request"):
        context = {"page": page, "sent": {"error_tags": changed}, **tags_context(page, changed)}
        return render(request, "annotator/_tags.html", context)
    try:
        if not page.is_writable:
            raise OutOfDate(page.closed_because)
        save_draft(
            assignment=page.assignment,
            typed=form.as_typed | {"error_tags": changed},
            version=form.draft_version_seen or 0,
            rating_version=form.version_seen,
        )
    except Refused as refusal:
        return show_again(request, pk, form, refusal)
    return back_to(page)


def _changed(chosen: list[Any], wishes: list[str], texts: dict[str, str]) -> list[dict[str, Any]]:
    # Without script the list of tags is sent along, whatever button was pressed.
    removals = [entry for entry in wishes if REMOVE.fullmatch(entry)]
    wish = next((entry for entry in (*removals, *wishes) if entry), "")
    if wish == SHOW:
        return chosen
    if removal := REMOVE.fullmatch(wish):
        place = int(removal[1])
        return [entry for index, entry in enumerate(chosen) if index != place]
    addition = ADD.fullmatch(wish)
    if addition is None:
        raise ValueError("Choose an error tag from the list.")
    entry: dict[str, Any] = {"tag": addition[1]}
    if addition[2]:
        entry |= {"side": addition[2], "start": int(addition[3]), "end": int(addition[4])}
    return clean_tags([*chosen, entry], texts)
