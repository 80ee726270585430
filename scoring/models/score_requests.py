"""Requests for scores: their texts are confidential and stored for a short time."""

from django.db import models

from annotator.models import User
from core.jobs.rows import JobRow
from scoring.models.datasets import DatasetVersion


class ScoreRequest(JobRow):
    """A reference and candidates that somebody wants scored; for their eyes only.

    They are pasted, or the row of that number of a dataset version: then no text is stored here,
    and the scores are for the page of an item. The sweeper deletes the whole row some time after it
    was made (SCORE_KEEP_MINUTES).
    """

    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    reference_text = models.TextField()
    candidate_texts = models.JSONField()
    dataset_version = models.ForeignKey(
        DatasetVersion, on_delete=models.CASCADE, null=True, related_name="+"
    )
    row_number = models.PositiveIntegerField(null=True)
    # Whether the models that are no sums are explained, too, by many more scores.
    explains = models.BooleanField(default=False, db_default=False)
    # The id of the model that scores, by criterion: chosen when the request was made.
    models_by_criterion = models.JSONField()
    # By criterion a list with an entry per candidate: {"score"} or {"error"}, and of a linear model
    # "parts", what explains the score; null until done.
    scores = models.JSONField(null=True)
    # By criterion of an encoder that is explained, the scores of `occluded_pairs` in their order:
    # the web server may run where the worker's cache is not.
    occluded_scores = models.JSONField(null=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["created_at"], name="score_request_age")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(dataset_version__isnull=True, row_number__isnull=True)
                | models.Q(
                    dataset_version__isnull=False, row_number__isnull=False, reference_text=""
                ),
                name="score_request_of_texts_or_a_row",
            )
        ]

    def __str__(self) -> str:
        return f"score request {self.pk}"
