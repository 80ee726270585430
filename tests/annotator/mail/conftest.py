"""A server of mail that is a process of its own, and people who may be mailed."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.mail.deliveries import carry_out_delivery
from annotator.models import Delivery, MailAddress, MailKind, User
from core.clock import database_now
from core.jobs.rows import DUE
from tests.served.mail_receiver import Mailbox, receiving_mail

SITE = "https://claims.example.org"
SENDER = "workbench@claims.example.org"


def send_mail_to(settings: Any, mailbox: Mailbox) -> None:
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", mailbox.port
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    settings.DEFAULT_FROM_EMAIL, settings.SITE_URL = SENDER, SITE


@pytest.fixture(autouse=True)
def no_heartbeat(settings: Any) -> None:
    """A heartbeat has a connection of its own, which does not see what a test has made."""
    settings.JOB_LEASE_SECONDS = 3600


@pytest.fixture
def mailbox(tmp_path: Path, settings: Any) -> Iterator[Mailbox]:
    with receiving_mail(tmp_path) as found:
        send_mail_to(settings, found)
        yield found


@pytest.fixture
def sends(settings: Any) -> None:
    """Let mails be queued; nothing is sent."""
    settings.EMAIL_HOST, settings.SITE_URL = "127.0.0.1", SITE


Reachable = Callable[..., MailAddress]


@pytest.fixture
def reachable(db: None) -> Reachable:
    """Give a function that confirms an address of a person, and what they are mailed about."""

    def confirm(user: User, *kinds: str, address: str = "") -> MailAddress:
        return MailAddress.objects.create(
            user=user,
            address=address or f"{user.username}@example.org",
            confirmed_at=database_now(),
            kinds=list(kinds or MailKind.values),
        )

    return confirm


def deliver() -> list[Delivery]:
    """Send everything that is due, as a worker does; return the rows."""
    rows = Delivery.objects.filter(DUE, status="queued")
    for pk in rows.order_by("created_at", "pk").values_list("pk", flat=True):
        carry_out_delivery(pk)
    return list(Delivery.objects.order_by("created_at", "pk"))


def text_of(mail: Any) -> str:
    return str(mail.get_payload(decode=True).decode()).replace("\r\n", "\n")
