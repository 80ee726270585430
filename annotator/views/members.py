"""The members of a campaign, for its admins: who they are, one more role, one less."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.forms.campaigns import MemberForm
from annotator.gate import SignedInRequest, own_campaign
from annotator.models import Campaign, User
from annotator.queries.members import members_of
from annotator.refusals import OutOfDate, Refused
from annotator.services.people import grant_role, revoke_role
from annotator.views.see_other import SeeOther

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
        # The same for a name that nobody has: a campaign's admin is not told who has an account.
        form.add_error("username", "No member of this campaign has that name. " + JOIN_BY_LINK)
        return _page(request, row, form, UNPROCESSABLE)
    role = form.cleaned_data["role"]
    grant_role(user=user, campaign=row, role=role, granted_by=request.user)
    messages.success(request, f"{user.username} is {role} of {row.name}.")
    return SeeOther(resolve_url("annotator:members", row.slug))


@require_POST
def revoke(request: SignedInRequest, slug: str) -> HttpResponse:
    """Take a role from a member; the form of each row says whose and which."""
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
    return render(request, "annotator/members.html", context, status=status)
