"""What ending sessions, tokens and a second factor would do, as the pages that ask say it."""

from uuid import UUID

from django.shortcuts import resolve_url

from annotator.accounts.queries import own_sessions, own_tokens
from annotator.models import Passkey, User
from core.confirmation import Confirmation
from patclaimeval.plurals import counted

FOR_GOOD = "This cannot be taken back."


def ways_in(user: User, this: UUID | None = None) -> str:
    """Return how many living sessions a person has beside this one, and how many tokens."""
    sessions = sum(row["id"] != this for row in own_sessions(user, this))
    which = "other session" if this else "session"
    return f"{counted(sessions, which)} and {counted(own_tokens(user).count(), 'API token')}"


def about_ending_others(user: User, this: UUID | None) -> Confirmation:
    """Return what is asked before a person ends every session of theirs but this one."""
    return Confirmation(
        question="End all other sessions?",
        count=ways_in(user, this),
        effect="end at once. You sign in again there with your password, and programs need new "
        "tokens. Drafts stay stored.",
        undo=FOR_GOOD,
        act="End sessions and tokens",
        leave="Leave them",
        back=resolve_url("annotator:account"),
    )


def about_revoking() -> Confirmation:
    """Return what is asked before a person revokes a token of theirs."""
    return Confirmation(
        question="Revoke this token?",
        count="1 API token",
        effect="stops at once: programs that use it are refused until you give them a new one.",
        undo=FOR_GOOD,
        act="Revoke the token",
        leave="Leave it",
        back=resolve_url("annotator:account_tokens"),
    )


def about_removing_factor(passkey: Passkey | None, *, is_last: bool) -> Confirmation:
    """Return what is asked before a person removes a passkey of theirs, or their app."""
    named = f"the passkey {passkey.name}" if passkey else "the authenticator app"
    last = "It is your last second factor: you sign in with the password alone then, and the "
    return Confirmation(
        question=f"Remove {named}?",
        count="1 passkey" if passkey else "1 app",
        effect="counts here no more, at once."
        + (f" {last}recovery codes count no more, either." if is_last else ""),
        undo="You may set up another one at any time.",
        act="Remove the passkey" if passkey else "Remove the app",
        leave="Leave it",
        back=resolve_url("annotator:account_second_factor"),
    )


def about_ending_sessions(user: User) -> Confirmation:
    """Return what is asked before an account is signed out everywhere."""
    return Confirmation(
        question=f"End the sessions of {user.username}?",
        count=ways_in(user),
        effect=f"end at once. {user.username} signs in again with the password, and makes new "
        "tokens for programs. Drafts stay stored.",
        undo=FOR_GOOD,
        act="End sessions and tokens",
        leave="Leave them",
        back=resolve_url("annotator:users"),
    )


def about_resetting_factor(user: User) -> Confirmation:
    """Return what is asked before an account's second factor is taken away."""
    return Confirmation(
        question=f"Reset the second factor of {user.username}?",
        count=ways_in(user),
        effect=f"end at once, and so do the app's codes, the passkeys and the recovery codes. "
        f"{user.username} sets up a new second factor at the next sign-in.",
        undo=f"{FOR_GOOD} Do it only for somebody who has lost them, and whom you know asked you.",
        act="Reset the second factor",
        leave="Leave it",
        back=resolve_url("annotator:users"),
    )
