"""Annotations as another program exported them, kept so that they can be given back unchanged."""

import uuid

from django.db import models

from annotator.models.campaigns import Campaign
from annotator.models.claim_sets import Candidate, Reference
from annotator.models.comparisons import Comparison


class ImportedAnnotation(models.Model):
    """One item of a Label Studio export: what it says besides the texts, and the texts' places.

    Left and right are as the item has them; the comparison may have been shown the other way
    round. They are one candidate where the two texts were equal: then there is no comparison.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(
        Campaign, on_delete=models.PROTECT, related_name="imported_annotations"
    )
    # The number that the other program gave it.
    annotation = models.PositiveBigIntegerField()
    # Where it came, counted over all files of the campaign.
    position = models.PositiveIntegerField()
    reference = models.ForeignKey(Reference, on_delete=models.PROTECT, related_name="+")
    left = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="+")
    right = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="+")
    # Of several statements of one annotator on one pair the newest is the preference.
    comparison = models.ForeignKey(
        Comparison, on_delete=models.PROTECT, null=True, related_name="imported_annotations"
    )
    updated_at = models.DateTimeField()
    # The item as JSON text, because columns of JSON forget the order of keys: null for the texts.
    fields = models.TextField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "annotation"], name="annotation_once_per_campaign"
            ),
            models.UniqueConstraint(
                fields=["campaign", "position"], name="annotation_position_once"
            ),
        ]

    def __str__(self) -> str:
        return f"annotation {self.annotation} of {self.campaign_id}"
