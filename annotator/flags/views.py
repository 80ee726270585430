"""The page of one flag: what it is about, its answer, its end."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods

from annotator.access.gate import SignedInRequest, counted_campaign
from annotator.flags.forms import AnswerForm
from annotator.flags.queries import FlagPage, flags_of
from annotator.flags.services import answer_flag, close_flag
from annotator.models import Flag
from annotator.reading import reading_preference
from core.http import SeeOther, missing_is_404


@require_http_methods(["GET", "HEAD", "POST"])
def flag_page(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """Show a flag beside the claims that it is about; store the answer, or close it."""
    campaign = counted_campaign(request, slug)
    with missing_is_404():
        flag = flags_of(campaign).get(pk=number)
    form = AnswerForm(request.POST if request.method == "POST" else None, initial=_typed(flag))
    if form.is_bound and form.is_valid():
        with form.refusals():
            messages.success(request, _done(request, flag, form))
            back = resolve_url("annotator:campaign", campaign.slug)
            return SeeOther(f"{back}#flags")
    form.focus_error()
    context = {
        "campaign": campaign,
        "flag": flag,
        "page": FlagPage(flag),
        "form": form,
        "aids": {"diff": True, "marks": True},
        "shown_changes": reading_preference(request.user).shows_changes,
    }
    return render(request, "annotator/flags/flag.html", context, status=form.status)


def _typed(flag: Flag) -> dict[str, str]:
    return {"flag_answer": flag.answer}


def _done(request: SignedInRequest, flag: Flag, form: AnswerForm) -> str:
    answer = form.cleaned_data["flag_answer"]
    if form.closes:
        close_flag(flag=flag, by=request.user, answer=answer)
        return "The flag is closed."
    answer_flag(flag=flag, answer=answer, by=request.user)
    return f"{flag.assignment.annotator.username} is shown your answer."
