"""Reliability reports: how far the annotators of a campaign agree, worked out by a worker."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from annotator.models.campaigns import Campaign
from core.jobs.rows import JobRow


class ReliabilityReport(JobRow):
    """The figures of a campaign's ratings as they were; one for each state of the ratings."""

    event: ClassVar[str] = "reliability"

    campaign = models.ForeignKey(
        Campaign, on_delete=models.PROTECT, related_name="reliability_reports"
    )
    # Of the ratings, preferences and rules that it is about: the same digest, the same figures.
    input_sha256 = models.CharField(max_length=64)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    result = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "input_sha256"], name="one_reliability_report_each"
            )
        ]
