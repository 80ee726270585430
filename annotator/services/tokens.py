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


def note_use(*, token_id: UUID) -> None:
    """Note the day on which a token is used: one write a day, not one a call."""
    ApiToken.objects.filter(pk=token_id).update(last_used_on=database_now().date())
