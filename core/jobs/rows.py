"""The columns that every background job has, and the states it may be in."""

import uuid
from typing import Any, ClassVar, Final

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class JobStatus(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


FINAL_STATUSES = (JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.CANCELLED)
# Which of the queued jobs may be begun.
DUE: Final = Q(due_at__lte=Now())


class JobRow(models.Model):
    """A job: queued -> running -> succeeded | failed | cancelled."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    status = models.CharField(
        max_length=9, choices=JobStatus, default=JobStatus.QUEUED, db_index=True
    )
    attempt = models.PositiveIntegerField(default=0)
    owner = models.CharField(max_length=32, blank=True, default="")
    lease_until = models.DateTimeField(null=True)
    rung_at = models.DateTimeField(null=True)
    # Not to be begun before.
    due_at = models.DateTimeField(db_default=Now())
    cancel_requested = models.BooleanField(default=False)
    progress = models.FloatField(default=0.0)
    message = models.TextField(blank=True, default="")
    # By the clock of the database, as every other time of a job.
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    # A job whose worker died so many times is given up.
    most_attempts: ClassVar[int] = 5
    # The event under which its end is announced; empty where it is not announced.
    event: ClassVar[str] = ""
    # Attributes with the keys of the campaign and of the person who are notified of it.
    campaign_path: ClassVar[str] = "campaign_id"
    asker_path: ClassVar[str] = "asked_by_id"

    class Meta:
        abstract = True

    @classmethod
    def kind(cls) -> str:
        """What figures, logs and commands call this kind of job."""
        return cls.__name__.lower()

    def is_announced(self, status: str) -> bool:
        """Return whether this end is announced."""
        return bool(self.event)

    @property
    def is_final(self) -> bool:
        return self.status in FINAL_STATUSES

    @property
    def is_retried(self) -> bool:
        """Whether an attempt failed and another will be made; `message` says why it failed."""
        return self.status == JobStatus.QUEUED and self.attempt > 0

    @property
    def percent(self) -> int:
        return round(100 * self.progress)


def queued_anew() -> dict[str, Any]:
    """Return the columns of a job that has ended and is queued for another time."""
    return {
        "status": JobStatus.QUEUED,
        "attempt": 0,
        "progress": 0.0,
        "cancel_requested": False,
        "rung_at": None,
        "due_at": Now(),
        "finished_at": None,
    }
