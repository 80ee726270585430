"""Writes of erasures: an admin of the campaign asks, a site admin agrees, the sweeper erases."""

from django.db import IntegrityError, transaction

from annotator.clock import database_now
from annotator.formats.free_text import check_words
from annotator.models import Campaign, Reference, Role, User
from annotator.queries.access import roles_of
from annotator.refusals import Forbidden, OutOfDate, Refused
from annotator.services import audit
from scoring.models import Erasure, ErasureStatus

MOST_CHARACTERS = 2000
HELD = "The campaign is under legal hold: nothing of it may be erased until an admin ends the hold."


def ask_erasure(*, reference: Reference, asked_by: User, reason: str) -> Erasure:
    """Ask that a matter be erased; a site admin answers. Nothing is touched yet.

    Raises Forbidden for who is no admin of its campaign, Refused without a reason or under legal
    hold, OutOfDate when it was asked already.
    """
    campaign = reference.campaign
    if Role.ADMIN not in roles_of(asked_by, campaign):
        raise Forbidden("Admins of the campaign ask for an erasure.")
    words = reason.strip()
    check_words("reason", words, longest=MOST_CHARACTERS, empty="Give a reason.")
    try:
        with transaction.atomic():
            _refuse_held(campaign)
            row = Erasure.objects.create(
                campaign=campaign,
                reference=reference,
                asked_by=asked_by,
                asked_at=database_now(),
                reason=words,
            )
            _record(row, "asked", asked_by)
    except IntegrityError as error:
        raise OutOfDate("The erasure of this matter was asked for already.") from error
    return row


@transaction.atomic
def answer_erasure(*, erasure: Erasure, answered_by: User, agrees: bool) -> Erasure:
    """Agree to an erasure, which cannot be taken back, or decline it.

    Raises Forbidden for who is no site admin or has asked themselves, Refused under legal hold,
    OutOfDate when it was answered meanwhile.
    """
    if not answered_by.is_superuser:
        raise Forbidden("Site admins answer this.")
    row = (
        Erasure.objects.select_for_update(no_key=True, of=("self",))
        .select_related("campaign")
        .get(pk=erasure.pk)
    )
    if row.status != ErasureStatus.ASKED:
        raise OutOfDate("This was answered meanwhile.")
    if agrees and row.asked_by_id == answered_by.pk:
        raise Forbidden("An erasure takes two people: another site admin has to agree.")
    if agrees:
        _refuse_held(row.campaign)
    row.status = ErasureStatus.AGREED if agrees else ErasureStatus.DECLINED
    row.answered_by, row.answered_at = answered_by, database_now()
    row.save(update_fields=["status", "answered_by", "answered_at"])
    _record(row, "agreed" if agrees else "declined", answered_by)
    return row


def _refuse_held(campaign: Campaign) -> None:
    if Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk).has_legal_hold:
        raise Refused(HELD)


def _record(row: Erasure, act: str, actor: User) -> None:
    audit.record(
        actor=actor,
        campaign=row.campaign_id,
        action=f"erasure.{act}",
        object_type="reference",
        object_id=row.reference_id,
        details={"erasure": str(row.pk)},
    )
