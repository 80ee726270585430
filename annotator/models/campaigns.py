"""Campaigns, who takes part in them as what, and who was shown what is hidden."""

from django.conf import settings
from django.db import models

from annotator.models.keyed import Keyed
from patclaimeval.rubric import RUBRIC_VERSION


class CampaignStatus(models.TextChoices):
    OPEN = "open"
    CLOSED = "closed"


class Campaign(Keyed):
    """A body of rating work with one rubric version, its people and its claim sets."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    rubric_version = models.CharField(max_length=20, default=RUBRIC_VERSION)
    status = models.CharField(max_length=6, choices=CampaignStatus, default=CampaignStatus.OPEN)
    # How many rate a candidate: `overlap` on this share of the references, one on the others.
    overlap = models.PositiveSmallIntegerField(default=2)
    shared_percent = models.PositiveSmallIntegerField(default=100)
    revision_hours = models.PositiveSmallIntegerField(default=24)
    lease_minutes = models.PositiveSmallIntegerField(default=120)
    # Conflict rules; overall gaps are numerators over 11, so that 22 means 2.0 points.
    criterion_gap = models.PositiveSmallIntegerField(default=3)
    overall_gap_numerator = models.PositiveSmallIntegerField(default=22)
    flip_gap_numerator = models.PositiveSmallIntegerField(default=11)
    # A discrepant candidate goes to a further blind annotator before an adjudicator sees it.
    has_ladder = models.BooleanField(default=False)
    rules_version = models.PositiveIntegerField(default=1)
    # Hidden repeats: of each annotator's ratings, this share is asked once more, after so many.
    repeat_percent = models.PositiveSmallIntegerField(default=0)
    repeat_lag = models.PositiveSmallIntegerField(default=20)
    # Its annotators rate the calibration items before anything else.
    has_calibration = models.BooleanField(default=False, db_default=False)
    # Active time is summed up by person and day, for the admins.
    has_timesheet = models.BooleanField(default=False, db_default=False)
    # Annotators may take their own marks, with the claims that they are on, as Word files.
    has_mark_files = models.BooleanField(default=False, db_default=False)
    # Until when the claim texts are to be stored; none means that nobody has decided.
    retain_until = models.DateField(null=True, blank=True)
    # While a lawsuit or an audit asks for them, nothing is erased, whatever the day.
    has_legal_hold = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.slug

    @property
    def is_open(self) -> bool:
        return self.status == CampaignStatus.OPEN


class RulesVersion(models.Model):
    """The conflict rules of a campaign as they stood under one number; rows are never changed."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="rules_versions")
    number = models.PositiveIntegerField()
    criterion_gap = models.PositiveSmallIntegerField()
    overall_gap_numerator = models.PositiveSmallIntegerField()
    flip_gap_numerator = models.PositiveSmallIntegerField()
    has_ladder = models.BooleanField()
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="rules_version_once")
        ]


class Role(models.TextChoices):
    ANNOTATOR = "annotator"
    ADJUDICATOR = "adjudicator"
    RESEARCHER = "researcher"
    ADMIN = "admin"
    READER = "reader"


class Membership(Keyed):
    """One role of one person in one campaign."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=11, choices=Role)
    # How many candidates an annotator takes at most; none for no limit.
    quota = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "campaign", "role"], name="one_role_once")
        ]


class PendingRole(Keyed):
    """A role given from outside a campaign; it opens nothing until an admin of the campaign agrees.

    Agreeing replaces the row by a membership, refusing deletes it.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="pending_roles")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="pending_roles"
    )
    role = models.CharField(max_length=11, choices=Role)
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    given_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "campaign", "role"], name="one_pending_role_once"
            )
        ]


class Shown(models.TextChoices):
    FEEDBACK = "feedback", "own results beside those of the others"
    NAMES = "names", "which annotator gave which rating"
    SYSTEMS = "systems", "which system made which candidate"


class Unblinding(models.Model):
    """One time that somebody saw what a blind annotator may not; rows are added, never changed."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="unblindings")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="unblindings"
    )
    shown = models.CharField(max_length=8, choices=Shown)
    reason = models.TextField(blank=True, default="")
    at = models.DateTimeField()

    class Meta:
        ordering = ["at"]
        indexes = [models.Index(fields=["campaign", "user"])]
