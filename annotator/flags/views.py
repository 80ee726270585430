"""The page of a flag: what it is about, its answer, its end."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods

from annotator.access.gate import SignedInRequest, counted_campaign
from annotator.flags.forms import AnswerForm
from annotator.flags.queries import flags_on
from annotator.flags.services import answer_flags, close_flags
from annotator.models import Assignment
from annotator.reading import reading_preference
from core.http import SeeOther


@require_http_methods(["GET", "HEAD", "POST"])
def flag_page(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Show the flags on an assignment beside the claims; store the answer, or close them."""
    campaign = counted_campaign(request, slug)
    page = flags_on(campaign, pk)
    if page is None:
        raise Http404
    initial = {"flag_answer": page.answer}
    form = AnswerForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_bound and form.is_valid():
        with form.refusals():
            messages.success(request, _done(request, page.assignment, form))
            back = resolve_url("annotator:campaign", campaign.slug)
            return SeeOther(f"{back}#flags")
    form.focus_error()
    context = {
        "campaign": campaign,
        "page": page,
        "form": form,
        "aids": {"diff": True, "marks": True},
        "shown_changes": reading_preference(request.user).shows_changes,
    }
    return render(request, "annotator/flags/flag.html", context, status=form.status)


def _done(request: SignedInRequest, assignment: Assignment, form: AnswerForm) -> str:
    answer = form.cleaned_data["flag_answer"]
    if form.closes:
        close_flags(assignment=assignment, by=request.user, answer=answer)
        return "The flag is closed."
    answer_flags(assignment=assignment, answer=answer, by=request.user)
    return f"{assignment.annotator.username} is shown your answer."
