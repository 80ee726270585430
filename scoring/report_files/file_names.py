"""Names and types of the files that a report leaves in."""

import re
from collections.abc import Mapping
from typing import Any, Final

TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "latex": "application/x-tex; charset=utf-8",
}
ENDS: Final = {"html": "html", "csv": "csv", "json": "json", "latex": "tex"}
LONGEST: Final = 60


def file_name(document: Mapping[str, Any], wanted: str) -> str:
    """Name the file of a report.

    Input: a finished report and a format of TYPES. Output: letters, digits, - and . alone, such as
    agreement-cups-1-overall-quality-test.csv.
    """
    question = document["question"]
    words = (question["dataset"], question["criterion"], question["split"])
    safe = "-".join(re.sub("[^A-Za-z0-9]+", "-", str(word)).strip("-")[:LONGEST] for word in words)
    return f"agreement-{safe}.{ENDS[wanted]}"
