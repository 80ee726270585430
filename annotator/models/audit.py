"""The audit trail: who did what to which row, and when."""

from django.conf import settings
from django.db import models

from annotator.models.campaigns import Campaign


class AuditEvent(models.Model):
    """One act; rows are added in the transaction of the act itself and never changed."""

    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, null=True, related_name="+")
    action = models.CharField(max_length=60)
    object_type = models.CharField(max_length=40)
    object_id = models.CharField(max_length=40)
    # Keys, numbers and digests only: claim text never enters the trail.
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["object_type", "object_id"])]

    def __str__(self) -> str:
        return f"{self.action} {self.object_type} {self.object_id}"
