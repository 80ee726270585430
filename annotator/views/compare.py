"""The compare page: show, submit, revise; and an admin's request for comparisons."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.forms.comparison import PreferenceForm
from annotator.gate import SignedInRequest
from annotator.queries.compare_page import ComparePage, compare_page
from annotator.queries.comparisons import next_comparison
from annotator.refusals import OutOfDate, Refused
from annotator.services.preferences import show_aid
from annotator.services.stated_preferences import submit_preference
from annotator.views.compare_form import page_context
from annotator.views.see_other import SeeOther

UNPROCESSABLE = 422
NO_CONTENT = 204


@require_http_methods(["GET", "HEAD", "POST"])
def compare(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show a comparison; store the preference that is posted and go on to the next.

    The page's script asks for the next address instead of a redirect, so that a server that is
    away costs nothing that was typed; what is refused it sends again as a plain form.
    """
    page = _own_page(request, pk)
    if request.method != "POST":
        return _show(request, page)
    form = PreferenceForm(request.POST)
    if not form.is_valid():
        return _show(request, page, form, UNPROCESSABLE)
    try:
        row = submit_preference(
            comparison_id=pk,
            annotator=request.user,
            judgements=form.judgements,
            comment=form.cleaned_data["comment"],
            version=form.version_seen,
        )
    except Refused as refusal:
        form.take_refusal(refusal)
        return _show(request, _own_page(request, pk), form, refusal.status)
    messages.success(request, f"{page.label}: preference stored.")
    following = next_comparison(request.user, row.comparison)
    target = resolve_url("annotator:compare", following.pk) if following else "/"
    if request.headers.get("HX-Request"):
        return JsonResponse({"location": target})
    return SeeOther(target)


@require_POST
def compare_reading(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Switch a reading aid for this person; without a script, show the page with all typed."""
    page = _own_page(request, pk)
    aid, _, wish = request.POST.get("aid", "").partition(" ")
    form = PreferenceForm(request.POST)
    try:
        show_aid(user=request.user, aid=aid, is_shown=wish != "off")
    except Refused as refusal:
        form.take_refusal(refusal)
        return _show(request, page, form, UNPROCESSABLE)
    if request.headers.get("HX-Request"):
        return HttpResponse(status=NO_CONTENT)
    context = page_context(_own_page(request, pk), form, is_checked=False)
    return render(request, "annotator/compare.html", context)


def _own_page(request: SignedInRequest, pk: UUID) -> ComparePage:
    """Return the page of the person's own comparison, or 404."""
    page = compare_page(request.user, pk)
    if page is None:
        raise Http404
    return page


def _show(
    request: SignedInRequest,
    page: ComparePage,
    form: PreferenceForm | None = None,
    status: int = 200,
) -> HttpResponse:
    context = page_context(page, form, is_stale=status == OutOfDate.status)
    return render(request, "annotator/compare.html", context, status=status)
