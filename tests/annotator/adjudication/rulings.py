"""Builders of rulings."""

from typing import Any

from django.utils import timezone

from annotator.adjudication.rulings.services import rule
from annotator.models import Adjudication, Conflict, Ruling, User
from patclaimeval.rubric import ALL_CRITERIA

PASSWORD = "a long enough phrase"


RULING = {"reason_code": "overlooked", "reason": "Claim 2 was overlooked.", "password": PASSWORD}


def decide(
    conflict: Conflict, adjudicator: User, decision: str = "mean", **more: Any
) -> Adjudication:
    given = RULING | more
    return rule(conflict_id=conflict.pk, adjudicator=adjudicator, decision=decision, **given)


def store_ruling(
    conflict: Conflict, adjudicator: User, value: str, decision: str = "scores", **more: Any
) -> Adjudication:
    """Store a ruling that gives the candidate this value throughout; nobody has signed it."""
    row = Adjudication.objects.create(
        conflict=conflict,
        adjudicator=adjudicator,
        decision=decision,
        ratings_seen=[],
        made_at=timezone.now(),
    )
    scores = dict.fromkeys(ALL_CRITERIA, value)
    Ruling.objects.create(adjudication=row, candidate=conflict.candidate, scores=scores, **more)
    return row
