"""Imports of claim sets: the file, what was found in it, and whether it was carried out."""

from django.conf import settings
from django.db import models

from annotator.jobs.rows import JobRow
from annotator.models.campaigns import Campaign


class ImportStage(models.TextChoices):
    CHECK = "check"  # read to its end, nothing stored
    APPLY = "apply"  # stored, the whole file or nothing


class ClaimImport(JobRow):
    """One file for one campaign: checked first, and then, when an admin says so, stored.

    Imports by command have a row, too: it says where a claim set came from.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="imports")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    stage = models.CharField(max_length=5, choices=ImportStage, default=ImportStage.CHECK)
    # As the browser or the command named it: for people, never a path to open.
    file_name = models.CharField(max_length=255)
    file_sha256 = models.CharField(max_length=64)
    file_bytes = models.PositiveBigIntegerField()
    format = models.CharField(max_length=20)
    may_train = models.BooleanField(default=False)
    # Somebody has said that it is to be stored once the check finds nothing wrong.
    is_confirmed = models.BooleanField(default=False)
    # Counts, notes, bad records, near-duplicates and a preview, as the check or the import left it.
    result = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"import {self.pk} into {self.campaign_id}"
