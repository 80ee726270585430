"""Backups that were made: until when each may still hold what has been erased since."""

import uuid

from django.db import models


class Backup(models.Model):
    """One backup file, wherever it lies now; the row says nothing of where."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # The moment of its contents, not of its end.
    made_at = models.DateTimeField()
    # When whoever keeps the file is to delete it (BACKUP_KEEP_DAYS).
    delete_by = models.DateField()
    file_sha256 = models.CharField(max_length=64)
    file_bytes = models.PositiveBigIntegerField()

    class Meta:
        ordering = ["-made_at"]

    def __str__(self) -> str:
        return f"backup of {self.made_at:%Y-%m-%d %H:%M}"
