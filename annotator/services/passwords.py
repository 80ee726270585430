"""Writes of new passwords, by their owners or by who runs the machine."""

from uuid import UUID

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from annotator.models import User
from annotator.refusals import Refused
from annotator.services import audit
from annotator.services.sessions import Ended, end_access
from annotator.services.signing import confirm_password


def change_password(*, user: User, current: str, new: str, keep: UUID | None = None) -> Ended:
    """Change a person's own password, which ends every token and every session but one to keep.

    Refused by field, TooOften after many wrong passwords.

    To be called outside of a transaction, as `confirm_password`.
    """
    if not confirm_password(user, current):
        sentence = "This is not your password; nothing was changed."
        raise Refused(sentence, {"current": [sentence]})
    return replace_password(user=user, new=new, by=user, keep=keep)


@transaction.atomic
def replace_password(*, user: User, new: str, by: User | None, keep: UUID | None = None) -> Ended:
    """Give an account another password, which ends its access; `by` None is the operator.

    Raises Refused, naming the field `new`, for one that is weak.
    """
    refuse_weak(new, user, "new")
    user.set_password(new)
    user.save(update_fields=["password"])
    audit.record(actor=by, action="password.changed", object_type="user", object_id=user.pk)
    return end_access(user=user, by=by, keep=keep)


def refuse_weak(password: str, user: User, field: str) -> None:
    """Raise Refused, naming the field, unless the password is good enough for the person."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Refused(" ".join(error.messages), {field: error.messages}) from error
