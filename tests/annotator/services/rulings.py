"""Builders of rulings."""

from typing import Any

from annotator.models import Adjudication, Conflict, User
from annotator.services.adjudication import rule

PASSWORD = "a long enough phrase"


def decide(
    conflict: Conflict, adjudicator: User, decision: str = "mean", **more: Any
) -> Adjudication:
    said = {"reason_code": "overlooked", "reason": "Claim 2 was overlooked.", "password": PASSWORD}
    return rule(
        conflict_id=conflict.pk, adjudicator=adjudicator, decision=decision, **(said | more)
    )
