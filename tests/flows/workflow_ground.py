"""What the workflow machine stands on: one campaign in the database, and its model beside it."""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis.stateful import RuleBasedStateMachine

from annotator.models import Assignment, Campaign, Candidate, Conflict, User
from core.errors import Forbidden, OutOfDate, Refused
from tests.conftest import grant, make_reference, make_user
from tests.flows.workflow_model import ADJUDICATORS, ANNOTATORS, Key, Late, NotTheirs, Wrong
from tests.flows.workflow_rulings import Rulings

PASSWORD: Final = "a long enough phrase"
# Candidates are given out by their keys, and a run that is tried again must go the same way.
KEYS: Final = tuple(UUID(int=number) for number in (1, 2, 3, 4))
SAME: Final = {Late: OutOfDate, NotTheirs: Forbidden, Wrong: Refused}


class Ground(RuleBasedStateMachine):
    """Two references of two candidates, three annotators, two adjudicators."""

    has_ladder = False

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0
        self.undone = transaction.atomic()
        self.undone.__enter__()
        self.campaign = Campaign.objects.create(
            slug="machine", name="Machine", has_ladder=self.has_ladder
        )
        self.people: dict[str, User] = {"ada": make_user("ada")}
        for role, names in (("annotator", ANNOTATORS), ("adjudicator", ADJUDICATORS)):
            for name in names:
                self.people[name] = grant(make_user(name), self.campaign, role)
        grant(self.people["ada"], self.campaign, "admin")
        for judge in ADJUDICATORS:
            self.people[judge].set_password(PASSWORD)
            self.people[judge].save()
        self.references = [
            make_reference(self.campaign, f"r{n}", 2, KEYS[n :: len(KEYS) // 2]) for n in range(2)
        ]
        self.campaign.references.update(may_train=True)
        rows = Candidate.objects.filter(campaign=self.campaign)
        self.candidates = {one.pk.hex: one for one in rows}
        numbers = {one.pk: number for number, one in enumerate(self.references)}
        self.model = Rulings(
            self.has_ladder,
            {key: numbers[one.reference_id] for key, one in sorted(self.candidates.items())},
            places={key: one.places for key, one in self.candidates.items()},
        )

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.undone.__exit__(None, None, None)

    def same(self, by_model: Callable[[], object], by_services: Callable[[], object]) -> None:
        """Let the model and the services do the same; both do it, or both refuse it alike."""
        why: type[Exception] | None = None
        try:
            by_model()
        except (Late, NotTheirs, Wrong) as error:
            why = SAME[type(error)]
        if why is None:
            by_services()
        else:
            with pytest.raises(why):
                by_services()

    def share(self, pick: int) -> tuple[str, str]:
        return sorted(self.model.shares)[pick % len(self.model.shares)]

    def row(self, person: str, one: str) -> Assignment:
        rows = Assignment.objects.select_related("campaign", "candidate__reference")
        return rows.get(annotator=self.people[person], candidate=self.candidates[one])

    def conflict(self, pick: int) -> tuple[Key, Any]:
        """Return one of the conflicts by the model's key, and its id."""
        key = sorted(self.model.conflicts)[pick % len(self.model.conflicts)]
        kind, one, other, criterion = key
        found = Conflict.objects.get(
            kind=kind,
            candidate=self.candidates[one],
            other_candidate=self.candidates[other] if other else None,
            criterion=criterion,
        )
        return key, found.pk
