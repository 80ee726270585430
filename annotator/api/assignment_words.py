"""What an annotator's program is told of an assignment: blind, as the page is."""

from dataclasses import asdict
from typing import Any

from annotator.models import Assignment
from annotator.rubric import RUBRIC, RUBRIC_VERSION


def assignment_words(assignment: Assignment) -> dict[str, Any]:
    """Return the assignment as JSON values: no system, no candidate_id, nobody else's rating."""
    candidate = assignment.candidate
    reference = candidate.reference
    return {
        "id": str(assignment.pk),
        "campaign": assignment.campaign.slug,
        "reference": {
            "reference_id": reference.reference_id,
            "title": reference.title,
            "office": reference.office,
            "ipc": reference.ipc,
            "language": reference.language,
            "claims": reference.claims,
        },
        "candidate": {"label": assignment.label, "claims": candidate.claims},
        "rubric": {"version": RUBRIC_VERSION, "criteria": [asdict(entry) for entry in RUBRIC]},
        "lease_expires_at": assignment.lease_expires_at and assignment.lease_expires_at.isoformat(),
    }
