"""Datasets and their immutable versions."""

import uuid
from typing import ClassVar

from django.db import models

from annotator.models import Campaign, Rating, User
from core.jobs.rows import JobRow


class Dataset(models.Model):
    """A named series of versions; without a campaign it is open to all researchers and admins.

    Its name is its own within its campaign only: a name that is taken elsewhere would reveal
    datasets that the person who asks may not know of.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.SlugField(max_length=80)
    campaign = models.ForeignKey(
        Campaign, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="dataset_once_in_campaign"),
            models.UniqueConstraint(
                fields=["name"],
                condition=models.Q(campaign__isnull=True),
                name="dataset_once_without_campaign",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def full_name(self) -> str:
        """CAMPAIGN.NAME, or the name alone where it is the campaign's or there is none."""
        if self.campaign is None or self.campaign.slug == self.name:
            return self.name
        return f"{self.campaign.slug}.{self.name}"


class DatasetVersion(models.Model):
    """A frozen set of quadruplets; its canonical JSONL lies in the data directory by digest."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    items = models.PositiveIntegerField()
    card = models.JSONField()
    # What an admin allows others to do with it; empty as long as nobody has decided.
    licence = models.CharField(max_length=200, blank=True, default="")
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

    @property
    def full_name(self) -> str:
        """The name of one version and no other, as addresses and commands take it."""
        return f"{self.dataset.full_name}@{self.number}"


class UsedRating(models.Model):
    """A rating from which labels of a version follow: the way from a rating to what used it."""

    version = models.ForeignKey(
        DatasetVersion, on_delete=models.PROTECT, related_name="used_ratings"
    )
    rating = models.ForeignKey(Rating, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "rating"], name="rating_used_once")
        ]

    def __str__(self) -> str:
        return f"rating {self.rating_id} in version {self.version_id}"


class TextPermission(models.Model):
    """That a researcher may read the claim texts of a version: an admin said so, and why.

    Revoking deletes the row; the audit trail holds both acts.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    version = models.ForeignKey(
        DatasetVersion, on_delete=models.PROTECT, related_name="text_permissions"
    )
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    granted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    granted_at = models.DateTimeField(auto_now_add=True)
    reason = models.TextField()

    class Meta:
        ordering = ["granted_at"]
        constraints = [
            models.UniqueConstraint(fields=["version", "person"], name="texts_permitted_once")
        ]

    def __str__(self) -> str:
        return f"{self.person_id} reads the texts of {self.version_id}"


class Freeze(JobRow):
    """A freeze that was asked for: how, and the version that came of it."""

    event: ClassVar[str] = "freeze"

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="freezes")
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    # The keywords of the freezing service, as JSON values.
    settings = models.JSONField()
    version = models.ForeignKey(
        DatasetVersion, on_delete=models.PROTECT, null=True, related_name="freezes"
    )
    # False where the dataset had this content already.
    is_new = models.BooleanField(null=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"freeze {self.pk} of {self.campaign_id}"
