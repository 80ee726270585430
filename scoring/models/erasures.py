"""Erasures of a reference: who asked, who agreed, and what is left to know of it."""

import uuid

from django.db import models
from django.db.models import F, Q

from annotator.models import Campaign, Reference, User


class ErasureStatus(models.TextChoices):
    ASKED = "asked"
    DECLINED = "declined"
    AGREED = "agreed"  # the sweeper carries it out
    DONE = "done"


class Erasure(models.Model):
    """A reference with its candidates, erased by two people; the row is its tombstone."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="+")
    reference = models.ForeignKey(Reference, on_delete=models.PROTECT, related_name="erasures")
    status = models.CharField(max_length=8, choices=ErasureStatus, default=ErasureStatus.ASKED)
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    reason = models.TextField()
    answered_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True)
    # When the rows were emptied, and when files and freed pages were gone, too.
    erased_at = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)
    # A keyed hash of the reference: it shows whether a text is this one only to who has the key.
    mark = models.CharField(max_length=64, blank=True, default="")
    # Counts by what was emptied, and the ids of versions and models that held it.
    result = models.JSONField(default=dict)

    class Meta:
        ordering = ["-asked_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["reference"],
                condition=~Q(status=ErasureStatus.DECLINED),
                name="reference_erased_once",
            ),
            models.CheckConstraint(
                condition=Q(status__in=(ErasureStatus.ASKED, ErasureStatus.DECLINED))
                | ~Q(answered_by=F("asked_by")),
                name="erasure_by_two_people",
            ),
        ]

    def __str__(self) -> str:
        return f"erasure {self.pk}: {self.status}"
