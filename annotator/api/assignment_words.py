"""What an annotator's program is told of an assignment: blind, as the page is."""

from dataclasses import asdict
from typing import Any, Final

from annotator.models import Assignment
from annotator.queries.assigned_texts import assigned_candidate
from annotator.rubric import RUBRIC, RUBRIC_VERSION

RUBRIC_WORDS: Final = {"version": RUBRIC_VERSION, "criteria": [asdict(entry) for entry in RUBRIC]}


def assignment_words(assignment: Assignment) -> dict[str, Any]:
    """Return the assignment as JSON values: no system, no candidate_id, nobody else's rating."""
    candidate = assigned_candidate(assignment)
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
        "rubric": RUBRIC_WORDS,
        "lease_expires_at": assignment.lease_expires_at and assignment.lease_expires_at.isoformat(),
    }
