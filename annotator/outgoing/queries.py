"""Reads of what was sent: mails that did not reach anybody."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from annotator.models import Delivery, MailAddress, Way
from core.jobs.rows import JobStatus

MOST_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class RefusedMail:
    """A mail that was given up: about what, whose, when and by which answer; not where to."""

    about: str
    username: str
    at: datetime | None
    answer: str


def refused_mails() -> list[RefusedMail]:
    """Return the latest mails that were given up, whoever they were for."""
    rows = Delivery.objects.filter(way=Way.MAIL, status=JobStatus.FAILED)
    rows = rows.select_related("person").order_by("-finished_at", "pk")[:MOST_LISTED]
    return [
        RefusedMail(
            row.about.replace("_", " "),
            row.person.username if row.person else "",
            row.finished_at,
            row.answer or row.message,
        )
        for row in rows
    ]


def mail_of(pk: UUID) -> MailAddress | None:
    """Return where a person is mailed, or is to be."""
    return MailAddress.objects.filter(user=pk).first()
