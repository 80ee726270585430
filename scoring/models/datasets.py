"""Datasets and their immutable versions."""

import uuid

from django.db import models

from annotator.models import Campaign, User


class Dataset(models.Model):
    """A named series of versions; without a campaign it is open to all researchers and admins."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.SlugField(max_length=80, unique=True)
    campaign = models.ForeignKey(
        Campaign, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class DatasetVersion(models.Model):
    """A frozen set of quadruplets; its canonical JSONL lies in the data directory by digest."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    items = models.PositiveIntegerField()
    card = models.JSONField()
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["dataset__name", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "number"], name="version_number_once"),
            models.UniqueConstraint(fields=["dataset", "sha256"], name="version_content_once"),
        ]

    def __str__(self) -> str:
        return f"{self.dataset.name}@{self.number}"
