"""The text of each kind of mail: counts, dates and links, never a text, a title or a score."""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models.functions import Now
from django.shortcuts import resolve_url
from django.utils.formats import date_format

from annotator.access.scopes import assignments_for
from annotator.assignments.queries import second_looks
from annotator.inbox.queries import inbox_of
from annotator.mail.services import make_reset
from annotator.models import (
    AssignmentStatus,
    CampaignStatus,
    Delivery,
    MailAddress,
    MailKind,
    User,
)
from annotator.outgoing.mailing import Letter, Write, sealed_of, site_name
from patclaimeval.plurals import counted

# What the event of a finished job is called.
JOBS: Final = {
    "import": "An import",
    "freeze": "A freeze",
    "training": "A training run",
    "report": "An agreement report",
    "reliability": "A reliability report",
}


def link_to(route: str, *arguments: object) -> str:
    """Return the full address of a page; the site's name is the operator's, not the request's."""
    return f"{settings.SITE_URL}{resolve_url(route, *arguments)}"


def _invitation(row: Delivery) -> Letter:
    sealed = sealed_of(row)
    return Letter(
        sealed["address"],
        "an invitation",
        f"You are invited to {site_name()}, where patent attorneys judge machine-written claims.\n"
        "This link is for you alone. It works once, within seven days:\n\n"
        f"{link_to('annotator:invitation', sealed['token'])}\n\n"
        "If you expected no invitation, do nothing.\n",
    )


def _confirm(row: Delivery) -> Letter:
    sealed = sealed_of(row)
    return Letter(
        sealed["address"],
        "confirm this address",
        f"Somebody with an account at {site_name()} wants to be mailed here. If it was you, sign\n"
        "in and open this link within a day:\n\n"
        f"{link_to('annotator:account_mail_confirm', sealed['token'])}\n\n"
        "If it was not you, do nothing: nothing more is sent here.\n",
    )


def _reset(row: Delivery) -> Letter | None:
    made = make_reset(username=sealed_of(row)["username"])
    if made is None:
        return None
    user, address, token = made
    return Letter(
        address,
        "a new password",
        f"Somebody asked for a new password for the account {user.username}. If it was you,\n"
        "choose one here within an hour; the link works once:\n\n"
        f"{link_to('annotator:reset_password', token)}\n\n"
        "If it was not you, do nothing: the password stays as it is.\n",
    )


def _to(row: Delivery, subject: str, text: str) -> Letter | None:
    """Return the letter if its person still wants this kind, and can be reached."""
    user = row.person
    address = MailAddress.objects.filter(user=user).first()
    if user is None or address is None or not wants(user, address, row.about):
        return None
    end = "What you are mailed about, you choose there under Account, Mail."
    return Letter(address.address, subject, f"{text}\n{settings.SITE_URL}/\n\n{end}\n")


def wants(user: User, address: MailAddress, kind: str) -> bool:
    """Return whether somebody is mailed about this kind now."""
    is_reached = address.confirmed_at is not None and address.refused_at is None
    return user.is_active and is_reached and kind in address.kinds


def _due(row: Delivery) -> Letter | None:
    user = row.person
    assert user is not None
    at = datetime.fromisoformat(row.content["due_at"])
    rows = assignments_for(user).filter(
        status=AssignmentStatus.OPEN, due_at=at, campaign__status=CampaignStatus.OPEN
    )
    if not (number := rows.count()):
        return None
    when = date_format(at.astimezone(ZoneInfo(user.time_zone)), "l j F, H:i")
    is_due = "is due" if number == 1 else "are due"
    text = f"{counted(number, 'candidate')} of yours {is_due} on {when} ({user.time_zone}).\n"
    return _to(row, "due within a day", text)


def _second_look(row: Delivery) -> Letter | None:
    user = row.person
    assert user is not None
    if not (number := len(second_looks(user))):
        return None
    text = f"You are asked to look again at {counted(number, 'candidate')} that you rated.\n"
    return _to(row, "a second look", text)


def _finished(row: Delivery) -> Letter | None:
    what = JOBS.get(row.content["event"], "A job")
    came = "is finished" if row.content["state"] == "succeeded" else "has failed"
    return _to(row, "a job has ended", f"{what} that you asked for {came}.\n")


def _digest(row: Delivery) -> Letter | None:
    user = row.person
    assert user is not None
    rows = assignments_for(user).filter(
        status=AssignmentStatus.OPEN, campaign__status=CampaignStatus.OPEN
    )
    inbox = inbox_of(user)
    lines = [
        (rows.count(), "candidate", "open for you to rate"),
        (rows.filter(due_at__lt=Now()).count(), "candidate", "of these overdue"),
        (len(second_looks(user)), "candidate", "to look at again"),
        (len(inbox.waiting), "line", "on your home page about what waits"),
        (len(inbox.late), "line", "there about what is late"),
        (len(inbox.finished), "line", "there about jobs that ended"),
    ]
    found = [f"- {counted(number, noun)} {what}\n" for number, noun, what in lines if number]
    if not found:
        return None
    return _to(row, "what waits for you", "What waits for you today:\n\n" + "".join(found))


# Who writes the mails of each kind when they are sent. A writer returns None where there is nothing
# to send, and may be called again for the same row after a worker was killed.
LETTERS: Final[dict[str, Write]] = {
    "invitation": _invitation,
    "confirm": _confirm,
    "reset": _reset,
    MailKind.DUE: _due,
    MailKind.SECOND_LOOK: _second_look,
    MailKind.FINISHED: _finished,
    MailKind.DIGEST: _digest,
}
