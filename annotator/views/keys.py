"""The keys page: a person's own keys for the rate screen."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.http import require_http_methods

from annotator.forms.keys import KeysForm
from annotator.gate import SignedInRequest
from annotator.queries.readings import reading_preference
from annotator.services.preferences import save_keys
from annotator.views.see_other import SeeOther

UNPROCESSABLE = 422
LONGEST_NEXT = 500


@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: SignedInRequest) -> HttpResponse:
    """Show the keys in force; store changed ones, or the defaults again, and go back."""
    user, back = request.user, _back(request)
    if request.method != "POST":
        return _page(request, KeysForm(reading_preference(user)), back)
    if "reset" in request.POST:
        save_keys(user=user, changes={}, single_keys=True)
        messages.success(request, "All keys are the default ones again.")
        return SeeOther(_here(back))
    form = KeysForm(reading_preference(user), request.POST)
    if not form.is_valid():
        return _page(request, form, back, UNPROCESSABLE)
    save_keys(user=user, changes=form.changes, single_keys=form.cleaned_data["single_keys"])
    messages.success(request, "Your keys are stored.")
    return SeeOther(back or _here(back))


def _page(request: SignedInRequest, form: KeysForm, back: str, status: int = 200) -> HttpResponse:
    context = {"form": form, "groups": list(form.groups()), "back": back}
    return render(request, "annotator/keys.html", context, status=status)


def _here(back: str) -> str:
    query = f"?{urlencode({'next': back})}" if back else ""
    return resolve_url("annotator:keys") + query


def _back(request: SignedInRequest) -> str:
    """Return where the person came from, when it is a page of this site, else nothing."""
    sent = request.POST.get("next") or request.GET.get("next", "")
    is_ours = sent.startswith("/") and url_has_allowed_host_and_scheme(
        sent, allowed_hosts=None, require_https=request.is_secure()
    )
    return sent if is_ours and len(sent) <= LONGEST_NEXT else ""
