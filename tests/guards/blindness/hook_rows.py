"""A webhook of a crawled campaign, with a delivery that waits."""

from typing import Final

from annotator.models import Campaign, User, Webhook
from annotator.outgoing.queue import queue_for
from annotator.webhooks.services import add_webhook

HOST: Final = "hooks.example.org"


def hook_row(mark: str, campaign: Campaign, admin: User) -> Webhook:
    """Return the webhook, whose address bears the mark."""
    url = f"https://{HOST}/{mark}hookaddress"
    row = add_webhook(campaign=campaign, url=url, events=["freeze", "settled"], by=admin).row
    queue_for(row, "freeze", state="succeeded")
    return row
