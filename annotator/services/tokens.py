"""Writes of API tokens that there are: used, revoked."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from annotator.clock import database_now
from annotator.models import ApiToken, Campaign, TokenScope, User
from annotator.refusals import OutOfDate, Refused
from annotator.services import audit


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token as it is shown once."""

    token: str
    row: ApiToken


@transaction.atomic
def revoke_token(*, user: User, token_id: UUID) -> None:
    """End a token of one's own; OutOfDate when there is none of that id."""
    count, _ = ApiToken.objects.filter(pk=token_id, user=user).delete()
    if not count:
        raise OutOfDate("This token is revoked already.")
    audit.record(actor=user, action="token.revoked", object_type="token", object_id=token_id)


@transaction.atomic
def revoke_tokens(*, user: User, by: User | None) -> int:
    """End every token of a person, each on record; return how many were alive."""
    rows = ApiToken.objects.select_for_update(no_key=True, of=("self",)).filter(user=user)
    found = list(rows.order_by("pk").values_list("pk", "expires_at"))
    now = database_now()
    alive = [pk for pk, expires_at in found if expires_at > now]
    ApiToken.objects.filter(pk__in=[pk for pk, _ in found]).delete()
    audit.record_each(
        actor=by,
        action="token.revoked",
        object_type="token",
        details_by_id=[(pk, {}) for pk in alive],
    )
    return len(alive)


def note_use(*, token_id: UUID) -> None:
    """Note the day on which a token is used: one write a day, not one a call."""
    ApiToken.objects.filter(pk=token_id).update(last_used_on=database_now().date())


LONGEST_TOKEN_DAYS: Final = 90


MOST_TOKENS: Final = 50


def token_digest(token: str) -> str:
    """Return what is stored of a token. It is random, so a plain digest cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def create_token(
    *,
    user: User,
    scope: str = TokenScope.WRITE,
    days: int = LONGEST_TOKEN_DAYS,
    campaign: Campaign | None = None,
) -> NewToken:
    """Make an API token that expires after 1 to 90 days, for one campaign or all of the user's."""
    if not 1 <= days <= LONGEST_TOKEN_DAYS:
        sentence = f"A token lives 1 to {LONGEST_TOKEN_DAYS} days, not {days}."
        raise Refused(sentence, {"days": [sentence]})
    if campaign is not None and not campaign.memberships.filter(user=user).exists():
        sentence = f"{user.username} has no role in {campaign.slug}."
        raise Refused(sentence, {"campaign": [sentence]})
    if ApiToken.objects.filter(user=user, expires_at__gt=database_now()).count() >= MOST_TOKENS:
        raise Refused(f"{MOST_TOKENS} tokens are enough; revoke one first.")
    token = secrets.token_urlsafe(32)
    row = ApiToken.objects.create(
        user=user,
        token_sha256=token_digest(token),
        scope=scope,
        campaign=campaign,
        expires_at=database_now() + timedelta(days=days),
    )
    audit.record(
        actor=user,
        campaign=campaign,
        action="token.created",
        object_type="token",
        object_id=row.pk,
        details={"scope": scope, "days": days},
    )
    return NewToken(token, row)
