"""The campaigns of these tests are rated in few statements, to the rows that the service writes."""

from typing import Any

import pytest
from django.db import models

from annotator.models import (
    Assignment,
    AuditEvent,
    Campaign,
    Candidate,
    Conflict,
    Rating,
    RatingRevision,
)
from tests.scoring.conftest import RatedCampaign, make_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]
# What is drawn, what is a time, and what says which campaign and person it is about.
OWN = {
    *("id", "campaign", "candidate", "annotator", "reference", "assignment", "rating", "actor"),
    *("object_id", "created_at", "submitted_at", "revised_at", "made_at", "at", "label"),
    *("position", "due_at"),
}


def rows_about(campaign: Campaign) -> dict[str, list[str]]:
    """Return all rows that ratings touch, without what differs between any two campaigns."""
    found: dict[str, models.QuerySet[Any]] = {
        "assignments": Assignment.objects.filter(campaign=campaign),
        "ratings": Rating.objects.filter(candidate__campaign=campaign),
        "revisions": RatingRevision.objects.filter(rating__candidate__campaign=campaign),
        "candidates": Candidate.objects.filter(campaign=campaign),
        "conflicts": Conflict.objects.filter(candidate__campaign=campaign),
        "acts": AuditEvent.objects.filter(campaign=campaign, object_type="rating"),
    }
    return {
        name: sorted(
            str({f.name: getattr(row, f.attname) for f in row._meta.fields if f.name not in OWN})
            for row in rows
        )
        for name, rows in found.items()
    }


def rated_one_by_one(scene: RatedCampaign, references: int) -> None:
    for reference in range(references):
        for number, score in ((1, 9), (2, 6), (3, 3)):
            for name in scene.people:
                scene.rate(name, reference, number, *[score] * 4)


def test_ratings_made_at_once_are_those_of_the_service(db) -> None:
    by_service, at_once = make_campaign(2, "service"), make_campaign(2, "once")
    rated_one_by_one(by_service, 2)
    at_once.rate_all(range(2))
    wanted = rows_about(by_service.campaign)
    assert (len(wanted["ratings"]), wanted["conflicts"]) == (12, [])
    assert rows_about(at_once.campaign) == wanted
    for rating in Rating.objects.filter(candidate__campaign=at_once.campaign):
        assert rating.assignment.candidate_id == rating.candidate_id
        assert rating.assignment.annotator_id == rating.annotator_id
        assert rating.submitted_at == rating.revised_at == rating.revisions.get().made_at
        act = AuditEvent.objects.get(object_id=str(rating.pk))
        assert (act.actor_id, act.campaign) == (rating.annotator_id, at_once.campaign)
