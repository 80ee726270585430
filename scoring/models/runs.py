"""Training runs and the model versions they produce."""

import uuid
from typing import ClassVar

from django.db import models

from annotator.models import User
from core.jobs.rows import JobRow
from scoring.models.datasets import DatasetVersion


class TrainingRun(JobRow):
    """One training of one criterion on one dataset version; this row is the truth about it."""

    event: ClassVar[str] = "training"
    campaign_path: ClassVar[str] = "dataset_version.dataset.campaign_id"
    asker_path: ClassVar[str] = "requested_by_id"

    dataset_version = models.ForeignKey(
        DatasetVersion, on_delete=models.PROTECT, related_name="training_runs"
    )
    criterion = models.CharField(max_length=30)
    settings = models.JSONField()
    requested_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    # The model of an earlier run with the same data, settings and code, where there was one.
    reused_model = models.ForeignKey(
        "ModelVersion", on_delete=models.PROTECT, null=True, related_name="reusing_runs"
    )
    stage = models.CharField(max_length=40, blank=True, default="")
    step = models.PositiveIntegerField(default=0)
    steps = models.PositiveIntegerField(default=0)
    epoch = models.PositiveIntegerField(default=0)
    epochs = models.PositiveIntegerField(default=0)
    loss = models.FloatField(null=True)
    validation_tau = models.FloatField(null=True)
    tokens_per_second = models.FloatField(null=True)
    seconds_left = models.FloatField(null=True)
    # Lists of objects: [{"at", "words"}] and [{"epoch", "loss", "validation_tau"}], both bounded.
    log = models.JSONField(default=list)
    history = models.JSONField(default=list)
    # What researchers say of the run. Tags stand between spaces, so that one is found as a whole.
    tags = models.CharField(max_length=300, blank=True, default="", db_default="")
    note = models.TextField(blank=True, default="", db_default="")

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.criterion} on {self.dataset_version_id}: {self.status}"

    @property
    def tag_names(self) -> list[str]:
        return self.tags.split()

    @property
    def model(self) -> "ModelVersion | None":
        """The model this run gave, be it trained by it or found from an earlier run."""
        return self.reused_model or getattr(self, "model_version", None)


class ModelVersion(models.Model):
    """What a training run produced: one criterion, a directory with a manifest, its figures."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.OneToOneField(TrainingRun, on_delete=models.PROTECT, related_name="model_version")
    criterion = models.CharField(max_length=30)
    directory = models.CharField(max_length=80, unique=True)
    manifest_sha256 = models.CharField(max_length=64)
    # Of what stands here, under the site's secret; "" is a row that nobody may use.
    seal = models.CharField(max_length=64, default="")
    dataset_sha256 = models.CharField(max_length=64)
    code_version = models.CharField(max_length=80)
    card = models.JSONField()
    # Since when it is to be retired: a reference that it was trained on was erased then.
    retire_since = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"model {self.id} for {self.criterion}"
