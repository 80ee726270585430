"""`manage.py doctor`: what is missing or unsafe in this installation, and how to mend it."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotator.operations.health.checks import examine
from annotator.operations.health.database import Finding, Level


class Command(BaseCommand):
    help = (
        "Look at settings, database, broker, workers, files and models; say what is missing and "
        "how to mend it. Exit 1 where something is missing; warnings alone exit 0."
    )
    # They would end the command where it should report what is wrong.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document to stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        findings = list(examine())
        is_whole = all(finding.level is not Level.MISSING for finding in findings)
        if options["json"]:
            self.stdout.write(json.dumps(_document(findings, is_whole)))
        else:
            for finding in findings:
                self.stdout.write(_line(finding))
            self.stdout.write(_summary(findings))
        if not is_whole:
            sys.exit(1)


def _line(finding: Finding) -> str:
    line = f"{finding.level.upper():8} {finding.part}: {finding.found}"
    return f"{line}\n         To mend it: {finding.mend}" if finding.mend else line


def _summary(findings: list[Finding]) -> str:
    counts = {level: sum(one.level is level for one in findings) for level in Level}
    return (
        f"{counts[Level.MISSING]} missing, {counts[Level.WARNING]} warnings, "
        f"{counts[Level.OK]} in order."
    )


def _document(findings: list[Finding], is_whole: bool) -> dict[str, Any]:
    return {
        "status": "ok" if is_whole else "not ok",
        "findings": [
            {"part": one.part, "level": one.level, "found": one.found, "mend": one.mend}
            for one in findings
        ],
    }
