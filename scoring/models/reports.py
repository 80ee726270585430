"""Metric scores and the agreement reports made of them."""

import uuid

from django.db import models

from annotator.jobs.rows import JobRow
from annotator.models import User
from scoring.models.datasets import DatasetVersion


class MetricScore(models.Model):
    """One number per scorer, reference and candidate, however many quadruplets hold the pair."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    scorer = models.CharField(max_length=200)
    reference_sha256 = models.CharField(max_length=64)
    candidate_sha256 = models.CharField(max_length=64)
    value = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scorer", "reference_sha256", "candidate_sha256"],
                name="score_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.scorer}: {self.value}"


class AgreementReport(JobRow):
    """Agreement of scorers with people on one dataset version; screens only read it."""

    dataset_version = models.ForeignKey(
        DatasetVersion, on_delete=models.PROTECT, related_name="reports"
    )
    criterion = models.CharField(max_length=30)
    scorers = models.JSONField()
    split = models.CharField(max_length=10)
    tie_threshold = models.FloatField()
    requested_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    result = models.JSONField(null=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"report on {self.dataset_version_id}, {self.criterion}"
