"""Campaigns as they lie in a database after a while, stored some thousand rows at a time."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from annotator.models import (
    Assignment,
    Campaign,
    Candidate,
    Membership,
    Rating,
    RatingRevision,
    Reference,
    User,
)
from annotator.rubric import overall_numerator

BATCH = 2_000
# Each after those that it names.
ORDER = (Reference, Candidate, Assignment, Rating, RatingRevision)


def member(campaign: Campaign, name: str, role: str = "annotator") -> User:
    """Return a new person with a role in the campaign."""
    user = User.objects.create(username=name)
    Membership.objects.create(campaign=campaign, user=user, role=role)
    return user


class RatedRows:
    """Rows of one campaign that wait to be stored; all ratings are of one moment."""

    def __init__(self, campaign: Campaign, at: Any = None) -> None:
        self.campaign = campaign
        self._at = at or timezone.now()
        self._rows: defaultdict[type, list[Any]] = defaultdict(list)
        self._assignments = 0

    def reference(self, number: int, claims: str, **more: Any) -> Reference:
        """Add a reference; what stood before it is stored where it is enough."""
        if sum(map(len, self._rows.values())) >= BATCH:
            self.store()
        named = {"reference_id": f"r{number:07}", "claims_sha256": f"{number:064}"}
        row = Reference(campaign=self.campaign, claims=claims, position=number, **named, **more)
        return self._add(row)

    def candidate(self, reference: Reference, number: int, claims: str, **more: Any) -> Candidate:
        """Add a candidate, which has all its ratings unless `more` says otherwise."""
        named = {"candidate_id": f"c{number}", "claims_sha256": f"{number:064}"}
        place = {"queue_position": reference.position, "has_room": False}
        row = Candidate(
            campaign=self.campaign, reference=reference, claims=claims, **named, **(place | more)
        )
        return self._add(row)

    def assignment(self, candidate: Candidate, user: User, status: str = "open") -> Assignment:
        """Add an assignment, by default one that is still to be rated."""
        self._assignments += 1
        return self._add(
            Assignment(
                campaign=self.campaign,
                annotator=user,
                candidate=candidate,
                label=f"Candidate {self._assignments}",
                position=self._assignments,
                status=status,
            )
        )

    def rating(
        self,
        candidate: Candidate,
        user: User,
        scores: Mapping[str, int],
        revisions: int = 0,
        **more: Any,
    ) -> Rating:
        """Add a rating with its assignment, and so many revisions of it."""
        values = {**scores, "overall_numerator": overall_numerator(scores), **more}
        row = Rating(
            assignment=self.assignment(candidate, user, "submitted"),
            candidate=candidate,
            annotator=user,
            rubric_version=self.campaign.rubric_version,
            version=max(1, revisions),
            submitted_at=self._at,
            revised_at=self._at,
            **values,
        )
        for number in range(1, revisions + 1):
            self._add(RatingRevision(rating=row, number=number, made_at=self._at, **values))
        return self._add(row)

    def store(self) -> None:
        """Store what waits."""
        for model in ORDER:
            model.objects.bulk_create(self._rows.pop(model, []), batch_size=500)

    def _add(self, row: Any) -> Any:
        self._rows[type(row)].append(row)
        return row
