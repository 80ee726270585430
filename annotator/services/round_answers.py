"""Writes of what ends a round: the further annotator has rated, or all have looked again."""

from datetime import datetime

from annotator.models import Assignment, Round, RoundKind, SecondLook


def answer_by_rating(*, assignment: Assignment, now: datetime) -> None:
    """End the round that asked for a further annotator: one more has rated the candidate."""
    rows = Round.objects.filter(candidate=assignment.candidate_id, finished_at=None)
    rows.exclude(kind=RoundKind.AGAIN).update(finished_at=now)


def answer_by_second_look(*, assignment: Assignment, now: datetime) -> None:
    """Note that an annotator has looked again; the round ends with the last of them."""
    looks = SecondLook.objects.filter(round__candidate=assignment.candidate_id)
    here = looks.filter(round__finished_at=None)
    here.filter(assignment=assignment, answered_at=None).update(answered_at=now)
    if not here.filter(answered_at=None).exists():
        rows = Round.objects.filter(candidate=assignment.candidate_id, finished_at=None)
        rows.filter(kind=RoundKind.AGAIN).update(finished_at=now)
