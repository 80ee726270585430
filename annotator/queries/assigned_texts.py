"""The texts of one assignment, as its annotator may read them: no system and no candidate_id."""

from typing import Final

from annotator.models import Assignment, Candidate

TOLD: Final = (
    "claims",
    *(
        f"reference__{name}"
        for name in ("reference_id", "title", "office", "ipc", "language", "claims")
    ),
)


def assigned_candidate(assignment: Assignment) -> Candidate:
    """Return the candidate of an assignment with its reference; nothing else of them is loaded."""
    rows = Candidate.objects.select_related("reference").only(*TOLD)
    return rows.get(pk=assignment.candidate_id)
