"""Sign-in at a provider: the way there, what comes back, and what ends there."""

from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from annotator.access.gate import SignedInRequest
from annotator.access.second_step import await_code, has_factor
from annotator.accounts import factor_views
from annotator.accounts import views as accounts_views
from annotator.accounts.providers import (
    Fresh,
    Person,
    Purpose,
    Question,
    answered,
    leave_for,
    provider_named,
    session_digest,
    take_question,
)
from annotator.accounts.services import confirm_password
from annotator.accounts.sessions import IDENTITY, PROVIDER, PROVIDER_SESSION
from annotator.adjudication.rulings import views as rulings_views
from annotator.campaigns.members.services import open_invitations
from annotator.entry.queries import label_of
from annotator.entry.services import (
    link_person,
    log_out,
    refuse_only_way,
    sign_in_person,
    unlink_person,
)
from annotator.models import Identity, User
from annotator.site.sign_in import (
    ask_for_code,
    is_form_page,
    let_in,
    on_this_site,
    refused_page,
)
from core.clock import database_now
from core.confirmation import Confirmation, ask, is_confirmed
from core.errors import OutOfDate, Refused
from core.http import SeeOther, refusals_told
from core.oidc.client import Budget, ProviderDown
from core.oidc.settings import Provider
from core.oidc.tokens import BadToken, read_logout_token
from patclaimeval.plurals import counted

HOME: Final = "annotator:home"
After = Callable[[Any, Question, Person], HttpResponse]
LINK_USED: Final = (
    "The link of your invitation was used already, or its seven days are over. Ask for a new one."
)


def _provider(name: str) -> Provider:
    provider = provider_named(name)
    if provider is None:
        raise Http404
    return provider


@require_POST
def begin(request: HttpRequest, name: str) -> HttpResponse:
    """Lead somebody to the provider, with the page that they were on their way to."""
    provider, sent = _provider(name), request.POST
    target = on_this_site(request, sent.get("next", ""))
    try:
        return leave_for(
            request,
            provider,
            Purpose.SIGN_IN,
            target=target,
            invitation=sent.get("invitation", "")[:100],
            resubmitted=sent.get("carried", "") if is_form_page(target) else "",
        )
    except Refused as refusal:
        return refused_page(request, refusal, sent.get("next", ""), sent.get("carried", ""))


@require_POST
def link(request: SignedInRequest, name: str) -> HttpResponse:
    """Lead somebody to the provider, to sign in there too from now on; asks for the password.

    Whoever sits down at an open session shall not make a way in of their own.
    """
    provider = _provider(name)
    with refusals_told(request, messages.ERROR):
        if not confirm_password(request.user, request.POST.get("password", "")):
            raise Refused("This is not your password; nothing was linked.")
        return leave_for(request, provider, Purpose.LINK)
    return SeeOther(resolve_url("annotator:account"))


@require_POST
def unlink(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Have somebody sign in at a provider no more, once confirmed; another's is not found."""
    row = get_object_or_404(request.user.identities, pk=pk)
    with refusals_told(request, messages.ERROR):
        if not is_confirmed(request):
            refuse_only_way(row)
            return ask(request, _about_unlinking(row))
        unlink_person(identity=row)
        messages.success(request, "Unlinked. What was signed in by it is signed out.")
    return SeeOther(resolve_url("annotator:account"))


def _about_unlinking(row: Identity) -> Confirmation:
    label = label_of(row.issuer)
    return Confirmation(
        question=f"Unlink {label}?",
        count=counted(row.sessions.count(), "session"),
        effect=f"that began there end at once, and you sign in at {label} no more.",
        undo="You may link it again with your password.",
        act="Unlink",
        leave="Leave it linked",
        back=resolve_url("annotator:account"),
    )


@require_safe
def back(request: HttpRequest, name: str) -> HttpResponse:
    """Take in who comes back from the provider, and do what they went there for."""
    provider, came = _provider(name), request.GET
    try:
        question = take_question(request, name, came.get("state", ""))
    except Refused as refusal:
        if request.user.is_authenticated:
            return _told(request, refusal, HOME)
        return refused_page(request, refusal)
    try:
        person = _person(request, provider, question)
        return _AFTER[question.purpose](request, question, person)
    except OutOfDate:
        return _failed(request, question, Refused(LINK_USED))
    except Refused as refusal:
        return _failed(request, question, refusal)


def _person(request: HttpRequest, provider: Provider, question: Question) -> Person:
    came = request.GET
    # RFC 9207: of two providers one might send the other's answer.
    if came.get("iss", provider.issuer) != provider.issuer:
        raise Refused(f"This answer is not from {provider.label}. Begin again.")
    if "code" not in came:
        code = "".join(sign for sign in came.get("error", "") if sign.isalpha() or sign == "_")
        raise Refused(f"{provider.label} did not sign you in ({code[:40] or 'no code'}).")
    return answered(request, provider, question, came["code"])


def _failed(request: HttpRequest, question: Question, refusal: Refused) -> HttpResponse:
    """Say what went wrong where the person came from; nothing that was typed is lost."""
    if question.purpose == Purpose.SIGN_IN:
        return refused_page(request, refusal, question.target, question.resubmitted)
    if question.purpose == Purpose.RULINGS:
        rest = " The rulings are in the list to be signed."
        return _told(request, Refused(refusal.sentence + rest), "annotator:adjudication")
    return _told(request, refusal, _CAME_FROM[question.purpose])


def _sign_in(request: HttpRequest, question: Question, person: Person) -> HttpResponse:
    row = sign_in_person(person=person, invitation=question.invitation)
    if row.user is None:
        context = {
            "provider": person.provider,
            "is_refused": row.refused_at is not None,
            "next": question.target,
        }
        return render(request, "annotator/site/waiting.html", context)
    at_provider, target = _of_session(row, person), question.target or resolve_url(HOME)
    if question.invitation and not open_invitations(question.invitation).exists():
        target = resolve_url(HOME)  # the link has just made the account, and leads nowhere now
    if person.provider.asks_factor or not has_factor(row.user):
        return let_in(
            request,
            row.user,
            target,
            resubmitted=question.resubmitted,
            with_code=person.provider.asks_factor,
            at_provider=at_provider,
        )
    await_code(request, row.user, at_provider)
    return ask_for_code(request, row.user, target, question.resubmitted)


def _of_session(row: Identity, person: Person) -> dict[str, str]:
    """Return what the session holds of the provider, which ends it when the person ends there."""
    return {
        PROVIDER: person.provider.name,
        IDENTITY: str(row.pk),
        PROVIDER_SESSION: session_digest(person.provider, person.session),
    }


def _link(request: HttpRequest, question: Question, person: Person) -> HttpResponse:
    link_person(person=person, user=_self(request))
    messages.success(request, f"From now on you may sign in at {person.provider.label}, too.")
    return SeeOther(resolve_url("annotator:account"))


def _anew(act: Callable[[Any, Mapping[str, Any], Fresh], HttpResponse]) -> After:
    """Return what lets who has just signed in anew do what they asked for."""
    return lambda request, question, person: act(request, question.sent, _fresh(request, person))


def _self(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise Refused("Your session has ended. Sign in, and begin again.")
    return request.user


def _fresh(request: HttpRequest, person: Person) -> Fresh:
    """Return what stands for the password, if whoever signed in there is who is signed in here."""
    user = _self(request)
    known = {"issuer": person.provider.issuer, "subject": person.subject}
    if not user.identities.filter(**known).exists():
        raise Refused(f"At {person.provider.label} somebody else signed in. Nothing was stored.")
    return Fresh(user)


_AFTER: Final[dict[str, After]] = {
    Purpose.SIGN_IN: _sign_in,
    Purpose.LINK: _link,
    Purpose.RULINGS: _anew(rulings_views.sign_anew),
    Purpose.TOKEN: _anew(accounts_views.token_at_provider),
    Purpose.PASSKEY: _anew(factor_views.passkey_at_provider),
}
_CAME_FROM: Final = {
    Purpose.LINK: "annotator:account",
    Purpose.TOKEN: "annotator:account_tokens",
    Purpose.PASSKEY: factor_views.PAGE,
}


@csrf_exempt
@require_POST
def ended(request: HttpRequest, name: str) -> HttpResponse:
    """End the sessions that a logout token of the provider names (OpenID back-channel logout)."""
    provider, budget = _provider(name), Budget()
    now = int(database_now().timestamp())
    try:
        claims = read_logout_token(
            provider, request.POST.get("logout_token", ""), now=now, budget=budget
        )
    except (BadToken, ProviderDown) as error:
        said = {"error": "invalid_request", "error_description": str(error)}
        return JsonResponse(said, status=400)
    log_out(
        issuer=provider.issuer,
        subject=str(claims.get("sub") or ""),
        provider_session=session_digest(provider, str(claims.get("sid") or "")),
        made_at=claims["iat"],
    )
    return HttpResponse(status=200)


def _told(request: HttpRequest, refusal: Refused, place: str) -> HttpResponse:
    messages.error(request, refusal.sentence)
    return SeeOther(resolve_url(place))
