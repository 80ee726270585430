"""Metric scores and the agreement reports made of them."""

import uuid
from typing import ClassVar

from django.db import models

from annotator.models import User
from core.jobs.rows import JobRow, JobStatus
from scoring.models.datasets import DatasetVersion


class MetricScore(models.Model):
    """One number per scorer, reference and candidate, however many quadruplets hold the pair.

    A scorer that reads drafts has one per draft; for all others the draft's digest is "".
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    scorer = models.CharField(max_length=200)
    reference_sha256 = models.CharField(max_length=64)
    candidate_sha256 = models.CharField(max_length=64)
    draft_sha256 = models.CharField(max_length=64, blank=True, default="")
    value = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scorer", "reference_sha256", "candidate_sha256", "draft_sha256"],
                name="score_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.scorer}: {self.value}"


class AgreementReport(JobRow):
    """Agreement of scorers with people on one dataset version; screens only read it."""

    event: ClassVar[str] = "report"
    campaign_path: ClassVar[str] = "dataset_version.dataset.campaign_id"
    asker_path: ClassVar[str] = "requested_by_id"

    dataset_version = models.ForeignKey(
        DatasetVersion, on_delete=models.PROTECT, related_name="reports"
    )
    criterion = models.CharField(max_length=30)
    scorers = models.JSONField()
    split = models.CharField(max_length=10)
    tie_threshold = models.FloatField()
    resamples = models.PositiveIntegerField(default=1000)
    seed = models.PositiveBigIntegerField(default=0)
    # Whether the document may show which system made a candidate: decided when it is asked for.
    has_systems = models.BooleanField(default=False)
    # Whether items that rest on ratings of an admin of the campaign count (TRUST, B8).
    has_admins = models.BooleanField(default=False)
    # Scored on the queue of the neural scorers, where a training may be before it.
    is_neural = models.BooleanField(default=False)
    # Of everything that decides the document; "" where it may be asked for again.
    question_sha256 = models.CharField(max_length=64, blank=True, default="")
    stage = models.CharField(max_length=60, blank=True, default="")
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    requested_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    result = models.JSONField(null=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["question_sha256"],
                condition=models.Q(
                    cancel_requested=False,
                    status__in=(JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.SUCCEEDED),
                )
                & ~models.Q(question_sha256=""),
                name="question_answered_once",
            )
        ]

    def __str__(self) -> str:
        return f"report on {self.dataset_version_id}, {self.criterion}"


class ReportItems(models.Model):
    """The items that a report's figures count, and each scorer's numbers for them; no text.

    A row of its own, so that who reads figures does not load it; reports of before have none.
    """

    report = models.OneToOneField(
        AgreementReport, on_delete=models.CASCADE, primary_key=True, related_name="items"
    )
    # As patclaimeval.agreement.item_table packs it.
    content = models.BinaryField()

    def __str__(self) -> str:
        return f"items of {self.report_id}"
