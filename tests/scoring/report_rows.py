"""Reports as rows, as finished jobs leave them, and what their pages say."""

import re
from typing import Any

from scoring.models import AgreementReport, DatasetVersion

CRITERION = "overall_quality"


def stored(
    version: DatasetVersion, document: dict[str, Any] | None, **more: Any
) -> AgreementReport:
    """Store a report as a finished job leaves it; without a document it waits."""
    names = list(document["scorers"]) if document else ["bleu-1"]
    asked = {"dataset_version": version, "criterion": CRITERION, "scorers": names}
    status, message = ("succeeded", "") if document else ("queued", "Waiting for a worker.")
    return AgreementReport.objects.create(
        **asked,
        split="test",
        tie_threshold=1e-4,
        result=document,
        status=status,
        message=message,
        **more,
    )


def words(html: str) -> str:
    """Return what a page says, without its marks."""
    return " ".join(re.sub("<[^>]+>", " ", html).split())
