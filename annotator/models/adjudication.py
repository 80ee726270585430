"""Conflicts: measured disagreement between annotators."""

import uuid

from django.db import models

from annotator.models.campaigns import Campaign
from annotator.models.claim_sets import Candidate


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


class Conflict(models.Model):
    """Ratings of one candidate, or of two of one reference, that differ beyond the rules.

    Of order flips each candidate's widest has a row, shared by two that are each other's widest; so
    a row's pair may become another one as long as nobody has signed it or sent it back.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
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

    def __str__(self) -> str:
        return f"{self.kind} {self.criterion} on {self.candidate_id}"
