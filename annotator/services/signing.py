"""The password asked for again: a signature is by who knows it, and guessing is slow."""

from typing import Final

from annotator.models import Campaign, User
from annotator.refusals import Refused, TooOften
from annotator.services import audit
from annotator.services.pace import Pace, give_back, seconds_in_words, take

# A limit of its own: who guesses at the sign-in page keeps no adjudicator from signing.
OF_SIGNATURES: Final = Pace("signature", 10, 90)
WRONG_SENTENCE: Final = "This is not your password; nothing was stored."


def confirm_password(person: User, password: str) -> bool:
    """Say whether the password is the person's; TooOften after ten wrong ones.

    To be called outside of a transaction, which a refusal would undo with the count.
    """
    limits = [(OF_SIGNATURES, str(person.pk))]
    if wait := take(limits):
        raise TooOften(
            "The password was wrong too many times; nothing was stored. "
            f"Try again in {seconds_in_words(wait)}.",
            retry_after=wait,
        )
    if not person.check_password(password):
        return False
    give_back(limits)
    return True


def check_signature(*, signer: User, password: str, campaign: Campaign) -> None:
    """Raise Refused unless the password is the signer's, TooOften after ten wrong ones."""
    if not confirm_password(signer, password):
        audit.record(
            actor=signer,
            campaign=campaign,
            action="signature.refused",
            object_type="user",
            object_id=signer.pk,
        )
        raise Refused(WRONG_SENTENCE, {"password": [WRONG_SENTENCE]})
