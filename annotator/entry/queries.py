"""Who waits to be let in, and the groups that give roles, as site admins see them."""

from django.db.models import Count, Q, QuerySet
from django.shortcuts import resolve_url

from annotator.accounts.providers import provider_of
from annotator.campaigns.members.pending import count_pending_grants
from annotator.entry.services import waiting
from annotator.inbox.rows import Asked, Line, Lines
from annotator.models import GroupRole, Identity, Role, User
from patclaimeval.plurals import counted


def newcomers_for(user: User) -> QuerySet[Identity]:
    """Return those without an account, the waiting ones first; for site admins."""
    if not (user.is_superuser and user.is_active):
        return Identity.objects.none()
    rows = Identity.objects.filter(user=None)
    return rows.alias(is_refused=Count("refused_at")).order_by("is_refused", "made_at")


def group_roles_for(user: User) -> QuerySet[GroupRole]:
    """Return the groups that give roles, and how many have one by them; for site admins."""
    if not (user.is_superuser and user.is_active):
        return GroupRole.objects.none()
    by_it = Count("grants", filter=Q(grants__membership__isnull=False))
    rows = GroupRole.objects.annotate(people=by_it).select_related("campaign")
    return rows.order_by("issuer", "group", "campaign__slug", "role")


def label_of(issuer: str) -> str:
    """Return what a provider is called; its issuer where the settings name it no more."""
    provider = provider_of(issuer)
    return provider.label if provider else issuer


def inbox_lines(asked: Asked) -> Lines:
    """Return who waits to be let in, for site admins, and which roles wait, for campaign admins."""
    return Lines((*_newcomer_lines(asked), *_pending_lines(asked)))


def _newcomer_lines(asked: Asked) -> tuple[Line, ...]:
    if not asked.user.is_superuser:
        return ()
    count = newcomers_for(asked.user).filter(waiting()).count()
    if not count:
        return ()
    waits = "waits" if count == 1 else "wait"
    text = f"{counted(count, 'sign-in')} {waits} to be let in"
    return (Line(text, resolve_url("annotator:sign_on")),)


def _pending_lines(asked: Asked) -> tuple[Line, ...]:
    if Role.ADMIN not in asked.roles:
        return ()
    found = sorted(count_pending_grants(asked.user).items())
    return tuple(
        Line(
            f"{name}: {counted(count, 'role')} given by a site admin "
            f"{'waits' if count == 1 else 'wait'} for your agreement",
            resolve_url("annotator:members", slug),
        )
        for (slug, name), count in found
    )
