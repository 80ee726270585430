"""Accounts and passwords: created, changed, and asked for again before signing."""

from typing import Final
from uuid import UUID

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from annotator import audit_log
from annotator.accounts.names import name_problem, skeleton
from annotator.accounts.providers import Fresh, signs_at
from annotator.accounts.sessions import Ended, end_access
from annotator.models import Campaign, Invitation, PasswordReset, User
from annotator.rate_limits import RateLimit, give_back, take_or_refuse
from core.clock import database_now
from core.errors import Refused
from patclaimeval.limits import ACCOUNTS

# As many characters of a salt as Django wants at least: with fewer, the next sign-in makes another.
SALT_LENGTH: Final = 32
TAKEN: Final = (
    "There is an account already whose name is {} or looks like it; choose a name that nobody "
    "takes for another's."
)


@transaction.atomic
def create_user(*, username: str, password: str | None, is_site_admin: bool = False) -> User:
    """Create an account; without a password it cannot sign in. Raises Refused with the reason."""
    refuse_name(username)
    refuse_another_account()
    user = User(username=username, name_skeleton=skeleton(username), is_superuser=is_site_admin)
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as error:
        raise Refused(" ".join(error.messages), {"username": error.messages}) from error
    if password is not None:
        refuse_weak(password, user, "password")
    user.set_password(password)  # of None: one that nobody has
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as error:  # another one of that name at the same moment
        raise Refused(TAKEN.format(username)) from error
    audit_log.record_on(user, "user.created", None)
    return user


def refuse_another_account() -> None:
    """Raise Refused where as many accounts are active as the application is built for."""
    if User.objects.filter(is_active=True).count() >= ACCOUNTS:
        raise Refused(
            f"{ACCOUNTS} accounts are active, as many as one site may have. A site admin can "
            "deactivate one that nobody uses."
        )


def refuse_name(username: str) -> None:
    """Raise Refused for a name that is none, is taken, or would be taken for another's."""
    problem = name_problem(username)
    if not problem and User.objects.filter(username__iexact=username).exists():
        problem = f"There is an account named {username} already (upper case does not count)."
    elif not problem and User.objects.filter(name_skeleton=skeleton(username)).exists():
        problem = TAKEN.format(username)
    if problem:
        raise Refused.at("username", problem)


@transaction.atomic
def set_demo_password(*, user: User, password: str) -> None:
    """Give a demo account the password that the operator chose, however short.

    As any other password, a new one ends sessions and tokens. The salt is made of name and password
    with the secret key, so that each start need not compute the slow digest of what it finds.
    """
    salt = salted_hmac("demo password", f"{user.username}\n{password}").hexdigest()[:SALT_LENGTH]
    if f"${salt}$" in user.password:
        return
    is_new = not user.check_password(password)
    user.password = make_password(password, salt)
    user.save(update_fields=["password"])
    if is_new:
        end_access(user=user, by=None)


def unused_invitations(invited_by: User) -> QuerySet[Invitation]:
    """Return the links of a person that nobody has used and that have not run out."""
    return Invitation.objects.filter(invited_by=invited_by, accepted_at=None, expires_at__gt=Now())


@transaction.atomic
def withdraw_invitations(
    *, invited_by: User, by: User | None, campaign: Campaign | None = None
) -> int:
    """End the unused links that a person made, everywhere or in a campaign; return how many.

    Else they would work again with the person's account or role.
    """
    rows = unused_invitations(invited_by)
    if campaign is not None:
        rows = rows.filter(campaign=campaign)
    found = list(rows.select_for_update(no_key=True, of=("self",)).order_by("pk"))
    Invitation.objects.filter(pk__in=[row.pk for row in found]).update(expires_at=database_now())
    for row in found:
        audit_log.record_on(row, "invitation.withdrawn", by)
    return len(found)


# A limit of its own: who guesses at the sign-in page hinders no adjudicator from signing.
OF_SIGNATURES: Final = RateLimit("signature", 10, 90)
AT_PROVIDER: Final = "You sign at {}: open the page, and sign there. Nothing was stored."
WRONG_SENTENCE: Final = "This is not your password; nothing was stored."


def confirm_password(person: User, password: str | Fresh) -> bool:
    """Return whether the password is the person's; TooOften after ten wrong ones.

    Their provider's word of a moment ago counts as much. To be called outside of a transaction,
    which a refusal would undo with the count.
    """
    if isinstance(password, Fresh):
        return password.user == person
    limits = [(OF_SIGNATURES, str(person.pk))]
    sentence = "The password was wrong too many times; nothing was stored. Try again in"
    take_or_refuse(limits, sentence)
    if not person.check_password(password):
        return False
    give_back(limits)
    return True


def check_signature(*, signer: User, password: str | Fresh, campaign: Campaign) -> None:
    """Raise Refused unless the password is the signer's, TooOften after ten wrong ones."""
    if isinstance(password, str) and (provider := signs_at(signer)):
        raise Refused.at("password", AT_PROVIDER.format(provider.label))
    if not confirm_password(signer, password):
        audit_log.record_on(signer, "signature.refused", signer, campaign)
        raise Refused.at("password", WRONG_SENTENCE)


def change_password(*, user: User, current: str, new: str, keep: UUID | None = None) -> Ended:
    """Change a person's own password, which ends every token and every session but one to keep.

    Refused by field, TooOften after many wrong passwords.

    To be called outside of a transaction, as `confirm_password`.
    """
    if not confirm_password(user, current):
        raise Refused.at("current", "This is not your password; nothing was changed.")
    return replace_password(user=user, new=new, by=user, keep=keep)


def set_time_zone(*, user: User, name: str) -> User:
    """Store in which zone pages show times to a person; `name` is one of the IANA database."""
    user.time_zone = name
    user.save(update_fields=["time_zone"])
    return user


@transaction.atomic
def replace_password(*, user: User, new: str, by: User | None, keep: UUID | None = None) -> Ended:
    """Give an account another password, which ends its access; `by` None is the operator.

    Raises Refused, naming the field `new`, for one that is weak.
    """
    refuse_weak(new, user)
    user.set_password(new)
    user.save(update_fields=["password"])
    # A link that was mailed for the old one opens nothing any more.
    PasswordReset.objects.filter(user=user).delete()
    audit_log.record_on(user, "password.changed", by)
    return end_access(user=user, by=by, keep=keep)


def refuse_weak(password: str, user: User, field: str = "new") -> None:
    """Raise Refused, naming the field, unless the password is good enough for the person."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Refused(" ".join(error.messages), {field: error.messages}) from error
