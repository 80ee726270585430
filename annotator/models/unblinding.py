"""Unblinding: who was shown what annotators must not see, when and why."""

from django.conf import settings
from django.db import models

from annotator.models.campaigns import Campaign


class Shown(models.TextChoices):
    FEEDBACK = "feedback", "own results beside those of the others"
    NAMES = "names", "which annotator gave which rating"
    SYSTEMS = "systems", "which system made which candidate"


class Unblinding(models.Model):
    """One time that somebody saw what a blind annotator may not; rows are added, never changed."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="unblindings")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="unblindings"
    )
    shown = models.CharField(max_length=8, choices=Shown)
    reason = models.TextField(blank=True, default="")
    at = models.DateTimeField()

    class Meta:
        ordering = ["at"]
        indexes = [models.Index(fields=["campaign", "user"])]

    def __str__(self) -> str:
        return f"{self.shown} to {self.user_id}"
