"""Writes of API tokens that there are: used, revoked."""

from uuid import UUID

from django.db import transaction

from annotator.clock import database_now
from annotator.models import ApiToken, User
from annotator.refusals import OutOfDate
from annotator.services import audit


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
