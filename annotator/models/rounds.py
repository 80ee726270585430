"""Rounds: annotators are asked once more before a conflict is ruled."""

import uuid

from django.conf import settings
from django.db import models

from annotator.models.adjudication import Conflict
from annotator.models.assignments import Assignment
from annotator.models.claim_sets import Candidate


class RoundKind(models.TextChoices):
    LADDER = "ladder", "a further annotator, by the campaign's rules"
    ANOTHER = "another", "a further annotator, asked by an adjudicator"
    AGAIN = "again", "the same annotators look again"


class Round(models.Model):
    """One time that annotators are asked about a candidate; the first rating was round one."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="rounds")
    conflict = models.ForeignKey(
        Conflict, on_delete=models.PROTECT, null=True, related_name="rounds"
    )
    number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=7, choices=RoundKind)
    # What the adjudicator wants looked at; the same words for every annotator asked.
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

    def __str__(self) -> str:
        return f"round {self.number} on {self.candidate_id}"


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

    def __str__(self) -> str:
        return f"second look of {self.assignment_id}"
