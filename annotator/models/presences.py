"""The programs that work in the background, and when each was last heard of."""

from typing import Final

from django.db import models

# The work of a program that serves no queue.
SWEEPER: Final = "sweeper"


class Presence(models.Model):
    """One program at one kind of work; its row says only that it lived at that moment."""

    name = models.CharField(max_length=200)
    # The name of a queue, or SWEEPER.
    work = models.CharField(max_length=20)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name", "work"], name="presence_once"),
        ]

    def __str__(self) -> str:
        return f"{self.name} at {self.work}"
