"""Writes of who may read the claim texts of a version: an admin permits, and revokes."""

from django.db import IntegrityError, transaction

from annotator import audit_log
from annotator.models import User
from core.errors import OutOfDate, Refused
from core.shapes import LONGEST_REASON, check_text
from scoring.access.scopes import is_researcher
from scoring.models import DatasetVersion, TextPermission

NO_REASON = "Say why, in a few words: it stays on record."


@transaction.atomic
def permit_texts(
    *, version: DatasetVersion, person: User, reason: str, permitted_by: User
) -> TextPermission:
    """Let a researcher of the version's campaign read its claim texts.

    Raises Refused for somebody else, without a reason, and where they may already.
    """
    check_text("reason", reason, longest=LONGEST_REASON, empty=NO_REASON)
    if version.dataset.campaign is None or not is_researcher(person, version):
        raise Refused.at("person", "Choose a researcher of the campaign.")
    try:
        with transaction.atomic():
            row = TextPermission.objects.create(
                version=version, person=person, granted_by=permitted_by, reason=reason.strip()
            )
    except IntegrityError as error:
        why = f"{person.username} may read the texts of {version} already."
        raise Refused.at("person", why) from error
    _record("dataset.texts_permitted", row, permitted_by)
    return row


@transaction.atomic
def revoke_texts(*, permission: TextPermission, revoked_by: User) -> None:
    """Take the permission away; OutOfDate where it is gone already."""
    count, _ = TextPermission.objects.filter(pk=permission.pk).delete()
    if not count:
        raise OutOfDate("This permission was revoked already.")
    _record("dataset.texts_revoked", permission, revoked_by)


def _record(action: str, row: TextPermission, by: User) -> None:
    # On the person, as the trail has it of roles.
    campaign = row.version.dataset.campaign
    audit_log.record_on(
        *(row.person, action, by, campaign), dataset=str(row.version), reason=row.reason
    )
