"""How much of a pace is used up: one moment per limit and subject, which all processes share."""

from django.db import models


class UsedPace(models.Model):
    """`free_at` is when all that was let in would have come, had it come evenly.

    What it belongs to is a keyed digest: a name that somebody mistyped may be a password.
    """

    subject_sha256 = models.CharField(max_length=64, primary_key=True)
    free_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.subject_sha256[:8]} free at {self.free_at:%H:%M:%S}"
