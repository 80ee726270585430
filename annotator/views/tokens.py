"""One's own API tokens: make one, see them, revoke one."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.forms.account import TokenForm
from annotator.gate import SignedInRequest
from annotator.queries.own_tokens import own_tokens
from annotator.refusals import Refused
from annotator.services.signing import confirm_password
from annotator.services.tokens import create_token, revoke_token
from annotator.views.see_other import SeeOther

UNPROCESSABLE = 422


@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: SignedInRequest) -> HttpResponse:
    """List the tokens; a POST makes one and shows it, this once."""
    user = request.user
    if request.method != "POST":
        return _page(request, TokenForm(user))
    form = TokenForm(user, request.POST)
    if not form.is_valid():
        return _page(request, form, UNPROCESSABLE)
    sent = form.cleaned_data
    try:
        if not confirm_password(user, sent["password"]):
            raise Refused("", {"password": ["This is not your password; nothing was stored."]})
        made = create_token(user=user, scope=sent["scope"], days=sent["days"], campaign=form.chosen)
    except Refused as refusal:
        form.take_refusal(refusal)
        return _page(request, form, refusal.status)
    return _page(request, TokenForm(user), token=made.token)


@require_POST
def revoke(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Revoke a token; somebody else's is not found."""
    try:
        revoke_token(user=request.user, token_id=pk)
    except Refused as refusal:
        raise Http404 from refusal
    messages.success(request, "The token is revoked.")
    return SeeOther(resolve_url("annotator:account_tokens"))


def _page(
    request: SignedInRequest, form: TokenForm, status: int = 200, token: str = ""
) -> HttpResponse:
    form.focus_error()
    context = {"form": form, "tokens": own_tokens(request.user), "token": token}
    return render(request, "annotator/account_tokens.html", context, status=status)
