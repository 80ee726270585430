"""`manage.py seal_second_factors`: has the SECRET_KEY of today alone open what is sealed."""

from typing import Any

from annotator.management.base import WorkbenchCommand
from annotator.operations.health.sealed_secrets import seal_anew


class Command(WorkbenchCommand):
    help = (
        "Seal secrets of second factors, webhooks and single sign-on with the SECRET_KEY of today. "
        "Needed once after the key was changed, while the old one stands in SECRET_KEY_FALLBACKS."
    )

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        return dict(seal_anew())

    def sentence(self, document: dict[str, Any]) -> str:
        text = f"{document['sealed']} sealed anew."
        if document["unopened"]:
            text += (
                f" {document['unopened']} cannot be opened: put the key of then into "
                "SECRET_KEY_FALLBACKS and run this again, or see `manage.py doctor`."
            )
        return text
