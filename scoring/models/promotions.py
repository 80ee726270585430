"""Acts about the promotion of model versions: asked, agreed, declined, withdrawn."""

from django.db import models

from annotator.models import Campaign, User
from scoring.models.runs import ModelVersion


class PromotionAct(models.TextChoices):
    ASKED = "asked"
    AGREED = "agreed"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


class Promotion(models.Model):
    """One act; rows are only added, and the latest agreement or withdrawal of a scope counts.

    The scope is the campaign of the model's dataset, or none for a dataset without one.
    """

    # In the order in which they were added: times may be equal.
    id = models.BigAutoField(primary_key=True)
    act = models.CharField(max_length=9, choices=PromotionAct)
    model = models.ForeignKey(ModelVersion, on_delete=models.PROTECT, related_name="promotions")
    criterion = models.CharField(max_length=30)
    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, null=True, related_name="+")
    # Of an agreement or a refusal: what it answers. One answer each.
    answers = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, related_name="answer"
    )
    actor = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    # What spoke against the model when it was asked for, in sentences.
    cautions = models.JSONField(default=list)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.act}: model {self.model_id} for {self.criterion}"
