"""Writes of passwords by their owners."""

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from annotator.models import User
from annotator.refusals import Refused
from annotator.services import audit
from annotator.services.signing import confirm_password


def change_password(*, user: User, current: str, new: str) -> None:
    """Change a person's own password; Refused by field, TooOften after many wrong ones.

    To be called outside of a transaction, as `confirm_password`.
    """
    if not confirm_password(user, current):
        sentence = "This is not your password; nothing was changed."
        raise Refused(sentence, {"current": [sentence]})
    refuse_weak(new, user, "new")
    with transaction.atomic():
        user.set_password(new)
        user.save(update_fields=["password"])
        audit.record(actor=user, action="password.changed", object_type="user", object_id=user.pk)


def refuse_weak(password: str, user: User, field: str) -> None:
    """Raise Refused, naming the field, unless the password is good enough for the person."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Refused(" ".join(error.messages), {field: error.messages}) from error
