"""Sign in, the second step, sign out; what a form held is resubmitted."""

import json
from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView, RedirectURLMixin
from django.forms import BaseForm
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
    QueryDict,
)
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render, resolve_url
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.views import View
from django.views.decorators.http import require_http_methods

from annotator.access.gate import DRAFT_FIELD, RESUBMITTED, SignedInRequest
from annotator.access.scopes import ever_assigned
from annotator.access.second_step import (
    GIVEN,
    PENDING,
    await_code,
    awaited,
    awaited_at_provider,
    has_factor,
)
from annotator.accounts.forms import CodeForm, SignInForm
from annotator.accounts.passkeys import ANSWER, FACTOR, answered, asked_of
from annotator.accounts.second_factor import app_of, check_code
from annotator.accounts.sessions import DEVICE, IDENTITY, PROVIDER, PROVIDER_SESSION
from annotator.accounts.sign_in import describe_device, record_right, remember_browser
from annotator.adjudication.rulings.queries import adjudication_page
from annotator.comparisons.queries import compare_page
from annotator.models import User
from annotator.rating.drafts import save_refused
from annotator.rating.forms import RatingForm
from annotator.rating.queries import rate_page
from annotator.rating.views import show_again
from annotator.rating_values import TYPED
from annotator.site.errors import of_fields, resubmitted_fields
from core.errors import OutOfDate, Refused, TooOften
from patclaimeval.text_io.strict_json import StrictJsonError, loads

RATE_ROUTE = "annotator:rate"
COMPARE_ROUTE = "annotator:compare"
# What is said above the rate page when what a form held could not become a draft.
SAVED_SINCE = (
    "Your session had ended before you sent this. Another tab has saved a draft since, so what you "
    "sent is not stored yet."
)
NOT_STORED = "Your session had ended before you sent this. It could not be stored as a draft."
BACKEND = "django.contrib.auth.backends.ModelBackend"


def let_in(
    request: HttpRequest,
    user: User,
    target: str,
    *,
    resubmitted: str = "",
    with_code: bool = False,
    at_provider: Mapping[str, str] | None = None,
) -> HttpResponse:
    """Begin the session of a person, and answer with where to go, or a script with its token.

    `at_provider` is what the session holds of a sign-in at a provider, `with_code` whether a second
    factor was given.
    """
    request.session.pop(PENDING, None)
    login(request, user, backend=BACKEND)
    record_right(user, (at_provider or {}).get(PROVIDER, ""))
    request.session[DEVICE] = describe_device(request.headers.get("User-Agent", ""))
    request.session[GIVEN] = with_code
    # What a session of this browser held of an earlier sign-in is not this one's.
    for name in (PROVIDER, IDENTITY, PROVIDER_SESSION):
        request.session.pop(name, None)
    request.session.update(dict(at_provider or {}))
    response: HttpResponse = HttpResponseRedirect(target)
    if resubmitted and (page := resubmitted_page(target)):
        response = _shown_again(request, user, page, target, resubmitted) or response
    elif resubmitted:
        response = _save_draft(request, target, resubmitted) or response
    if request.headers.get("HX-Request"):
        response = JsonResponse({"token": get_token(request), "username": user.username})
    remember_browser(request, response, user.username)
    return response


def resubmitted_page(target: str) -> ResolverMatch | None:
    """Return the page that `target` leads to where its form is sent again after a sign-in."""
    match = _page_at(target)
    return match if match and match.view_name in RESUBMITTED else None


def is_form_page(target: str) -> bool:
    """Return whether `target` is a page whose form survives the end of a session."""
    match = _page_at(target)
    return match is not None and match.view_name in (RATE_ROUTE, *RESUBMITTED)


def _page_at(target: str) -> ResolverMatch | None:
    try:
        return resolve(target)
    except Resolver404:
        return None


def _shown_again(
    request: HttpRequest, user: User, page: ResolverMatch, target: str, resubmitted: str
) -> HttpResponse | None:
    """Show a form that came before the sign-in, if it is of a page of this person's.

    Signing in sends nothing by itself: who signed in may not be who typed.
    """
    pk = page.kwargs["pk"]
    is_comparison = page.view_name == COMPARE_ROUTE
    own = compare_page(user, pk) if is_comparison else adjudication_page(user, pk)
    try:
        fields = loads(resubmitted.encode("utf-8", "surrogatepass"))
    except StrictJsonError:
        return None
    if own is None or not isinstance(fields, dict):
        return None
    sent = [(name, value) for name, value in fields.items() if isinstance(value, str)]
    typed = of_fields(target, sent, had_password=not is_comparison)
    return render(request, "annotator/site/carried.html", {"typed": typed}) if typed else None


def _save_draft(request: HttpRequest, target: str, resubmitted: str) -> HttpResponse | None:
    """Store resubmitted fields as a draft of the assignment at `target`, if it is theirs.

    Return the rate page with what was sent where it cannot be stored. Where another tab has saved a
    draft since, that page shows both, and the person decides which one stays.
    """
    user, match = request.user, _page_at(target)
    assert isinstance(user, User)
    if match is None or match.view_name != RATE_ROUTE:
        return None
    assignment = ever_assigned(user).filter(pk=match.kwargs["pk"]).first()
    if assignment is None:
        return None
    try:
        fields = loads(resubmitted.encode("utf-8", "surrogatepass"))
        sent = {name: str(fields.get(name) or "") for name in (*TYPED, DRAFT_FIELD)}
        version = int(sent[DRAFT_FIELD] or 0)
    except (StrictJsonError, AttributeError, ValueError):
        messages.error(request, "What you sent after your session had ended could not be read.")
        return None
    typed = {name: sent[name] for name in TYPED}
    if save_refused(assignment=assignment, typed=typed, version=version):
        messages.info(request, "What you sent after your session had ended is kept as a draft.")
        return None
    return _show_unstored(cast(SignedInRequest, request), assignment.pk, target, sent)


def _show_unstored(
    request: SignedInRequest, pk: UUID, target: str, sent: Mapping[str, str]
) -> HttpResponse | None:
    """Show the rate page with what could not be stored as a draft, beside what is stored."""
    page = rate_page(request.user, pk)
    if page is None:
        typed = of_fields(target, sent.items(), had_password=False)
        return render(request, "annotator/site/carried.html", {"typed": typed})
    refusal = OutOfDate(SAVED_SINCE if page.draft else NOT_STORED)
    fields = QueryDict(mutable=True)
    fields.update(dict(sent))
    return show_again(request, pk, RatingForm(fields), refusal)


def _ways_in() -> dict[str, object]:
    return {
        "providers": settings.OIDC_PROVIDERS,
        "has_passwords": settings.EMERGENCY_ACCOUNT is None,
    }


def refused_page(
    request: HttpRequest, refusal: Refused, target: str = "", resubmitted: str = ""
) -> HttpResponse:
    """Show the sign-in page to who was not let in another way; what a form held stays."""
    context = {
        "form": SignInForm(request),
        "next": on_this_site(request, target),
        "carried": resubmitted,
        "sentence": refusal.sentence,
        **_ways_in(),
    }
    response = render(request, "annotator/site/login.html", context, status=refusal.status)
    return _with_wait(response, refusal)


def on_this_site(request: HttpRequest, target: str) -> str:
    """Return the page to go to if it is one of this site, else nothing."""
    is_here = url_has_allowed_host_and_scheme(
        target, {request.get_host()}, require_https=request.is_secure()
    )
    return target if is_here else ""


OVER = "That took too long. Sign in with your password again."


def ask_for_code(
    request: HttpRequest,
    user: User,
    target: str,
    resubmitted: str,
    *,
    form: CodeForm | None = None,
    refusal: Refused | None = None,
) -> HttpResponse:
    """Show the page that asks for a code or a passkey, or tell a script where to send one.

    `refusal` is of the code in the form, or without a form of a passkey.
    """
    sentence = "" if form or refusal is None else refusal.sentence
    form = form or CodeForm()
    if form.is_bound and refusal:
        form.take_refusal(refusal)
    status = refusal.status if refusal else form.status
    asked, problem = _asked_factor(request, user)
    if request.headers.get("HX-Request"):
        wish = "Use your passkey, or enter a code." if asked else "Enter your code."
        told = {"sentence": sentence or _reasons(form) or wish, "passkey": asked}
        if status == 200:
            told["code_url"] = resolve_url("annotator:login_code")
        response: HttpResponse = JsonResponse(told, status=status)
    else:
        context = {
            "form": form,
            "next": target,
            "carried": resubmitted,
            "sentence": sentence,
            "asked": asked,
            "problem": problem,
            "has_app": app_of(user) is not None,
        }
        response = render(request, "annotator/site/login_code.html", context, status=status)
    return _with_wait(response, refusal)


def _asked_factor(request: HttpRequest, user: User) -> tuple[str, str]:
    """Return what a browser is to ask an authenticator, or why it cannot; for who has passkeys."""
    if not user.passkeys.exists():
        return "", ""
    try:
        return asked_of(request, FACTOR, user), ""
    except Refused as refusal:
        return "", refusal.sentence


def _with_wait(response: HttpResponse, refusal: Refused | None) -> HttpResponse:
    if isinstance(refusal, TooOften):
        response["Retry-After"] = str(refusal.retry_after)
    return response


def _reasons(form: BaseForm) -> str:
    return " ".join(str(why) for reasons in form.errors.values() for why in reasons)


class SignInCode(RedirectURLMixin, View):
    """Takes the code of who gave the right password within the last five minutes."""

    http_method_names = ["get", "head", "post"]
    next_page = "annotator:home"

    def get(self, request: HttpRequest) -> HttpResponse:
        user = awaited(request)
        if user is None:
            return redirect("annotator:login")
        return ask_for_code(request, user, self.get_redirect_url(), "")

    def post(self, request: HttpRequest) -> HttpResponse:
        user, at_provider = awaited(request), awaited_at_provider(request)
        if user is None:
            if request.headers.get("HX-Request"):
                return JsonResponse({"sentence": OVER, "is_over": True}, status=422)
            return redirect("annotator:login")
        form = None if ANSWER in request.POST else CodeForm(request.POST)
        resubmitted, refused = request.POST.get("carried", ""), None
        if form is None or form.is_valid():
            try:
                if form is None:
                    answered(request, FACTOR, user)
                else:
                    check_code(user=user, code=form.cleaned_data["code"])
            except Refused as refusal:
                refused = refusal
            else:
                return let_in(
                    request,
                    user,
                    self.get_success_url(),
                    resubmitted=resubmitted,
                    with_code=True,
                    at_provider=at_provider,
                )
        target = self.get_redirect_url()
        return ask_for_code(request, user, target, resubmitted, form=form, refusal=refused)

    def get_default_redirect_url(self) -> Any:
        return resolve_url(self.next_page)


@method_decorator(require_http_methods(["GET", "HEAD", "POST"]), name="dispatch")
class SignIn(LoginView):
    """The sign-in page; `next` is followed on this site only.

    A rating that was posted after the session had ended comes here with all its fields: they are
    resubmitted after the sign-in and stored as a draft of the one who signs in.
    """

    template_name = "annotator/site/login.html"
    authentication_form = SignInForm

    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        # A page's script that signs in again in place wants an answer, not another page; and what
        # a form holds is stored first, even if another tab has signed in meanwhile.
        is_asking = request.headers.get("HX-Request") or request.method == "POST"
        self.redirect_authenticated_user = not is_asking
        return super().dispatch(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        typed = None if "username" in request.POST else self._resubmitted()
        if typed is None:
            try:
                return super().post(request, *args, **kwargs)
            except TooOften as refusal:
                return self._too_often(refusal)
        context = self.get_context_data(form=SignInForm(request), carried=json.dumps(typed))
        return self.render_to_response(context, status=401)

    def _resubmitted(self) -> dict[str, str] | None:
        """Return the fields of a form that came here for want of a session; None for no form."""
        sent = self.request.POST
        if DRAFT_FIELD in sent:
            form = RatingForm(sent)
            return form.as_entered | {DRAFT_FIELD: form.typed(DRAFT_FIELD)}
        if resubmitted_page(self.get_redirect_url()) is None:
            return None
        return {
            name: value
            for name, value in resubmitted_fields(sent)
            if name != self.redirect_field_name
        }

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        shown = {
            "carried": self.request.POST.get("carried", ""),
            **_ways_in(),
        }
        return super().get_context_data(**(shown | kwargs))

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user = form.get_user()
        assert isinstance(user, User)
        resubmitted = self.request.POST.get("carried", "")
        if not has_factor(user):
            return let_in(self.request, user, self.get_success_url(), resubmitted=resubmitted)
        await_code(self.request, user)
        return ask_for_code(self.request, user, self.get_redirect_url(), resubmitted)

    def _too_often(self, refusal: TooOften) -> HttpResponse:
        """Return when to try again; the name, and what a form holds, stay."""
        if self.request.headers.get("HX-Request"):
            response: HttpResponse = JsonResponse({"sentence": refusal.sentence}, status=429)
        else:
            # Unbound: the form must not check the password while it is shown.
            form = SignInForm(self.request, initial={"username": self.request.POST["username"]})
            context = self.get_context_data(form=form, sentence=refusal.sentence)
            response = self.render_to_response(context, status=refusal.status)
        return _with_wait(response, refusal)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if self.request.headers.get("HX-Request"):
            return JsonResponse({"sentence": _reasons(form)}, status=422)
        return self.render_to_response(self.get_context_data(form=form), status=422)


class SignOut(LogoutView):
    """Ends the session and has the browser forget what it stored of this site."""

    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().post(request, *args, **kwargs)
        response["Clear-Site-Data"] = '"cache", "storage"'
        return response
