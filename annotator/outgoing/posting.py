"""Sends one delivery to its webhook and returns the outcome."""

import json
import socket
from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings

from annotator.models import Delivery, Webhook
from annotator.outgoing.rules import (
    Outcome,
    WrongAddress,
    checked_url,
    may_be_reached,
    signature,
)
from annotator.sealing import WrongKey, unseal
from core.clock import database_now
from patclaimeval.exchange import NoAnswerError, UntrustedError, exchange
from patclaimeval.version import VERSION

TIMEOUT_SECONDS: Final = 5
# Whoever answers one of these may answer otherwise later.
_AGAIN: Final = frozenset({408, 425, 429})


class _PrivateError(Exception):
    """The host's name leads to an address that must not be reached."""


def body_of(row: Delivery) -> bytes:
    """Return the body, the same at each try."""
    content: Mapping[str, Any] = {"id": str(row.pk), "event": row.about, **row.content}
    return json.dumps(content, separators=(",", ":")).encode()


def send(row: Delivery) -> Outcome:
    """Send a delivery once; within seconds there is an outcome."""
    webhook = Webhook.objects.filter(deliveries=row).first()
    if webhook is None:
        return Outcome("removed")
    try:
        checked_url(webhook.url, settings.WEBHOOK_HOSTS, is_local=settings.IS_LOCAL)
        secret = unseal(webhook.secret, owner=str(webhook.pk))
    except WrongAddress:
        return Outcome("not allowed")
    except WrongKey:
        return Outcome("secret cannot be opened")
    body, now = body_of(row), int(database_now().timestamp())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"PatClaimEval/{VERSION}",
        "webhook-id": str(row.pk),
        "webhook-timestamp": str(now),
        "webhook-signature": signature(secret, str(row.pk), now, body),
    }
    try:
        answer = exchange(
            "POST", webhook.url, body, headers, TIMEOUT_SECONDS, largest=0, connect=_reach
        )
    except _PrivateError:
        return Outcome("private address")
    except UntrustedError:
        return Outcome("no trusted certificate", may_help=True)
    except NoAnswerError as error:
        timed_out = str(error).startswith("no answer within")
        return Outcome("timeout" if timed_out else "no connection", may_help=True)
    is_sent = 200 <= answer.status < 300
    return Outcome(
        str(answer.status), is_sent, may_help=answer.status in _AGAIN or answer.status >= 500
    )


def _reach(host: str, port: int, timeout: float) -> socket.socket:
    """Connect to an address of the host's that was checked: no later answer of DNS counts."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    networks, is_local = settings.WEBHOOK_NETWORKS, settings.IS_LOCAL
    if not all(may_be_reached(one, networks, is_local=is_local) for one in addresses):
        raise _PrivateError
    *others, last = addresses
    for address in others:
        try:
            return socket.create_connection((address, port), timeout / len(addresses))
        except OSError:
            continue
    return socket.create_connection((last, port), timeout / len(addresses))
