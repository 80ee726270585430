"""`manage.py verify_audit`: whether the audit trail is what it was when it was written."""

from typing import Any

from django.core.management.base import CommandParser

from annotator.audit_pages.queries import Head, verify_chain
from annotator.management.base import WorkbenchCommand


class Command(WorkbenchCommand):
    help = "Work out every seal of the audit trail again; exit 1 at the first that does not fit."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--head",
            default="",
            metavar="SEQ:SHA",
            help="a head printed earlier and kept elsewhere; shows that the end was not cut off",
        )

    def is_bad(self, document: dict[str, Any]) -> bool:
        return not document["ok"]

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        verdict = verify_chain(Head.read(options["head"]) if options["head"] else None)
        return {
            "ok": verdict.is_sound,
            "head": str(verdict.head) if verdict.head else None,
            "first_bad": verdict.first_bad,
            "why": verdict.why,
        }

    def sentence(self, document: dict[str, Any]) -> str:
        if document["ok"]:
            advice = "Keep this head outside of the database:"
            return f"The audit trail is whole. {advice}\n{document['head'] or '(no entry yet)'}"
        return (
            f"The audit trail was changed: {document['why']}.\n"
            f"Sound up to: {document['head'] or 'nothing'}"
        )
