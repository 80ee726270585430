"""What stands around the claims of a reference: its description, its abstract, its drawings.

Apart from the reference, so that no page loads it that does not show it.
"""

from django.db import models

from annotator.models.claim_sets import ReadClaimSet, Reference
from annotator.models.keyed import Keyed


class ReferenceContext(Keyed):
    """The context of one reference; until an import is stored, that of a claim set it has read."""

    reference = models.OneToOneField(
        Reference, on_delete=models.PROTECT, null=True, related_name="context"
    )
    read_claim_set = models.OneToOneField(
        ReadClaimSet, on_delete=models.CASCADE, null=True, related_name="context"
    )
    # A list a paragraph: part, label, whether it is a heading, text.
    paragraphs = models.JSONField(default=list, blank=True)


class Drawing(Keyed):
    """One sheet of drawings; its picture is a file of DATA_DIR named by this row's id."""

    context = models.ForeignKey(
        ReferenceContext, on_delete=models.CASCADE, related_name="drawings", db_index=False
    )
    # Its place, from 1.
    number = models.PositiveIntegerField()
    # What its file was called, for people.
    name = models.CharField(max_length=200)
    png_sha256 = models.CharField(max_length=64)
    png_bytes = models.PositiveIntegerField()
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["context", "number"], name="drawing_once_per_context")
        ]
