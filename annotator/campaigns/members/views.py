"""Members of a campaign, invitations, and all accounts for site admins."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.access.gate import SignedInRequest, own_campaign
from annotator.access.scopes import members_of
from annotator.accounts.queries import accounts
from annotator.accounts.second_factor import reset_factor
from annotator.accounts.services import deactivate, reactivate
from annotator.accounts.sessions import end_access
from annotator.campaigns.forms import MemberForm
from annotator.campaigns.members.forms import AcceptForm, InviteForm, SiteInviteForm
from annotator.campaigns.members.services import (
    accept_invitation,
    grant_role,
    invite,
    join_campaign,
    open_invitations,
    reason_not_to_join,
    revoke_role,
)
from annotator.models import Campaign, Invitation, User
from core.errors import OutOfDate, Refused
from core.http import SeeOther

UNPROCESSABLE = 422
JOIN_BY_LINK = "Whoever is not in it yet joins by a link: make one below and give it to them."


@require_http_methods(["GET", "HEAD", "POST"])
def members(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the members; a POST gives one of them another role."""
    row = own_campaign(request, slug)
    if request.method != "POST":
        return _page(request, row, MemberForm(), 200)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, row, form, UNPROCESSABLE)
    user = _member(row, form.cleaned_data["username"])
    if user is None:
        # The same for a name that nobody has: a campaign's admin does not learn who has an account.
        form.add_error("username", "No member of this campaign has that name. " + JOIN_BY_LINK)
        return _page(request, row, form, UNPROCESSABLE)
    role = form.cleaned_data["role"]
    grant_role(user=user, campaign=row, role=role, granted_by=request.user)
    messages.success(request, f"{user.username} is {role} of {row.name}.")
    return SeeOther(resolve_url("annotator:members", row.slug))


@require_POST
def revoke(request: SignedInRequest, slug: str) -> HttpResponse:
    """Take a role from a member; the form of each row holds whose and which."""
    row = own_campaign(request, slug)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, row, form, UNPROCESSABLE)
    username, role = form.cleaned_data["username"], form.cleaned_data["role"]
    user = _member(row, username)
    try:
        if user is None:
            raise OutOfDate(f"{username} is no {role} of this campaign.")
        revoke_role(user=user, campaign=row, role=role, revoked_by=request.user)
    except Refused as refusal:
        form.take_refusal(refusal)
        return _page(request, row, form, refusal.status)
    messages.success(request, f"{user.username} is no longer {role} of {row.name}.")
    if user == request.user and role == "admin":
        return SeeOther("/")
    return SeeOther(resolve_url("annotator:members", row.slug))


def _member(campaign: Campaign, username: str) -> User | None:
    return User.objects.filter(memberships__campaign=campaign, username=username).first()


def _page(request: SignedInRequest, row: Campaign, form: MemberForm, status: int) -> HttpResponse:
    form.focus_error()
    context = {"campaign": row, "members": members_of(row), "form": form}
    return render(request, "annotator/campaigns/members.html", context, status=status)


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
    return render(request, "annotator/campaigns/invited.html", {"link": link})


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
    return render(request, "annotator/campaigns/join.html", context, status=status)


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
        request,
        "annotator/campaigns/invitation.html",
        {"form": form, "invitation": row},
        status=status,
    )


@require_http_methods(["GET", "HEAD", "POST"])
def users(request: SignedInRequest) -> HttpResponse:
    """List the accounts; a POST invites somebody."""
    if request.method != "POST":
        return _users_page(request, SiteInviteForm())
    form = SiteInviteForm(request.POST)
    if not form.is_valid():
        return _users_page(request, form, UNPROCESSABLE)
    try:
        sent = form.cleaned_data
        token = invite(by=request.user, campaign=sent["campaign"], role=sent["role"])
    except Refused as refusal:
        form.take_refusal(refusal)
        return _users_page(request, form, refusal.status)
    return link_page(request, token)


@require_POST
def change_user(request: SignedInRequest, pk: UUID, name: str) -> HttpResponse:
    """Do one of the acts of the list to an account."""
    user = get_object_or_404(accounts(), pk=pk)
    try:
        message = _act(request.user, user, name)
    except Refused as refusal:
        messages.error(request, refusal.sentence)
        return _users_page(request, SiteInviteForm(), refusal.status)
    messages.success(request, message)
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


def _users_page(request: SignedInRequest, form: SiteInviteForm, status: int = 200) -> HttpResponse:
    form.focus_error()
    context = {"form": form, "accounts": accounts()}
    return render(request, "annotator/campaigns/users.html", context, status=status)
