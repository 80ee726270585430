"""What the sweeper mails people about: due dates, second looks, a digest, each once.

A row whose name is taken is not made twice, whoever looks at the same moment.
"""

from datetime import datetime, timedelta
from operator import attrgetter
from typing import Final
from zoneinfo import ZoneInfo

from django.conf import settings

from annotator.mail.letters import wants
from annotator.models import (
    Assignment,
    AssignmentStatus,
    CampaignStatus,
    Delivery,
    MailAddress,
    MailKind,
    SecondLook,
    User,
)
from annotator.outgoing.queue import queue_mail
from core.clock import database_now
from core.jobs.rows import JobRow, JobStatus

# So long before it is due.
AHEAD: Final = timedelta(days=1)
# What somebody has left lying for longer, they know: rows that remember are deleted after a month.
LONGEST_AGO: Final = timedelta(days=14)
DIGEST_HOUR: Final = 7


def mail_of_job(row: JobRow, status: JobStatus) -> None:
    """Queue a mail to who asked for a job, in the transaction that ends it."""
    if not settings.EMAIL_HOST or not row.is_announced(status):
        return
    person = attrgetter(row.asker_path)(row)
    address = MailAddress.objects.filter(user=person).select_related("user").first()
    if address is not None and wants(address.user, address, MailKind.FINISHED):
        queue_mail(
            MailKind.FINISHED,
            person=person,
            content={"event": row.event, "state": status.value},
            once=f"finished:{row.pk}:{status.value}",
        )


def remind_everybody() -> int:
    """Queue what is due for everybody who wants it; return how many mails."""
    if not settings.EMAIL_HOST:
        return 0
    now = database_now()
    rows = MailAddress.objects.filter(confirmed_at__isnull=False, refused_at=None)
    names: dict[str, tuple[User, str, dict[str, str]]] = {}
    for address in rows.select_related("user"):
        user = address.user
        if wants(user, address, MailKind.DUE):
            for at in _due(user, now):
                name = f"{MailKind.DUE}:{user.pk}:{at.isoformat()}"
                names[name] = (user, MailKind.DUE, {"due_at": at.isoformat()})
        if wants(user, address, MailKind.SECOND_LOOK):
            for pk in _looks(user, now):
                names[f"{MailKind.SECOND_LOOK}:{pk}"] = (user, MailKind.SECOND_LOOK, {})
        local = now.astimezone(ZoneInfo(user.time_zone))
        if wants(user, address, MailKind.DIGEST) and local.hour >= DIGEST_HOUR:
            names[f"{MailKind.DIGEST}:{user.pk}:{local.date()}"] = (user, MailKind.DIGEST, {})
    known = set(Delivery.objects.filter(once__in=names).values_list("once", flat=True))
    made = [
        queue_mail(kind, person=user, content=content, once=name)
        for name, (user, kind, content) in names.items()
        if name not in known
    ]
    return sum(row is not None for row in made)


def _due(user: User, now: datetime) -> list[datetime]:
    rows = Assignment.objects.filter(
        annotator=user,
        status=AssignmentStatus.OPEN,
        campaign__status=CampaignStatus.OPEN,
        due_at__gt=now,
        due_at__lte=now + AHEAD,
    )
    return [at for at in rows.order_by().values_list("due_at", flat=True).distinct() if at]


def _looks(user: User, now: datetime) -> list[int]:
    rows = SecondLook.objects.filter(
        answered_at=None,
        round__finished_at=None,
        round__made_at__gt=now - LONGEST_AGO,
        assignment__annotator=user,
        assignment__campaign__status=CampaignStatus.OPEN,
    )
    return list(rows.values_list("pk", flat=True))
