"""What is typed and not yet submitted, and how long somebody worked on it."""

from django.db import models

from annotator.models.assignments import Assignment


class Draft(models.Model):
    """The rate form of one assignment as it was typed, right or wrong; its author's alone."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="draft")
    # Grows by one with each save, so that two tabs cannot overwrite each other unseen.
    version = models.PositiveIntegerField(default=1)
    # The revision of the rating that was open when this was typed; 0 before the first submit.
    rating_version = models.PositiveIntegerField(default=0)
    # Field name to what was typed, and `error_tags` to the tags chosen.
    typed = models.JSONField(default=dict)
    saved_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"draft {self.version} of {self.assignment_id}"


class WorkTime(models.Model):
    """Active seconds on one assignment, measured by the server from the page's pings."""

    assignment = models.OneToOneField(
        Assignment, on_delete=models.CASCADE, related_name="work_time"
    )
    seconds = models.FloatField(default=0)
    last_ping_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.seconds:.0f} s on {self.assignment_id}"
