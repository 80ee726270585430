"""Schedules of a campaign, the chains that they begin, and what became of each criterion."""

import uuid

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotator.models import Campaign, User
from scoring.models.datasets import DatasetVersion, Freeze
from scoring.models.promotions import Promotion
from scoring.models.reports import AgreementReport
from scoring.models.runs import ModelVersion, TrainingRun


class Schedule(models.Model):
    """From being switched on to being switched off; a campaign has one at a time.

    All of it is done in the name of who switched it on, by the rights that they have then.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="schedules")
    switched_on_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    # One of both: how many newly settled candidates, or the hour of the day, UTC.
    after_settled = models.PositiveIntegerField(null=True)
    at_hour = models.PositiveSmallIntegerField(null=True)
    # Its test references are tested in all reports of the schedule, and never train.
    first_version = models.ForeignKey(DatasetVersion, on_delete=models.PROTECT, related_name="+")
    # Whether promotion is requested where concerns stand in the request for the admin to read.
    asks_with_concerns = models.BooleanField(default=False)
    # How many candidates the first version had: what is settled later is new.
    settled = models.PositiveIntegerField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    # When a sweeper last looked whether it is due.
    looked_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    # None where it ended by itself, for the reason beside it.
    ended_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    ended_because = models.TextField(blank=True, default="")

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign"], condition=Q(ended_at=None), name="schedule_once_in_campaign"
            ),
            models.CheckConstraint(
                condition=Q(after_settled=None, at_hour__isnull=False)
                | Q(after_settled__isnull=False, at_hour=None),
                name="schedule_by_count_or_hour",
            ),
        ]

    def __str__(self) -> str:
        return f"schedule {self.pk} of {self.campaign_id}"


class ChainStatus(models.TextChoices):
    FREEZING = "freezing"
    TRAINING = "training"
    REPORTING = "reporting"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


class Chain(models.Model):
    """One time that a schedule freezes, trains, reports, compares and requests promotions.

    Each of its jobs is a row of its own kind, named here in the transaction that made it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    schedule = models.ForeignKey(Schedule, on_delete=models.PROTECT, related_name="chains")
    status = models.CharField(max_length=9, choices=ChainStatus, default=ChainStatus.FREEZING)
    # How many candidates were settled when it began.
    settled = models.PositiveIntegerField()
    freeze = models.ForeignKey(Freeze, on_delete=models.PROTECT, null=True, related_name="+")
    # Why it ended before its end.
    message = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["schedule"], condition=Q(finished_at=None), name="chain_once_in_schedule"
            )
        ]

    def __str__(self) -> str:
        return f"chain {self.pk}: {self.status}"


class Outcome(models.TextChoices):
    REQUESTED = "requested", "promotion requested"
    WORSE = "worse", "worse: not requested"
    CONCERNS = "concerns", "concerns: not requested"
    UNCOMPARED = "uncompared", "not compared"
    SAME = "same", "the same model"
    FAILED = "failed", "failed"


class ChainStep(models.Model):
    """What a chain does for one criterion: a run, a report beside the promoted model, an outcome.

    `outcome` is "" until it is known.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    chain = models.ForeignKey(Chain, on_delete=models.PROTECT, related_name="steps")
    criterion = models.CharField(max_length=30)
    # What was promoted when the chain came to train.
    promoted = models.ForeignKey(ModelVersion, on_delete=models.PROTECT, related_name="+")
    run = models.ForeignKey(TrainingRun, on_delete=models.PROTECT, null=True, related_name="+")
    report = models.ForeignKey(
        AgreementReport, on_delete=models.PROTECT, null=True, related_name="+"
    )
    promotion = models.ForeignKey(Promotion, on_delete=models.PROTECT, null=True, related_name="+")
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True, default="")
    # How the two compare, or why that is not known.
    sentence = models.TextField(blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["chain", "criterion"], name="criterion_once_in_chain")
        ]

    def __str__(self) -> str:
        return f"{self.criterion} of {self.chain_id}: {self.outcome}"
