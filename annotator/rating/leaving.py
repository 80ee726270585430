"""What a skip, a recusal and the loss of a draft would do, as the page that asks says it."""

from typing import Final

from django.shortcuts import resolve_url

from annotator.access.locks import NOT_GIVEN
from annotator.models import Assignment, Draft, Rating
from annotator.rating.queries import TAKEN_BACK_WITHIN, open_of_reference
from annotator.rating_values import ERROR_TAGS, texts_of
from annotator.reading import read_tags
from core.confirmation import Confirmation
from core.errors import OutOfDate
from patclaimeval.claims.openings import opening_of
from patclaimeval.plurals import counted
from patclaimeval.rubric import CRITERIA

MINUTES: Final = TAKEN_BACK_WITHIN.seconds // 60
NOTHING_OPEN: Final = "Nothing of this reference is open for you any more."


def about_skip(assignment: Assignment) -> Confirmation:
    """Return what is asked before a candidate is skipped; OutOfDate in a closed campaign."""
    _refuse_closed(assignment)
    return Confirmation(
        question=f"Skip {assignment.label}?",
        count="1 candidate",
        effect="goes back unrated, free for other annotators. What you typed stays your draft, "
        "which nobody else sees.",
        undo="You can take it back while nobody else has taken it.",
        act="Skip the candidate",
        leave="Keep it",
        back=resolve_url("annotator:rate", assignment.pk),
        subjects=_subjects(assignment),
    )


def about_recusal(assignment: Assignment) -> Confirmation:
    """Return what is asked before a recusal; OutOfDate where nothing is left to give away."""
    _refuse_closed(assignment)
    rows = open_of_reference(assignment)
    count, drafts = rows.count(), rows.filter(draft__isnull=False).count()
    if not count:
        raise OutOfDate(NOTHING_OPEN)
    reference = assignment.candidate.reference
    typed = f", {drafts} of them with a draft of yours, which nobody sees" if drafts else ""
    return Confirmation(
        question=f"Recuse yourself from {reference.reference_id}?",
        count=counted(count, "open candidate"),
        effect=f"of {reference.reference_id} {'goes' if count == 1 else 'go'} to other "
        f"annotators{typed}. What you have rated stays.",
        undo=f"You can take this back for {MINUTES} minutes, as far as nobody has begun with what "
        "you gave away.",
        act=f"Give {counted(count, 'candidate')} away",
        leave="Keep it" if count == 1 else "Keep them",
        back=resolve_url("annotator:rate", assignment.pk),
        subjects=_subjects(assignment)[:1],
    )


def about_discarding(assignment: Assignment, draft: Draft, version: int | None) -> Confirmation:
    """Return what is asked before a draft is deleted; `version` is the one that was looked at."""
    typed, candidate = draft.typed, assignment.candidate
    texts = {"candidate": candidate.claims, "reference": candidate.reference.claims}
    scores = sum(bool(typed.get(name)) for name in CRITERIA)
    tags = len(read_tags(str(typed.get(ERROR_TAGS, "")), texts))
    parts = [counted(scores, "score")] * bool(scores) + [counted(tags, "error tag")] * bool(tags)
    parts += [f"your {name}" for name, text in texts_of(typed).items() if text.strip()]
    is_revision = Rating.objects.filter(assignment=assignment).exists()
    return Confirmation(
        question=f"Discard the draft of {assignment.label}?",
        count=", ".join(parts) or "1 draft",
        effect="will be deleted." + " What you submitted before stays." * is_revision,
        undo="This cannot be taken back.",
        act="Discard the draft",
        leave="Keep it",
        back=resolve_url("annotator:rate", assignment.pk),
        sent=() if version is None else (("draft_version", str(version)),),
        subjects=_subjects(assignment),
    )


def _subjects(assignment: Assignment) -> tuple[tuple[str, str], ...]:
    """Name the reference and the candidate by words that the rate page shows, too."""
    candidate = assignment.candidate
    reference = candidate.reference
    return (
        ("Reference", reference.title or opening_of(reference.claims) or reference.reference_id),
        (assignment.label, opening_of(candidate.claims)),
    )


def _refuse_closed(assignment: Assignment) -> None:
    if not assignment.campaign.is_open:
        raise OutOfDate(NOT_GIVEN)
