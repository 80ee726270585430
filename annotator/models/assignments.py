"""Who rates which candidate, for how long, what is typed so far, and why somebody left one."""

from django.conf import settings
from django.db import models

from annotator.models.campaigns import Campaign
from annotator.models.claim_sets import Candidate, Reference
from annotator.models.keyed import Keyed


class AssignmentStatus(models.TextChoices):
    OPEN = "open"
    SUBMITTED = "submitted"
    LAPSED = "lapsed"  # the lease ran out and the place was given free
    SKIPPED = "skipped"
    RECUSED = "recused"
    WITHDRAWN = "withdrawn"  # taken back by an admin


# An assignment in one of these counts toward the overlap of its candidate.
HOLDING = (AssignmentStatus.OPEN, AssignmentStatus.SUBMITTED)


class Assignment(Keyed):
    """One annotator's share of one candidate, with the lease for which it is theirs."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="assignments")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments"
    )
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="assignments")
    status = models.CharField(max_length=9, choices=AssignmentStatus, default=AssignmentStatus.OPEN)
    # The candidate's name on this annotator's screens: random, so that it reveals no system.
    label = models.CharField(max_length=20)
    position = models.PositiveIntegerField(default=0)
    # No lease: assigned by name, theirs until withdrawn.
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    # When the admin wants it done; nothing happens by itself when it passes.
    due_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["position", "created_at"]
        indexes = [
            models.Index(fields=["annotator", "status", "position"]),
            models.Index(fields=["campaign", "status"]),
            models.Index(fields=["annotator", "campaign", "position"]),
            models.Index(
                fields=["campaign", "lease_expires_at"],
                condition=models.Q(status="open", lease_expires_at__isnull=False),
                name="leases_that_run",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "candidate"], name="candidate_once_per_annotator"
            )
        ]


class DepartureKind(models.TextChoices):
    SKIP = "skip"
    RECUSAL = "recusal"


class DepartureReason(models.TextChoices):
    OUTSIDE_FIELD = "outside-field", "outside my technical field"
    UNREADABLE = "unreadable", "the text cannot be judged as it is"
    NOT_NOW = "not-now", "no time for it: others may take it"
    CONFLICT_OF_INTEREST = "conflict-of-interest", "conflict of interest"
    OTHER = "other", "another reason"


class Departure(models.Model):
    """Why an annotator left an assignment unrated; rows are added, one for each time."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="departures")
    kind = models.CharField(max_length=7, choices=DepartureKind)
    reason_code = models.CharField(max_length=20, choices=DepartureReason)
    reason = models.TextField(blank=True, default="")
    made_at = models.DateTimeField()
    # Who got the candidate instead; none when the place is simply free again.
    rerouted_to = models.ForeignKey(
        Assignment, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )

    class Meta:
        ordering = ["made_at"]


class FlagReason(models.TextChoices):
    WRONG_TEXT = "wrong-text", "the text is cut off, doubled or garbled"
    WRONG_REFERENCE = "wrong-reference", "candidate and reference do not belong together"
    TELLS_ITS_SYSTEM = "tells-its-system", "the text tells which system wrote it"
    RUBRIC_GAP = "rubric-gap", "the rubric does not say how to rate this"
    OTHER = "other", "something else"


class Flag(models.Model):
    """An annotator's message to the campaign's admin that something is wrong with a candidate."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="flags")
    reason_code = models.CharField(max_length=20, choices=FlagReason)
    reason = models.TextField(blank=True, default="")
    made_at = models.DateTimeField()
    # An admin's answer, which its annotator is shown. Until it is closed it may be changed.
    answer = models.TextField(blank=True, default="")
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["made_at"]


class TypedDraft(models.Model):
    """A form as it was typed, right or wrong; its author's alone."""

    # Grows by one with each save, so that two tabs cannot overwrite each other unseen.
    version = models.PositiveIntegerField(default=1)
    # Field name to what was typed.
    typed = models.JSONField(default=dict)
    saved_at = models.DateTimeField()

    class Meta:
        abstract = True


class Draft(TypedDraft):
    """The rate form of one assignment; `error_tags` of what was typed are the tags chosen."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="draft")
    # The revision of the rating that was open when this was typed; 0 before the first submit.
    rating_version = models.PositiveIntegerField(default=0)


class ReferenceNote(models.Model):
    """What one annotator wrote down about a reference; nobody else is shown it."""

    reference = models.ForeignKey(Reference, on_delete=models.CASCADE, related_name="own_notes")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="own_notes"
    )
    text = models.TextField()
    # Grows by one with each save, so that two tabs cannot overwrite each other unseen.
    version = models.PositiveIntegerField(default=1)
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["reference", "author"], name="own_note_once")
        ]


class WorkTime(models.Model):
    """Active seconds on one assignment, measured by the server from the page's pings."""

    assignment = models.OneToOneField(
        Assignment, on_delete=models.CASCADE, related_name="work_time"
    )
    seconds = models.FloatField(default=0)
    last_ping_at = models.DateTimeField()


class WorkDay(models.Model):
    """Active time of one person on one day in a campaign that keeps a timesheet.

    On which candidates it was spent is stored nowhere.
    """

    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="work_days"
    )
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="work_days")
    day = models.DateField()
    seconds = models.FloatField(default=0)
    # Candidates that were opened for the first time on this day.
    begun = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotator", "campaign", "day"], name="work_day_once")
        ]
