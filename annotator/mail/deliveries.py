"""Sends deliveries: each is tried, and tried again by the sweeper where that may help."""

from typing import Any
from uuid import UUID

from django.db import transaction

from annotator import audit_log
from annotator.mail.letters import LETTERS
from annotator.models import Delivery, Way
from annotator.outgoing import mailing, posting
from annotator.outgoing.rules import wait_after
from core.jobs import leases
from core.jobs.rows import JobStatus
from core.jobs.running import run_job


def carry_out_delivery(pk: UUID | str) -> None:
    """Claim a delivery that is due, try it once, and end it or queue it for its next try."""
    run_job(Delivery, pk, _send, noun="The delivery")


def _send(row: Delivery, check: Any) -> dict[str, Any] | None:
    is_mail = row.way == Way.MAIL
    outcome = mailing.send(row, LETTERS.get(row.about)) if is_mail else posting.send(row)
    check()
    if outcome.is_sent:
        return {"answer": outcome.answer, "sealed": ""}
    wait = wait_after(row.attempt) if outcome.may_help else None
    if wait is not None:
        leases.put_back(row, wait, answer=outcome.answer)
        return None
    with transaction.atomic():
        leases.close(row, JobStatus.FAILED, answer=outcome.answer, sealed="")
        audit_log.record(
            action="delivery.given_up",
            object_type="delivery",
            object_id=row.pk,
            campaign=row.webhook.campaign_id if row.webhook else None,
            details={"way": row.way, "about": row.about, "answer": outcome.answer},
        )
    return None
