"""Builders of rulings."""

from typing import Any

from annotator.adjudication.rulings.services import rule
from annotator.models import Adjudication, Conflict, User

PASSWORD = "a long enough phrase"


def decide(
    conflict: Conflict, adjudicator: User, decision: str = "mean", **more: Any
) -> Adjudication:
    said = {"reason_code": "overlooked", "reason": "Claim 2 was overlooked.", "password": PASSWORD}
    return rule(
        conflict_id=conflict.pk, adjudicator=adjudicator, decision=decision, **(said | more)
    )
