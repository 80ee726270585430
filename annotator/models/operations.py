"""Backups that may still hold what was erased since, and the background programs that live."""

from typing import Final

from django.db import models

from annotator.models.keyed import Keyed


class Backup(Keyed):
    """One backup file, wherever it lies now; the row does not hold where."""

    # The moment of its contents, not of its end.
    made_at = models.DateTimeField()
    # When whoever stores the file is to delete it (BACKUP_KEEP_DAYS).
    delete_by = models.DateField()
    file_sha256 = models.CharField(max_length=64)
    file_bytes = models.PositiveBigIntegerField()

    class Meta:
        ordering = ["-made_at"]


# The work of a program that serves no queue.
SWEEPER: Final = "sweeper"


class Presence(models.Model):
    """One program at one kind of work; its row shows only that it lived at that moment."""

    name = models.CharField(max_length=200)
    # The name of a queue, or SWEEPER.
    work = models.CharField(max_length=20)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name", "work"], name="presence_once"),
        ]
