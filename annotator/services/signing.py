"""The password asked for again: a signature is by who knows it, and guessing is slow."""

from datetime import timedelta
from typing import Final

from django.utils import timezone

from annotator.models import AuditEvent, Campaign, User
from annotator.refusals import Refused, TooOften
from annotator.services import audit

MOST_WRONG: Final = 10
WRONG_WITHIN: Final = timedelta(minutes=15)
WRONG_SENTENCE: Final = "This is not your password; nothing was stored."


def check_signature(*, signer: User, password: str, campaign: Campaign) -> None:
    """Raise Refused unless the password is the signer's, TooOften after ten wrong ones."""
    wrong = AuditEvent.objects.filter(
        actor=signer, action="signature.refused", at__gt=timezone.now() - WRONG_WITHIN
    )
    if wrong.count() >= MOST_WRONG:
        raise TooOften("The password was wrong too many times; try again in 15 minutes.")
    if not signer.check_password(password):
        audit.record(
            actor=signer,
            campaign=campaign,
            action="signature.refused",
            object_type="user",
            object_id=signer.pk,
        )
        raise Refused(WRONG_SENTENCE, {"password": [WRONG_SENTENCE]})
