"""Members of a campaign, invitations, and all accounts for site admins."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.access.gate import SignedInRequest, own_campaign
from annotator.access.scopes import members_of
from annotator.access.second_step import has_factor
from annotator.accounts.endings import about_ending_sessions, about_resetting_factor
from annotator.accounts.queries import accounts
from annotator.accounts.second_factor import reset_factor
from annotator.accounts.sessions import end_access
from annotator.campaigns.forms import MemberForm
from annotator.campaigns.members.deactivations import (
    about_deactivation,
    deactivate,
    reactivate,
)
from annotator.campaigns.members.forms import AcceptForm, InviteForm, SiteInviteForm
from annotator.campaigns.members.pending import pending_grants, waits_for_agreement
from annotator.campaigns.members.removals import (
    Removal,
    about_removal,
    removal_of,
    removals_of,
    restore_role,
)
from annotator.campaigns.members.services import (
    accept_invitation,
    grant_role,
    invite,
    join_campaign,
    member_named,
    open_invitations,
    reason_not_to_join,
    refuse_hasty_mail,
    revoke_role,
)
from annotator.models import Campaign, Invitation, User
from annotator.outgoing.queries import refused_mails
from core.confirmation import Confirmation, ask, is_confirmed
from core.errors import Forbidden, OutOfDate, Refused
from core.http import SeeOther
from patclaimeval.plurals import counted

NO_PASSWORDS = "Nobody new has a password here. Join with the button of your provider."
JOIN_BY_LINK = (
    "Somebody who is not a member yet joins by a link: create one below and give it to them."
)


@require_http_methods(["GET", "HEAD", "POST"])
def members(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the members; a POST gives one of them another role, or back what was just taken."""
    row = own_campaign(request, slug)
    form = MemberForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        name, role = form.cleaned_data["username"], form.cleaned_data["role"]
        user, removal = member_named(row, name), removal_of(row, name, role)
        with form.refusals():
            if removal is not None:
                back, gone = restore_role(campaign=row, removal=removal, restored_by=request.user)
                messages.success(request, _restored(removal, back, gone))
                return SeeOther(resolve_url("annotator:members", row.slug))
            if user is None:
                # The same for a name that nobody has: an admin is not told who has an account.
                why = "No member of this campaign has that name. " + JOIN_BY_LINK
                raise Refused.at("username", why)
            grant_role(user=user, campaign=row, role=role, granted_by=request.user)
            messages.success(request, f"{user.username} is {role} of {row.name}.")
            return SeeOther(resolve_url("annotator:members", row.slug))
    return _page(request, row, form)


@require_POST
def revoke(request: SignedInRequest, slug: str) -> HttpResponse:
    """Take a role from a member, once confirmed; the form of each row holds whose and which."""
    row = own_campaign(request, slug)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, row, form)
    username, role = form.cleaned_data["username"], form.cleaned_data["role"]
    user = member_named(row, username)
    with form.refusals():
        if user is None:
            raise OutOfDate(f"{username} is no {role} of this campaign.")
        has_role = row.memberships.filter(user=user, role=role).exists()
        if has_role and not is_confirmed(request):
            return ask(request, about_removal(row, user, role, request.user))
        count = revoke_role(user=user, campaign=row, role=role, revoked_by=request.user)
        went = f" {counted(count, 'candidate')} went back." if count else ""
        messages.success(request, f"{user.username} is no longer {role} of {row.name}.{went}")
        is_out = user == request.user and role == "admin"
        return SeeOther("/" if is_out else resolve_url("annotator:members", row.slug))
    return _page(request, row, form)


def _restored(removal: Removal, back: int, gone: int) -> str:
    return f"{removal.user.username} is {removal.role} again{_came_back(back, gone)}."


def _came_back(back: int, gone: int) -> str:
    came = f" with {counted(back, 'candidate')}" if back else ""
    rest = f"; {gone} {'is' if gone == 1 else 'are'} with somebody else by now" if gone else ""
    return came + rest


def _page(
    request: SignedInRequest, row: Campaign, form: MemberForm, invited: InviteForm | None = None
) -> HttpResponse:
    form.focus_error()
    inviting = invited or InviteForm(auto_id="invite_%s")
    inviting.focus_error()
    context = {
        "campaign": row,
        "members": members_of(row),
        "removals": removals_of(row),
        "pending": pending_grants(row),
        "form": form,
        "invite_form": inviting,
    }
    status = max(form.status, inviting.status)
    return render(request, "annotator/campaigns/members.html", context, status=status)


@require_POST
def invite_member(request: SignedInRequest, slug: str) -> HttpResponse:
    """Invite somebody into a campaign of one's own; the link is shown, this once."""
    row = own_campaign(request, slug)
    form = InviteForm(request.POST, auto_id="invite_%s")
    if not form.is_valid():
        return _page(request, row, MemberForm(), form)
    with form.refusals():
        return _invited(request, campaign=row, **form.cleaned_data)
    return _page(request, row, MemberForm(), form)


def _invited(request: SignedInRequest, **sent: Any) -> HttpResponse:
    """Make an invitation, and show its link."""
    address = sent.get("address", "")
    refuse_hasty_mail(request.user, address)
    token = invite(by=request.user, **sent)
    link = request.build_absolute_uri(resolve_url("annotator:invitation", token))
    context = {"link": link, "address": address}
    return render(request, "annotator/campaigns/invited.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Let a person join with a new account, or with their own when they are signed in.

    A link that is used up is not found.
    """
    row = open_invitations(token).select_related("campaign").first()
    if row is None:
        raise Http404
    if request.user.is_authenticated:
        return _join(request, request.user, row, token)
    return _make_account(request, row, token)


def _join(request: HttpRequest, user: User, row: Invitation, token: str) -> HttpResponse:
    reason, status = reason_not_to_join(row, user), 200
    if request.method == "POST":
        try:
            join_campaign(token=token, user=user)
        except OutOfDate as refusal:  # somebody else was quicker
            raise Http404 from refusal
        except Refused as refusal:
            reason, status = refusal.sentence, refusal.status
        else:
            assert row.campaign is not None
            if waits := _waits(row, user):
                messages.success(request, waits)
                # Home is closed to a person without any role.
                return SeeOther(resolve_url("annotator:account"))
            messages.success(request, f"You are {row.role} of {row.campaign.name}.")
            return SeeOther("/")
    context = {"invitation": row, "reason": reason}
    return render(request, "annotator/campaigns/join.html", context, status=status)


def _waits(row: Invitation, user: User) -> str:
    """Return what a person is told whose role waits for an admin of the campaign; else ""."""
    if row.campaign is None or not waits_for_agreement(user, row.campaign, row.role):
        return ""
    return (
        f"You will be {row.role} of {row.campaign.name} once an admin of the campaign has agreed."
    )


def _make_account(request: HttpRequest, row: Invitation, token: str) -> HttpResponse:
    has_passwords = settings.EMERGENCY_ACCOUNT is None
    form = AcceptForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        name, password = form.cleaned_data["username"], form.cleaned_data["password"]
        with form.refusals():
            if not has_passwords:
                raise Forbidden(NO_PASSWORDS)
            user = accept_invitation(token=token, username=name, password=password)
            waits = f" {told}" if (told := _waits(row, user)) else ""
            messages.success(request, f"Your account {user.username} is made.{waits} Sign in.")
            return SeeOther(resolve_url("annotator:login"))
    if form.status == OutOfDate.status:
        raise Http404  # somebody else was quicker
    form.focus_error()
    context = {
        "form": form,
        "invitation": row,
        "token": token,
        "providers": settings.OIDC_PROVIDERS,
        "has_passwords": has_passwords,
    }
    return render(request, "annotator/campaigns/invitation.html", context, status=form.status)


@require_http_methods(["GET", "HEAD", "POST"])
def users(request: SignedInRequest) -> HttpResponse:
    """List the accounts; a POST invites somebody."""
    form = SiteInviteForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with form.refusals():
            return _invited(request, **form.cleaned_data)
    return _users_page(request, form, form.status)


@require_POST
def change_user(request: SignedInRequest, pk: UUID, name: str) -> HttpResponse:
    """Do one of the acts of the list to an account; what ends something, once confirmed."""
    user = get_object_or_404(accounts(), pk=pk)
    try:
        if not is_confirmed(request) and (about := _about(request.user, user, name)):
            return ask(request, about)
        message = _act(request.user, user, name)
    except Refused as refusal:
        messages.error(request, refusal.sentence)
        return _users_page(request, SiteInviteForm(), refusal.status)
    messages.success(request, message)
    return SeeOther(resolve_url("annotator:users"))


def _about(by: User, user: User, name: str) -> Confirmation | None:
    if name == "deactivate":
        return about_deactivation(user, by)
    if name == "end-sessions":
        return about_ending_sessions(user)
    is_reset = name == "reset-second-factor" and has_factor(user)
    return about_resetting_factor(user) if is_reset else None


def _act(by: User, user: User, name: str) -> str:
    if name == "deactivate":
        shut = deactivate(user=user, by=by)
        return f"{user.username} is deactivated and signed out everywhere. {shut.sentence}"
    if name == "reactivate":
        back, gone = reactivate(user=user, by=by)
        return f"{user.username} may sign in again{_came_back(back, gone)}."
    if name == "end-sessions":
        return f"{user.username} is signed out. {end_access(user=user, by=by).sentence}"
    if name == "reset-second-factor":
        ended = reset_factor(user=user, by=by)
        return f"{user.username} sets up a new second factor at the next sign-in. {ended.sentence}"
    raise Http404


def _users_page(request: SignedInRequest, form: SiteInviteForm, status: int = 200) -> HttpResponse:
    form.focus_error()
    context = {"form": form, "accounts": accounts(), "refused_mails": refused_mails()}
    return render(request, "annotator/campaigns/users.html", context, status=status)
