"""What annotators of a campaign rate first, for practice: agreed scores, and what each gave."""

from django.conf import settings
from django.db import models

from annotator.models.campaigns import Campaign
from annotator.models.claim_sets import Candidate
from annotator.models.keyed import Keyed


class CalibrationItem(Keyed):
    """A candidate whose scores are agreed: one of the campaign's, or a worked example."""

    campaign = models.ForeignKey(
        Campaign, on_delete=models.PROTECT, related_name="calibration_items"
    )
    candidate = models.OneToOneField(
        Candidate, on_delete=models.PROTECT, null=True, related_name="calibration_item"
    )
    # Of a worked example its key; "" for a candidate of the campaign.
    example = models.CharField(max_length=60, blank=True, default="")
    position = models.PositiveIntegerField()
    # By criterion: the four scores, and a sentence that says why where there is one.
    scores = models.JSONField()
    reasons = models.JSONField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "position"], name="calibration_position_once"
            ),
            models.UniqueConstraint(
                fields=["campaign", "example"],
                condition=~models.Q(example=""),
                name="calibration_example_once",
            ),
            models.CheckConstraint(
                condition=models.Q(candidate__isnull=False, example="")
                | models.Q(candidate__isnull=True) & ~models.Q(example=""),
                name="calibration_item_is_one_thing",
            ),
        ]


class CalibrationAnswer(Keyed):
    """The scores that one annotator gave an item; no rating, so that nothing counts it as one."""

    item = models.ForeignKey(CalibrationItem, on_delete=models.CASCADE, related_name="answers")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="calibration_answers"
    )
    scores = models.JSONField()
    given_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "annotator"], name="calibration_answer_once")
        ]
