"""`manage.py seal_second_factors`: has the SECRET_KEY of today alone open what is sealed."""

from typing import Any

from annotator.accounts.second_factor import seal_factors
from annotator.management.base import WorkbenchCommand
from annotator.webhooks.services import seal_webhooks


class Command(WorkbenchCommand):
    help = (
        "Seal secrets of second factors and webhooks with the SECRET_KEY of today. Needed once "
        "after the key was changed, while the old one stands in SECRET_KEY_FALLBACKS."
    )

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        factors, webhooks = seal_factors(), seal_webhooks()
        return {name: count + webhooks[name] for name, count in factors.items()}

    def sentence(self, document: dict[str, Any]) -> str:
        text = f"{document['sealed']} sealed anew."
        if document["unopened"]:
            text += (
                f" {document['unopened']} cannot be opened: put the key of then into "
                "SECRET_KEY_FALLBACKS and run this again, or reset them (reset_second_factor; a "
                "new secret on the page of webhooks)."
            )
        return text
