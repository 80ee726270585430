"""`manage.py doctor`: what is missing or unsafe in this installation, and how to mend it."""

from collections import Counter
from dataclasses import asdict
from typing import Any

from annotator.management.base import WorkbenchCommand
from annotator.operations.health.checks import examine
from annotator.operations.health.database import Level
from patclaimeval.plurals import counted


class Command(WorkbenchCommand):
    help = (
        "Look at settings, database, broker, workers, files and models; say what is missing and "
        "how to mend it. Exit 1 where something is missing; warnings alone exit 0."
    )
    # They would end the command where it should report what is wrong.
    requires_system_checks = []

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        findings = [asdict(finding) for finding in examine()]
        is_whole = all(one["level"] is not Level.MISSING for one in findings)
        return {"status": "ok" if is_whole else "not ok", "findings": findings}

    def is_bad(self, document: dict[str, Any]) -> bool:
        return bool(document["status"] != "ok")

    def sentence(self, document: dict[str, Any]) -> str:
        counts = Counter(one["level"] for one in document["findings"])
        lines = [_line(**one) for one in document["findings"]]
        return "\n".join(
            [
                *lines,
                f"{counts[Level.MISSING]} missing, {counted(counts[Level.WARNING], 'warning')}, "
                f"{counts[Level.OK]} in order.",
            ]
        )


def _line(part: str, level: Level, found: str, mend: str) -> str:
    line = f"{level.upper():8} {part}: {found}"
    return f"{line}\n         To mend it: {mend}" if mend else line
