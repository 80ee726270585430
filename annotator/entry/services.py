"""People of a provider: signed in, linked, approved, refused, shut out."""

from datetime import UTC, datetime, timedelta
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Q

from annotator import audit_log
from annotator.accounts.providers import Person, may_use_password, provider_of
from annotator.accounts.services import create_user, refuse_name
from annotator.campaigns.members.services import accept_invitation
from annotator.entry.groups import give_group_roles
from annotator.models import BrowserSession, Identity, User
from core.clock import database_now
from core.errors import OutOfDate, Refused

# Names and addresses of people without an account are deleted after so long.
REFUSED_IS_STORED: Final = timedelta(days=30)
WAITING_IS_STORED: Final = timedelta(days=90)
# Anybody may have an account at some providers.
MOST_WAITING: Final = 200
FULL: Final = "Too many sign-ins wait for approval. Ask a site admin."
DEACTIVATED: Final = "Your account here is deactivated. Ask a site admin."


@transaction.atomic
def sign_in_person(*, person: Person, invitation: str = "") -> Identity:
    """Note who has signed in at a provider; the identity has a user where that opens an account.

    Of somebody new an open invitation makes an account; without one they wait. Refused for a
    deactivated account, OutOfDate for a link that may not be used any more.
    """
    row = _identity_of(person)
    if row.user is None and invitation:
        user = accept_invitation(token=invitation, username=free_name(row.name), password=None)
        _link(row, user, user)
    if row.user is not None:
        _signed_in(row, row.user, person)
    return row


def _signed_in(row: Identity, user: User, person: Person) -> None:
    if not user.is_active:
        raise Refused(DEACTIVATED)
    row.signed_in_at = database_now()
    row.save()
    if person.groups is not None:
        give_group_roles(identity=row, groups=person.groups)


def _identity_of(person: Person) -> Identity:
    key = {"issuer": person.provider.issuer, "subject": person.subject}
    row = Identity.objects.select_for_update(no_key=True, of=("self",)).filter(**key).first()
    if row is None:
        if Identity.objects.filter(waiting()).count() >= MOST_WAITING:
            raise Refused(FULL)
        try:
            with transaction.atomic():
                row = Identity.objects.create(**key)
        except IntegrityError:  # the same person at the same moment
            row = Identity.objects.select_for_update(no_key=True, of=("self",)).get(**key)
        else:
            audit_log.record_on(row, "identity.arrived", None, provider=person.provider.name)
    row.name, row.address = person.name, person.address
    row.groups = row.groups if person.groups is None else list(person.groups)
    row.save(update_fields=["name", "address", "groups"])
    return row


def waiting() -> Q:
    """Return which identities wait for a site admin."""
    return Q(user=None, refused_at=None)


def free_name(wanted: str) -> str:
    """Return the name, or the next one that nobody has and nobody takes for another's."""
    wanted = wanted or "person"
    for number in range(1, 1000):
        name = wanted if number == 1 else f"{wanted[:140]}.{number}"
        try:
            refuse_name(name)
        except Refused:
            continue
        return name
    raise Refused("No user name is free for you; ask a site admin.")


def _link(row: Identity, user: User, by: User) -> None:
    row.user, row.refused_at = user, None
    row.save(update_fields=["user", "refused_at"])
    audit_log.record_on(row, "identity.linked", by, user=str(user.pk))


@transaction.atomic
def link_person(*, person: Person, user: User) -> Identity:
    """Let somebody sign in to their own account by a provider from now on, too.

    Refused where the person there has another account here.
    """
    row = _identity_of(person)
    if row.user is not None and row.user != user:
        raise Refused(f"Whoever you are at {person.provider.label} has another account here.")
    if row.user is None:
        _link(row, user, user)
    _signed_in(row, user, person)
    return row


def has_way_beside(identity: Identity) -> bool:
    """Return whether its person can still sign in without it: by a password or another provider."""
    user = identity.user
    assert user is not None
    if user.has_usable_password() and may_use_password(user):
        return True
    others = user.identities.exclude(pk=identity.pk)
    return any(provider_of(issuer) for issuer in others.values_list("issuer", flat=True))


def refuse_only_way(identity: Identity) -> None:
    """Raise OutOfDate where a person would have no way in without this sign-in of theirs."""
    if not has_way_beside(identity):
        raise OutOfDate(
            "This is your only way in: you have no password here that counts, and no other "
            "provider. Link another one first, or ask a site admin."
        )


@transaction.atomic
def unlink_person(*, identity: Identity) -> None:
    """Stop a person's sign-in by this provider and end the sessions that began there.

    Raise OutOfDate where it is their only way in.
    """
    user = identity.user
    assert user is not None
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    refuse_only_way(identity)
    audit_log.record_on(identity, "identity.unlinked", user, user=str(user.pk))
    identity.delete()


@transaction.atomic
def approve(*, identity: Identity, username: str, by: User) -> User:
    """Make an account, without a password, for somebody who waits.

    Never an account that is there already: whoever may link could read what it opens.
    """
    row = _locked(identity)
    user = create_user(username=username, password=None)
    _link(row, user, by)
    return user


@transaction.atomic
def refuse(*, identity: Identity, by: User) -> None:
    """Let somebody who waits wait no longer; they may be approved all the same later."""
    row = _locked(identity)
    if row.refused_at is not None:
        raise OutOfDate("This sign-in is refused already.")
    row.refused_at = database_now()
    row.save(update_fields=["refused_at"])
    audit_log.record_on(row, "identity.refused", by)


def _locked(identity: Identity) -> Identity:
    rows = Identity.objects.select_for_update(no_key=True, of=("self",))
    row = rows.filter(pk=identity.pk, user=None).first()
    if row is None:
        raise OutOfDate("Somebody has answered this sign-in already.")
    return row


@transaction.atomic
def delete_old_strangers() -> int:
    """Delete who was refused, or waits, and for how long nobody let them in; return how many.

    Whoever signs in at the provider after that waits anew.
    """
    now = database_now()
    old = Q(refused_at__lte=now - REFUSED_IS_STORED)
    old |= Q(refused_at=None, made_at__lte=now - WAITING_IS_STORED)
    # Locked before they are deleted: who is let in at this moment stays.
    rows = Identity.objects.select_for_update(no_key=True, of=("self",)).filter(old, user=None)
    keys = list(rows.values_list("pk", flat=True))
    audit_log.record_each(
        action="identity.forgotten",
        object_type="identity",
        details_by_id=[(pk, {}) for pk in keys],
    )
    Identity.objects.filter(pk__in=keys).delete()
    return len(keys)


@transaction.atomic
def log_out(*, issuer: str, subject: str, provider_session: str, made_at: int) -> int:
    """End the sessions that a logout token names and that began before it; return how many.

    The token names a person, a session at the provider, or both; without either nothing ends.
    """
    if not (subject or provider_session):
        return 0
    rows = BrowserSession.objects.filter(identity__issuer=issuer)
    if subject:
        rows = rows.filter(identity__subject=subject)
    if provider_session:
        rows = rows.filter(provider_session_sha256=provider_session)
    before = datetime.fromtimestamp(made_at + 1, tz=UTC)
    found = list(rows.filter(started_at__lte=before).values_list("pk", "user_id"))
    BrowserSession.objects.filter(pk__in=[pk for pk, _ in found]).delete()
    audit_log.record_each(
        action="session.ended",
        object_type="user",
        details_by_id=[(user, {"sessions": 1}) for _, user in found],
    )
    return len(found)
