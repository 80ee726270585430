"""Requests for scores: their texts are confidential and stored for a short time."""

from django.db import models

from annotator.models import User
from core.jobs.rows import JobRow


class ScoreRequest(JobRow):
    """A reference and candidates that somebody wants scored; for their eyes only.

    The sweeper deletes the whole row some time after it was made (SCORE_KEEP_MINUTES).
    """

    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    reference_text = models.TextField()
    candidate_texts = models.JSONField()
    # The id of the model that scores, by criterion: chosen when the request was made.
    models_by_criterion = models.JSONField()
    # By criterion a list with an entry per candidate: {"score"} or {"error"}, and of a linear model
    # "parts", what explains the score; null until done.
    scores = models.JSONField(null=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["created_at"], name="score_request_age")]

    def __str__(self) -> str:
        return f"score request {self.pk}"
