"""Sends one mail by SMTP and returns the outcome; its text is written by kind (mail.letters)."""

import smtplib
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from annotator.models import Delivery, MailAddress
from annotator.outgoing.rules import Outcome
from annotator.sealing import WrongKey, unseal
from core.clock import database_now
from patclaimeval.text_io.strict_json import loads

BACKEND = "django.core.mail.backends.smtp.EmailBackend"


@dataclass(frozen=True, slots=True)
class Letter:
    """One mail as it is written: to whom, about what, and its text."""

    to: str
    subject: str
    text: str


class CannotBeOpened(Exception):
    """What was sealed for this mail opens no more."""


Write = Callable[[Delivery], Letter | None]


def site_name() -> str:
    """Return the name of the site, as people know it from the address of its pages."""
    return urlsplit(settings.SITE_URL).netloc


def sealed_of(row: Delivery) -> dict[str, str]:
    """Return what was sealed for a mail; raise CannotBeOpened."""
    try:
        found: dict[str, str] = loads(unseal(row.sealed, owner=str(row.pk)).encode())
    except WrongKey as error:
        raise CannotBeOpened from error
    return found


def send(row: Delivery, write: Write | None) -> Outcome:
    """Send a mail once, with the text that `write` gives it."""
    if write is None or not settings.EMAIL_HOST:
        return Outcome("not allowed")
    try:
        letter = write(row)
    except CannotBeOpened:
        return Outcome("cannot be opened")
    if letter is None:
        return Outcome("nothing to send", is_sent=True)
    message = EmailMessage(
        f"{site_name()}: {letter.subject}",
        letter.text,
        settings.DEFAULT_FROM_EMAIL,
        [letter.to],
        headers={
            # The same at each try, so that a second copy is known as one.
            "Message-ID": f"<{row.pk}@{site_name().partition(':')[0]}>",
            "Auto-Submitted": "auto-generated",
        },
        connection=get_connection(BACKEND),
    )
    try:
        message.send()
    except smtplib.SMTPRecipientsRefused as error:
        code = next(iter(error.recipients.values()))[0]
        return _refused(row, letter.to, code)
    except smtplib.SMTPDataError as error:
        return Outcome(str(error.smtp_code), may_help=error.smtp_code < 500)
    except smtplib.SMTPResponseException as error:
        # Of the site's own sign-in or sender: whoever runs it may mend that.
        return Outcome(f"{error.smtp_code} before the receiver", may_help=True)
    except ssl.SSLCertVerificationError:
        return Outcome("no trusted certificate", may_help=True)
    except (OSError, smtplib.SMTPException) as error:
        is_late = isinstance(error, TimeoutError)
        return Outcome("timeout" if is_late else "no connection", may_help=True)
    except ValueError:
        # What no header may hold, by Django: an address or a subject of more than one line.
        return Outcome("wrong address")
    return Outcome("250", is_sent=True)


def _refused(row: Delivery, to: str, code: int) -> Outcome:
    """Note that an address takes no mail, where the refusal is for good (RFC 5321, 4.2.1)."""
    if code < 500:
        return Outcome(str(code), may_help=True)
    if row.person_id is not None:
        MailAddress.objects.filter(user=row.person_id, address=to).update(
            refused_at=database_now(), refused_code=str(code)[:3]
        )
    return Outcome(str(code))
