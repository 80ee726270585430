"""One's own account: where one is signed in, and the password."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import Http404, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.forms.account import NewPasswordForm
from annotator.gate import SignedInRequest
from annotator.queries.own_sessions import own_sessions
from annotator.refusals import Refused
from annotator.services.passwords import change_password
from annotator.services.sessions import end_access, end_session
from annotator.views.see_other import SeeOther

UNPROCESSABLE = 422


@require_safe
def account(request: SignedInRequest) -> HttpResponse:
    """Show where the person is signed in, and what else is theirs to keep safe."""
    context = {"sessions": own_sessions(request.user, this_session(request))}
    return render(request, "annotator/account.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def password(request: SignedInRequest) -> HttpResponse:
    """Change the password, which ends every other session and every token."""
    form = NewPasswordForm(request.POST if request.method == "POST" else None)
    if request.method != "POST":
        return _password_page(request, form)
    if not form.is_valid():
        return _password_page(request, form, UNPROCESSABLE)
    sent = form.cleaned_data
    try:
        this = this_session(request)
        ended = change_password(
            user=request.user, current=sent["current"], new=sent["new"], keep=this
        )
    except Refused as refusal:
        form.take_refusal(refusal)
        return _password_page(request, form, refusal.status)
    update_session_auth_hash(request, request.user)
    said = f"Your password is changed. Everywhere else you are signed out. {ended.sentence}"
    messages.success(request, said)
    return SeeOther(resolve_url("annotator:account"))


@require_POST
def end_others(request: SignedInRequest) -> HttpResponse:
    """End every session but this one, and every token."""
    ended = end_access(user=request.user, by=request.user, keep=this_session(request))
    messages.success(request, f"Other s{ended.sentence[1:]}")
    return SeeOther(resolve_url("annotator:account"))


@require_POST
def end_one(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """End one session; somebody else's is not found."""
    try:
        end_session(user=request.user, session_id=pk)
    except Refused as refusal:
        raise Http404 from refusal
    messages.success(request, "The session is ended.")
    return SeeOther(resolve_url("annotator:account"))


def this_session(request: SignedInRequest) -> UUID | None:
    """Return the id of the session that this request came with."""
    row = getattr(request.session, "row", None)
    return row.id if row is not None else None


def _password_page(
    request: SignedInRequest, form: NewPasswordForm, status: int = 200
) -> HttpResponse:
    form.focus_error()
    return render(request, "annotator/account_password.html", {"form": form}, status=status)
