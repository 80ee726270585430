"""One's own mail, and the two pages of a lost password."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.access.gate import SignedInRequest
from annotator.accounts.sessions import token_digest
from annotator.accounts.sign_in import client_address
from annotator.mail.forms import AddressForm, ForgottenForm, KindsForm, ResetForm
from annotator.mail.services import (
    ask_reset,
    choose_kinds,
    confirm_address,
    remove_address,
    reset_of,
    reset_password,
    set_address,
)
from annotator.outgoing.queries import mail_of
from core.confirmation import Confirmation, ask, is_confirmed
from core.errors import OutOfDate
from core.http import SeeOther, missing_is_404, refusals_told

ASKED = (
    "If there is an account of that name with a confirmed address, a mail is on its way there. "
    "Its link works for an hour."
)


@require_http_methods(["GET", "HEAD", "POST"])
def account_mail(request: SignedInRequest) -> HttpResponse:
    """Show where the person is mailed, and about what; a POST sets the address."""
    form = AddressForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with form.refusals():
            set_address(user=request.user, **form.cleaned_data)
            messages.success(request, "A link is on its way to this address. Open it to confirm.")
            return SeeOther(resolve_url("annotator:account_mail"))
    return _page(request, form, KindsForm(initial=_chosen(request)))


@require_POST
def kinds(request: SignedInRequest) -> HttpResponse:
    """Store what the person is mailed about."""
    form = KindsForm(request.POST)
    if form.is_valid():
        with form.refusals():
            choose_kinds(user=request.user, kinds=form.cleaned_data["kinds"])
            messages.success(request, "Your choice is stored.")
            return SeeOther(resolve_url("annotator:account_mail"))
    return _page(request, AddressForm(), form)


def _chosen(request: SignedInRequest) -> dict[str, list[str]]:
    row = mail_of(request.user.pk)
    return {"kinds": row.kinds if row else []}


def _page(request: SignedInRequest, form: AddressForm, kinds_form: KindsForm) -> HttpResponse:
    form.focus_error()
    context = {
        "form": form,
        "kinds_form": kinds_form,
        "row": mail_of(request.user.pk),
        "is_on": bool(settings.EMAIL_HOST),
    }
    status = max(form.status, kinds_form.status)
    return render(request, "annotator/mail/account_mail.html", context, status=status)


@require_POST
def remove(request: SignedInRequest) -> HttpResponse:
    """Forget the person's address, once confirmed."""
    if not is_confirmed(request):
        about = Confirmation(
            question="Remove your address?",
            count="1 address",
            effect="goes: nothing is mailed to you any more, and a lost password cannot be "
            "replaced by mail.",
            undo="You can set it again, and confirm it anew.",
            act="Remove the address",
            leave="Leave it",
            back=resolve_url("annotator:account_mail"),
        )
        return ask(request, about)
    with refusals_told(request):
        remove_address(user=request.user)
        messages.success(request, "Your address is removed.")
    return SeeOther(resolve_url("annotator:account_mail"))


@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: SignedInRequest, token: str) -> HttpResponse:
    """Ask to confirm an address, as programs open links too; a POST does."""
    row = mail_of(request.user.pk)
    if row is None or row.token_sha256 != token_digest(token):
        raise Http404
    if request.method == "POST":
        with missing_is_404(missing=OutOfDate):
            confirm_address(user=request.user, token=token)
        messages.success(request, "This address is confirmed. Choose what you are mailed about.")
        return SeeOther(resolve_url("annotator:account_mail"))
    return render(request, "annotator/mail/confirm.html", {"row": row, "token": token})


@require_http_methods(["GET", "HEAD", "POST"])
def forgotten(request: HttpRequest) -> HttpResponse:
    """Ask whose password is lost; the answer is the same for every name."""
    form = ForgottenForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with form.refusals():
            name = form.cleaned_data["username"]
            ask_reset(username=name, asked_from=client_address(request))
            return render(request, "annotator/mail/forgotten.html", {"asked": ASKED})
    form.focus_error()
    context = {"form": form, "is_on": bool(settings.EMAIL_HOST)}
    return render(request, "annotator/mail/forgotten.html", context, status=form.status)


@require_http_methods(["GET", "HEAD", "POST"])
def reset(request: HttpRequest, token: str) -> HttpResponse:
    """Let who has the link choose a new password; one that is used up is not found."""
    if reset_of(token) is None:
        raise Http404
    form = ResetForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with form.refusals():
            reset_password(token=token, new=form.cleaned_data["new"])
            messages.success(request, "Your password is changed. Sign in with it.")
            return SeeOther(resolve_url("annotator:login"))
    if form.status == OutOfDate.status:
        raise Http404  # somebody else was quicker
    form.focus_error()
    context = {"form": form}
    return render(request, "annotator/mail/reset.html", context, status=form.status)
