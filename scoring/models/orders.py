"""Jobs that put the waiting references of a campaign into an order."""

from django.db import models

from annotator.models import Campaign
from core.jobs.rows import JobRow


class QueueOrder(JobRow):
    """One time that the references of a campaign that chooses are put into order.

    Asked for by the sweeper when references wait for a place; what it finds stands in annotator.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"order of {self.campaign}"
