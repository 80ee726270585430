"""All accounts, for site admins: invite, shut, open again, end sessions, reset a second factor."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.forms.invitations import SiteInviteForm
from annotator.gate import SignedInRequest
from annotator.models import User
from annotator.queries.accounts import accounts
from annotator.refusals import Refused
from annotator.services.accounts import deactivate, reactivate
from annotator.services.invitations import invite
from annotator.services.second_factor import reset_factor
from annotator.services.sessions import end_access
from annotator.views.invitations import link_page
from annotator.views.see_other import SeeOther

UNPROCESSABLE = 422


@require_http_methods(["GET", "HEAD", "POST"])
def users(request: SignedInRequest) -> HttpResponse:
    """List the accounts; a POST invites somebody."""
    if request.method != "POST":
        return _page(request, SiteInviteForm())
    form = SiteInviteForm(request.POST)
    if not form.is_valid():
        return _page(request, form, UNPROCESSABLE)
    try:
        sent = form.cleaned_data
        token = invite(by=request.user, campaign=sent["campaign"], role=sent["role"])
    except Refused as refusal:
        form.take_refusal(refusal)
        return _page(request, form, refusal.status)
    return link_page(request, token)


@require_POST
def change_user(request: SignedInRequest, pk: UUID, name: str) -> HttpResponse:
    """Do one of the acts of the list to an account."""
    user = get_object_or_404(accounts(), pk=pk)
    try:
        said = _act(request.user, user, name)
    except Refused as refusal:
        messages.error(request, refusal.sentence)
        return _page(request, SiteInviteForm(), refusal.status)
    messages.success(request, said)
    return SeeOther(resolve_url("annotator:users"))


def _act(by: User, user: User, name: str) -> str:
    if name == "deactivate":
        ended, withdrawn = deactivate(user=user, by=by)
        return (
            f"{user.username} is deactivated and signed out everywhere. {ended.sentence} "
            f"Invitations withdrawn: {withdrawn}."
        )
    if name == "reactivate":
        reactivate(user=user, by=by)
        return f"{user.username} may sign in again."
    if name == "end-sessions":
        return f"{user.username} is signed out. {end_access(user=user, by=by).sentence}"
    if name == "reset-second-factor":
        ended = reset_factor(user=user, by=by)
        return f"{user.username} sets up a new second factor at the next sign-in. {ended.sentence}"
    raise Http404


def _page(request: SignedInRequest, form: SiteInviteForm, status: int = 200) -> HttpResponse:
    form.focus_error()
    context = {"form": form, "accounts": accounts()}
    return render(request, "annotator/users.html", context, status=status)
