"""Rulings: who has a conflict open, what was decided and signed, and the values that follow."""

import uuid

from django.conf import settings
from django.db import models

from annotator.models.adjudication import Conflict
from annotator.models.claim_sets import Candidate
from annotator.models.ratings import Rating


class Turn(models.Model):
    """An adjudicator's lease on a candidate: its ratings rest meanwhile, and nobody else rules."""

    candidate = models.OneToOneField(Candidate, on_delete=models.CASCADE, related_name="turn")
    adjudicator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="turns"
    )
    taken_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"turn of {self.adjudicator_id} on {self.candidate_id}"


class Decision(models.TextChoices):
    TAKE = "take", "one annotator's rating is taken"
    MEAN = "mean", "the mean of the ratings"
    SCORES = "scores", "new scores"


class RulingReason(models.TextChoices):
    FOLLOWS_RUBRIC = "follows-rubric", "one rating follows the rubric more closely"
    OVERLOOKED = "overlooked", "something in the claims was overlooked"
    READ_DIFFERENTLY = "read-differently", "the bands were read differently"
    BOTH_DEFENSIBLE = "both-defensible", "the ratings can both be defended"
    SLIP = "slip", "a slip: a wrong key, or the wrong text"
    OTHER = "other", "another reason"


class Adjudication(models.Model):
    """One signed decision of a conflict; rows are added, and only ever voided."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conflict = models.ForeignKey(Conflict, on_delete=models.PROTECT, related_name="adjudications")
    adjudicator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="adjudications"
    )
    decision = models.CharField(max_length=6, choices=Decision)
    reason_code = models.CharField(max_length=20, choices=RulingReason)
    reason = models.TextField()
    has_guideline_gap = models.BooleanField(default=False)
    # What was decided upon: [{"rating", "version"}], sorted by rating.
    ratings_seen = models.JSONField()
    made_at = models.DateTimeField()
    # The signature: who, what it means in words, and the digest of all of the above.
    signed_as = models.CharField(max_length=150)
    meaning = models.TextField()
    record_sha256 = models.CharField(max_length=64)
    voided_at = models.DateTimeField(null=True, blank=True)
    voided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    voided_because = models.TextField(blank=True, default="")

    class Meta:
        ordering = ["made_at"]

    def __str__(self) -> str:
        return f"{self.decision} on {self.conflict_id}"

    @property
    def is_valid(self) -> bool:
        return self.voided_at is None


class Ruling(models.Model):
    """The values that an adjudication gives one candidate; one valid ruling each."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    adjudication = models.ForeignKey(Adjudication, on_delete=models.PROTECT, related_name="rulings")
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="rulings")
    # The rating that was taken; none for a mean or new scores.
    rating = models.ForeignKey(
        Rating, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    # Points of all five criteria as exact fractions in text: {"overall_quality": "83/11", ...}.
    scores = models.JSONField()
    is_valid = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["candidate"],
                condition=models.Q(is_valid=True),
                name="one_valid_ruling_each",
            )
        ]

    def __str__(self) -> str:
        return f"ruling on {self.candidate_id}"
