"""Sign-in by a passkey alone, where the site allows it: password and second factor at once."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.views.decorators.http import require_POST

from annotator.accounts.factor_views import ask_passkey
from annotator.accounts.passkeys import ALONE, ANSWER, answered, asked_of
from annotator.site.sign_in import let_in, on_this_site, refused_page
from core.errors import Refused


@require_POST
def sign_in(request: HttpRequest) -> HttpResponse:
    """Ask the browser for a passkey; let in whose passkey answers.

    What a form held before the sign-in goes along, and is there after it.
    """
    if not settings.PASSKEYS_ALONE:
        raise Http404
    sent = request.POST
    target, resubmitted = on_this_site(request, sent.get("next", "")), sent.get("carried", "")
    try:
        if ANSWER not in sent:
            asked = asked_of(request, ALONE, None)
            hidden = [("next", target), ("carried", resubmitted)]
            return ask_passkey(request, asked, "signs you in.", back="annotator:login", sent=hidden)
        user, _ = answered(request, ALONE, None)
    except Refused as refusal:
        return refused_page(request, refusal, target, resubmitted)
    return let_in(
        request,
        user,
        target or resolve_url("annotator:home"),
        resubmitted=resubmitted,
        with_code=True,
        is_by_passkey=True,
    )
