"""The members of a campaign, for its admins: who they are, one more, one less."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.forms.campaigns import MemberForm
from annotator.gate import SignedInRequest
from annotator.models import Campaign, User
from annotator.queries.members import members_of
from annotator.refusals import Refused
from annotator.services.people import grant_role, revoke_role
from annotator.views.campaigns import own_campaign
from annotator.views.see_other import SeeOther

UNPROCESSABLE = 422


@require_http_methods(["GET", "HEAD", "POST"])
def members(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the members; a POST gives somebody a role."""
    row = own_campaign(request, slug)
    if request.method != "POST":
        return _page(request, row, MemberForm(), 200)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, row, form, UNPROCESSABLE)
    user = User.objects.filter(username=form.cleaned_data["username"]).first()
    if user is None:
        form.add_error("username", "There is no account of that name; the operator makes one.")
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
    form.is_valid()
    user = User.objects.filter(username=str(form.cleaned_data.get("username", ""))).first()
    role = str(form.cleaned_data.get("role", ""))
    try:
        if user is None or not role:
            raise Refused("That is no member of this campaign.")
        revoke_role(user=user, campaign=row, role=role, revoked_by=request.user)
    except Refused as refusal:
        form.take_refusal(refusal)
        return _page(request, row, form, refusal.status)
    messages.success(request, f"{user.username} is no longer {role} of {row.name}.")
    if user == request.user and role == "admin":
        return SeeOther("/")
    return SeeOther(resolve_url("annotator:members", row.slug))


def _page(request: SignedInRequest, row: Campaign, form: MemberForm, status: int) -> HttpResponse:
    form.focus_error()
    context = {"campaign": row, "members": members_of(row), "form": form}
    return render(request, "annotator/members.html", context, status=status)
