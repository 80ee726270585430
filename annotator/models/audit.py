"""The audit trail: who did what to which row, and when, each entry sealed to the one before."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from annotator.models.campaigns import Campaign


class AuditEvent(models.Model):
    """One act; rows are added in the transaction of the act itself.

    The database refuses to change or delete them (docs/adr/0017).
    """

    # By the clock of the database: a web server whose clock is wrong stores no wrong time.
    at = models.DateTimeField(db_default=Now(), editable=False)
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
        indexes = [
            models.Index(fields=["object_type", "object_id"]),
            models.Index(fields=["action", "at"]),
        ]


class AuditSeal(models.Model):
    """The place of an event in the chain, written by the database's own trigger and nobody else.

    Places follow each other as transactions end, whatever any clock shows.
    """

    sequence = models.BigIntegerField(primary_key=True)
    event = models.OneToOneField(AuditEvent, on_delete=models.PROTECT, related_name="seal")
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["sequence"]
