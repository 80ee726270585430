"""Webhooks of a test's campaign, and a check of what they sent."""

import base64
import hashlib
import hmac
import json
from typing import Any

from annotator.mail.deliveries import carry_out_delivery
from annotator.models import Campaign, Candidate, Delivery, User
from annotator.outgoing.rules import EVENTS
from annotator.rating.services import submit_rating
from annotator.webhooks.services import NewSecret, add_webhook
from core.jobs.rows import DUE
from patclaimeval.rubric import CRITERIA


def add(campaign: Campaign, by: User, url: str, *events: str) -> NewSecret:
    return add_webhook(campaign=campaign, url=url, events=list(events or EVENTS), by=by)


def checked(request: dict[str, Any], secret: str) -> dict[str, Any]:
    """Return the body of a request whose signature holds, as a receiver would look at it."""
    headers = {name.lower(): value for name, value in request["headers"].items()}
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{request['body']}".encode()
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    body: dict[str, Any] = json.loads(request["body"])
    assert body["id"] == headers["webhook-id"]
    return body


def deliver() -> list[Delivery]:
    """Try everything that is due, as a worker does; return the rows."""
    for pk in Delivery.objects.filter(DUE, status="queued").values_list("pk", flat=True):
        carry_out_delivery(pk)
    return list(Delivery.objects.order_by("created_at", "pk"))


def rate(cast: Any, candidate: Candidate, *people: User) -> None:
    """Have each of them rate the candidate."""
    for person in people:
        (row,) = [
            one
            for one in cast.assign(person, candidate.reference)
            if one.candidate_id == candidate.pk
        ]
        submit_rating(assignment_id=row.pk, annotator=person, scores=dict.fromkeys(CRITERIA, 7))
