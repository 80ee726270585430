"""Inviting somebody by a link, and the page that the link opens."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.forms.invitations import AcceptForm, InviteForm
from annotator.gate import SignedInRequest, own_campaign
from annotator.models import Invitation, User
from annotator.refusals import OutOfDate, Refused
from annotator.services.invitations import (
    accept_invitation,
    invite,
    join_campaign,
    open_invitations,
    reason_not_to_join,
)
from annotator.views.see_other import SeeOther


@require_POST
def invite_member(request: SignedInRequest, slug: str) -> HttpResponse:
    """Invite somebody into a campaign of one's own; the link is shown, this once."""
    row = own_campaign(request, slug)
    form = InviteForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose the role that the new person will have.")
        return SeeOther(resolve_url("annotator:members", row.slug))
    token = invite(by=request.user, campaign=row, role=form.cleaned_data["role"])
    return link_page(request, token)


def link_page(request: SignedInRequest, token: str) -> HttpResponse:
    """Show the link of a new invitation."""
    link = request.build_absolute_uri(resolve_url("annotator:invitation", token))
    return render(request, "annotator/invited.html", {"link": link})


@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Let a person join with a new account, or with their own when they are signed in.

    A link that is used up is not found.
    """
    row = open_invitations(token).select_related("campaign").first()
    if row is None:
        raise Http404
    try:
        if request.user.is_authenticated:
            return _join(request, request.user, row, token)
        return _make_account(request, row, token)
    except OutOfDate as refusal:  # somebody else was quicker
        raise Http404 from refusal


def _join(request: HttpRequest, user: User, row: Invitation, token: str) -> HttpResponse:
    reason, status = reason_not_to_join(row, user), 200
    if request.method == "POST":
        try:
            join_campaign(token=token, user=user)
        except OutOfDate:
            raise
        except Refused as refusal:
            reason, status = refusal.sentence, refusal.status
        else:
            assert row.campaign is not None
            messages.success(request, f"You are {row.role} of {row.campaign.name}.")
            return SeeOther("/")
    context = {"invitation": row, "reason": reason}
    return render(request, "annotator/join.html", context, status=status)


def _make_account(request: HttpRequest, row: Invitation, token: str) -> HttpResponse:
    form = AcceptForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            sent = form.cleaned_data
            try:
                user = accept_invitation(
                    token=token, username=sent["username"], password=sent["password"]
                )
            except OutOfDate:
                raise
            except Refused as refusal:
                form.take_refusal(refusal)
            else:
                messages.success(request, f"Your account {user.username} is made. Sign in.")
                return SeeOther(resolve_url("annotator:login"))
    form.focus_error()
    return render(
        request, "annotator/invitation.html", {"form": form, "invitation": row}, status=status
    )
