"""The page of single sign-on for site admins: who waits, which groups give roles, the providers."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.access.gate import SignedInRequest, own_campaign
from annotator.accounts.providers import provider_named, redirect_uri
from annotator.campaigns.members.pending import PendingGrant, pending_grants
from annotator.entry.forms import ApproveForm, GroupRoleForm
from annotator.entry.groups import add_group_role, answer_pending_grant, remove_group_role
from annotator.entry.queries import (
    group_roles_for,
    label_of,
    newcomers_for,
)
from annotator.entry.services import approve, refuse
from annotator.models import GroupRole
from core.confirmation import Confirmation, ask, is_confirmed
from core.errors import Refused
from core.http import SeeOther, missing_is_404, refusals_told
from core.oidc.checks import Finding, look_at
from core.oidc.settings import Provider
from patclaimeval.plurals import counted

PAGE = "annotator:sign_on"


@require_http_methods(["GET", "HEAD", "POST"])
def sign_on(request: SignedInRequest) -> HttpResponse:
    """Show single sign-on; a POST has a group give a role."""
    form = GroupRoleForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        sent = form.cleaned_data
        provider = provider_named(sent["provider"])
        assert provider is not None
        with form.refusals():
            row = add_group_role(
                issuer=provider.issuer,
                group=sent["group"],
                campaign=sent["campaign"],
                role=sent["role"],
                by=request.user,
            )
            since = "from the next sign-in on"
            if row.agreed_at is None:
                since = "once an admin of the campaign has agreed"
            messages.success(request, f"{row.group} gives the role {row.role} {since}.")
            return SeeOther(resolve_url(PAGE))
    return _page(request, form)


@require_POST
def answer_newcomer(request: SignedInRequest, pk: UUID, name: str) -> HttpResponse:
    """Let somebody who waits in, under a user name, or refuse them."""
    row = get_object_or_404(newcomers_for(request.user), pk=pk)
    form = ApproveForm(request.POST)
    if name == "refuse":
        with refusals_told(request, messages.ERROR):
            refuse(identity=row, by=request.user)
            messages.success(request, "Refused. Let in all the same later, if it was wrong.")
        return SeeOther(resolve_url(PAGE))
    if name != "approve":
        raise Http404
    if form.is_valid():
        with form.refusals():
            user = approve(identity=row, username=form.cleaned_data["username"], by=request.user)
            messages.success(request, f"{user.username} may sign in now.")
            return SeeOther(resolve_url(PAGE))
    return _page(request, GroupRoleForm(), of=pk, approving=form)


@require_POST
def remove_group(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Have a group give a role no longer, once confirmed."""
    row = get_object_or_404(group_roles_for(request.user), pk=pk)
    if not is_confirmed(request):
        count: int = row.people  # type: ignore[attr-defined]
        return ask(request, _about_removing(row, count, resolve_url(PAGE)))
    with missing_is_404(missing=Refused):
        lost, left = remove_group_role(rule_id=row.pk, by=request.user)
    rest = f" {counted(left, 'last admin')} of the campaign stayed." if left else ""
    messages.success(request, f"{counted(lost, 'member')} lost the role.{rest}")
    return SeeOther(resolve_url(PAGE))


@require_POST
def answer_pending_role(request: SignedInRequest, slug: str, pk: UUID, name: str) -> HttpResponse:
    """Agree to a role that waits for an admin of one's campaign, or refuse it.

    A group that gave its role before groups had to be agreed to loses it once that is confirmed.
    """
    campaign = own_campaign(request, slug)
    if name not in {"agree", "refuse"}:
        raise Http404
    back = resolve_url("annotator:members", campaign.slug)
    pending = next((one for one in pending_grants(campaign) if one.id == pk), None)
    if pending and pending.people and name == "refuse" and not is_confirmed(request):
        return ask(request, _about_removing(pending, pending.people, back))
    with refusals_told(request, messages.ERROR):
        sentence = answer_pending_grant(
            campaign=campaign, pending_id=pk, is_agreed=name == "agree", by=request.user
        )
        messages.success(request, sentence)
    return SeeOther(back)


def _about_removing(row: GroupRole | PendingGrant, count: int, back: str) -> Confirmation:
    return Confirmation(
        question=f"Shall {row.group} give the role {row.role} no longer?",
        count=counted(count, "member"),
        effect=f"{'loses' if count == 1 else 'lose'} it now; what annotators had open goes back. "
        "What was given by hand stays.",
        undo="Added again, the group gives it again at the next sign-in; what went back stays so.",
        act="Take the role",
        leave="Leave it",
        back=back,
    )


@require_POST
def test_provider(request: SignedInRequest, name: str) -> HttpResponse:
    """Ask a provider all that a sign-in needs, and show what is wrong."""
    provider = provider_named(name)
    if provider is None:
        raise Http404
    found = look_at(provider, redirect_uri(request, provider))
    return _page(request, GroupRoleForm(), of=name, findings=found)


def _page(
    request: SignedInRequest,
    form: GroupRoleForm,
    *,
    of: UUID | str | None = None,
    approving: ApproveForm | None = None,
    findings: tuple[Finding, ...] = (),
) -> HttpResponse:
    form.focus_error()
    status = approving.status if approving else form.status
    newcomers = newcomers_for(request.user)
    context = {
        "form": form,
        "newcomers": [
            {
                "row": row,
                "provider": label_of(row.issuer),
                "form": approving if approving and row.pk == of else None,
            }
            for row in newcomers
        ],
        "groups": [(row, label_of(row.issuer)) for row in group_roles_for(request.user)],
        "providers": [
            _to_register(request, one) | {"findings": findings if one.name == of else ()}
            for one in settings.OIDC_PROVIDERS
        ],
        "emergency_account": settings.EMERGENCY_ACCOUNT,
    }
    return render(request, "annotator/entry/sign_on.html", context, status=status)


def _to_register(request: SignedInRequest, one: Provider) -> dict[str, object]:
    ended = resolve_url("annotator:provider_ended", one.name)
    return {
        "provider": one,
        "redirect_uri": redirect_uri(request, one),
        "logout_uri": request.build_absolute_uri(ended),
    }
