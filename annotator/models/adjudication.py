"""Conflicts, rounds that ask annotators again, and rulings with the values that follow."""

import uuid

from django.conf import settings
from django.db import models

from annotator.models.assignments import Assignment
from annotator.models.campaigns import Campaign
from annotator.models.claim_sets import Candidate
from annotator.models.keyed import Keyed
from annotator.models.ratings import Rating


class ConflictKind(models.TextChoices):
    CRITERION_GAP = "criterion_gap"
    OVERALL_GAP = "overall_gap"
    ORDER_FLIP = "order_flip"


class ConflictStatus(models.TextChoices):
    OPEN = "open"
    WAITING = "waiting"  # annotators have been asked first: see Round
    LAPSED = "lapsed"  # a revision made the ratings agree again
    RULED = "ruled"  # an adjudicator decided; only a voided signature opens it again


# Neither settled nor gone: what stays out of a freeze.
UNSETTLED = (ConflictStatus.OPEN, ConflictStatus.WAITING)


class Conflict(Keyed):
    """Ratings of one candidate, or of two of one reference, that differ beyond the rules.

    Of order flips each candidate's widest has a row, shared by two that are each other's widest.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="conflicts")
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="conflicts")
    other_candidate = models.ForeignKey(
        Candidate, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    kind = models.CharField(max_length=13, choices=ConflictKind)
    criterion = models.CharField(max_length=30, blank=True, default="")
    # Rating points for a criterion, numerators over 11 for the overall kinds.
    gap = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=7, choices=ConflictStatus, default=ConflictStatus.OPEN)
    # Under which rules of the campaign it was found last.
    rules_version = models.PositiveIntegerField(default=1)
    opened_at = models.DateTimeField()

    class Meta:
        constraints = [
            # Two constraints, because SQLite cannot call two NULLs equal.
            models.UniqueConstraint(
                fields=["candidate", "kind", "criterion"],
                condition=models.Q(other_candidate__isnull=True),
                name="conflict_once",
            ),
            models.UniqueConstraint(
                fields=["candidate", "other_candidate", "kind"],
                condition=models.Q(other_candidate__isnull=False),
                name="order_flip_once",
            ),
        ]
        indexes = [models.Index(fields=["campaign", "status"])]

    @property
    def pair(self) -> tuple[uuid.UUID, ...]:
        """The ids of its candidates: one, or the two of an order flip."""
        return tuple(pk for pk in (self.candidate_id, self.other_candidate_id) if pk)


class RoundKind(models.TextChoices):
    LADDER = "ladder", "a further annotator, by the campaign's rules"
    ANOTHER = "another", "a further annotator, asked by an adjudicator"
    AGAIN = "again", "the same annotators look again"


class Round(Keyed):
    """One time that annotators are asked about a candidate; the first rating was round one."""

    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="rounds")
    conflict = models.ForeignKey(
        Conflict, on_delete=models.PROTECT, null=True, related_name="rounds"
    )
    number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=7, choices=RoundKind)
    # What the adjudicator wants looked at; the same text for every annotator asked.
    question = models.TextField(blank=True, default="")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    made_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["candidate", "number"], name="round_once"),
            models.UniqueConstraint(
                fields=["candidate"],
                condition=models.Q(finished_at__isnull=True),
                name="one_unfinished_round_each",
            ),
        ]


class SecondLook(models.Model):
    """One annotator's part of a round in which the same annotators look again."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="second_looks")
    assignment = models.ForeignKey(
        Assignment, on_delete=models.PROTECT, related_name="second_looks"
    )
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "assignment"], name="second_look_once")
        ]


class Turn(models.Model):
    """An adjudicator's lease on a candidate: its ratings rest meanwhile, and nobody else rules."""

    candidate = models.OneToOneField(Candidate, on_delete=models.CASCADE, related_name="turn")
    adjudicator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="turns"
    )
    taken_at = models.DateTimeField()
    expires_at = models.DateTimeField()


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


class Adjudication(Keyed):
    """One signed decision of a conflict; rows are added, and only ever voided."""

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
    # The signature: who, what it means as text, and the digest of all of the above.
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

    @property
    def is_valid(self) -> bool:
        return self.voided_at is None


class PreparedRuling(Keyed):
    """A ruling decided, but not signed yet: its adjudicator's alone, as a draft is.

    Changed, it is another row: what is signed is what its adjudicator had before them.
    """

    conflict = models.ForeignKey(Conflict, on_delete=models.CASCADE, related_name="prepared")
    adjudicator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="prepared_rulings"
    )
    decision = models.CharField(max_length=6, choices=Decision)
    # The rating that is taken, by its id: whether it still is one of the conflict, signing finds.
    rating_id = models.UUIDField(null=True)
    scores = models.JSONField(null=True)
    other_scores = models.JSONField(null=True)
    reason_code = models.CharField(max_length=20, choices=RulingReason)
    reason = models.TextField()
    has_guideline_gap = models.BooleanField(default=False)
    # Which ratings were read, as the page of the conflict sends it.
    seen = models.CharField(max_length=64)
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["made_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["conflict", "adjudicator"], name="prepared_once_per_adjudicator"
            )
        ]


class Ruling(Keyed):
    """The values that an adjudication gives one candidate; one valid ruling each."""

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
