"""Assignments, ratings and their revisions."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotator.models.campaigns import Campaign
from annotator.models.claim_sets import Candidate
from annotator.rubric import CRITERIA, HIGHEST


class AssignmentStatus(models.TextChoices):
    OPEN = "open"
    SUBMITTED = "submitted"


class Assignment(models.Model):
    """One annotator's share of one candidate, with the lease for which it is theirs."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="assignments")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments"
    )
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="assignments")
    status = models.CharField(max_length=9, choices=AssignmentStatus, default=AssignmentStatus.OPEN)
    # The candidate's name on this annotator's screens: random, so that it tells no system.
    label = models.CharField(max_length=20)
    position = models.PositiveIntegerField(default=0)
    # No lease: assigned by name, theirs until withdrawn.
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["position", "created_at"]
        indexes = [
            models.Index(fields=["annotator", "status", "position"]),
            models.Index(fields=["campaign", "status"]),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "candidate"], name="candidate_once_per_annotator"
            )
        ]

    def __str__(self) -> str:
        return f"{self.label} for {self.annotator_id}"


class Scores(models.Model):
    """The four scores and the overall that follows, as an exact numerator over 11."""

    feature_completeness = models.PositiveSmallIntegerField()
    conceptual_clarity = models.PositiveSmallIntegerField()
    terminology_consistency = models.PositiveSmallIntegerField()
    logical_linkage = models.PositiveSmallIntegerField()
    overall_numerator = models.PositiveSmallIntegerField()
    comment = models.TextField(blank=True, default="")
    error_tags = models.JSONField(default=list, blank=True)

    class Meta:
        abstract = True

    @property
    def scores(self) -> dict[str, int]:
        return {criterion: getattr(self, criterion) for criterion in CRITERIA}


class Rating(Scores):
    """One annotator's four scores for one candidate, as they stand now."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    assignment = models.OneToOneField(Assignment, on_delete=models.PROTECT, related_name="rating")
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="ratings")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="ratings"
    )
    rubric_version = models.CharField(max_length=20)
    version = models.PositiveIntegerField(default=1)
    is_blind = models.BooleanField(default=True)
    submitted_at = models.DateTimeField()
    revised_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotator", "candidate"], name="one_rating_each"),
            *(
                models.CheckConstraint(
                    condition=Q(**{f"{criterion}__lte": HIGHEST}),
                    name=f"rating_{criterion}_range",
                )
                for criterion in CRITERIA
            ),
            models.CheckConstraint(
                condition=Q(
                    overall_numerator=4 * models.F("feature_completeness")
                    + 2 * models.F("conceptual_clarity")
                    + 2 * models.F("terminology_consistency")
                    + 3 * models.F("logical_linkage")
                ),
                name="rating_overall_is_weighted_sum",
            ),
        ]

    def __str__(self) -> str:
        return f"rating of {self.candidate_id} by {self.annotator_id}"


class RatingRevision(Scores):
    """A rating as it was submitted or revised; rows are added and never changed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    rating = models.ForeignKey(Rating, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["rating", "number"], name="revision_number_once")
        ]

    def __str__(self) -> str:
        return f"revision {self.number} of {self.rating_id}"


class IdempotencyKey(models.Model):
    """A request that was answered, so that sending it again has one effect and one answer."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    request_sha256 = models.CharField(max_length=64)
    rating = models.ForeignKey(Rating, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="key_once_per_user")]

    def __str__(self) -> str:
        return self.key
