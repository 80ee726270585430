"""Imports of claim sets, and the references and candidates that they brought."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models

from annotator.models.campaigns import Campaign
from annotator.models.keyed import Keyed
from core.jobs.rows import JobRow, JobStatus


class ImportStage(models.TextChoices):
    CHECK = "check"  # read to its end, nothing stored
    APPLY = "apply"  # stored, the whole file or nothing


class ClaimImport(JobRow):
    """One file for one campaign: checked first, and then, when an admin confirms it, stored.

    Imports by command have a row, too: it records where a claim set came from.
    """

    event: ClassVar[str] = "import"

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="imports")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    stage = models.CharField(max_length=5, choices=ImportStage, default=ImportStage.CHECK)
    # As the browser or the command named it: for people, never a path to open.
    file_name = models.CharField(max_length=255)
    file_sha256 = models.CharField(max_length=64)
    file_bytes = models.PositiveBigIntegerField()
    format = models.CharField(max_length=20)
    may_train = models.BooleanField(default=False)
    # Somebody has confirmed that it is to be stored once the check finds nothing wrong.
    is_confirmed = models.BooleanField(default=False)
    # Of documents: what somebody chose and answered, `annotator/imports/documents.py:Choices`.
    choices = models.JSONField(default=dict, blank=True)
    # Of documents: the file stays as long as the claims that came from it.
    has_source = models.BooleanField(default=False)
    # Counts, notes, bad records, near-duplicates and a preview, as the check or the import left it.
    result = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def is_announced(self, status: str) -> bool:
        # The claims of a file that was only checked are not stored yet.
        return self.stage == ImportStage.APPLY or status == JobStatus.FAILED


class Reference(Keyed):
    """A reference claim set of a campaign; its text is stored byte for byte."""

    campaign = models.ForeignKey(
        Campaign, on_delete=models.PROTECT, related_name="references", db_index=False
    )
    reference_id = models.CharField(max_length=200)
    title = models.CharField(max_length=500, blank=True, default="")
    office = models.CharField(max_length=40, blank=True, default="")
    ipc = models.CharField(max_length=40, blank=True, default="")
    language = models.CharField(max_length=20, blank=True, default="en")
    family = models.CharField(max_length=200, blank=True, default="")
    claims = models.TextField()
    claims_sha256 = models.CharField(max_length=64, db_index=True)
    draft_claims = models.TextField(blank=True, default="")
    may_train = models.BooleanField(default=False)
    position = models.PositiveIntegerField(default=0)
    # Whether `ReferenceContext` has something of it, so that no page has to ask that table.
    has_context = models.BooleanField(default=False, db_default=False)
    # Its texts, and those of its candidates, are gone since then.
    erased_at = models.DateTimeField(null=True, blank=True)
    imported_from = models.ForeignKey(
        ClaimImport, on_delete=models.PROTECT, null=True, related_name="references"
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "reference_id"], name="reference_once_per_campaign"
            )
        ]

    # What its readers are told of it.
    TOLD = ("reference_id", "title", "office", "ipc", "language", "claims", "has_context")

    def as_told(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.TOLD}


class Purpose(models.TextChoices):
    """Why a candidate is there; annotators cannot distinguish those that they rate."""

    RATED = "rated"
    QUALIFICATION = "qualification"  # rated by everybody, first
    REPEAT = "repeat"  # the same text once more, for one annotator
    SENTINEL = "sentinel"  # the reference, damaged on purpose
    CALIBRATION = "calibration"  # with agreed scores, for practice: nobody's to rate


class ReadClaimSet(Keyed):
    """One claim set that an import read of a document, as read and as a person corrected it.

    Its texts are emptied once the import is over: they are those of its reference and candidates
    then. What stays says where those come from: file, digests, and who corrected what was read.
    """

    claim_import = models.ForeignKey(
        ClaimImport, on_delete=models.PROTECT, related_name="claim_sets", db_index=False
    )
    # Its place in the import, from 1; a reference stands before its candidates.
    number = models.PositiveIntegerField()
    reference_id = models.CharField(max_length=200, blank=True, default="")
    # "" for a reference.
    candidate_id = models.CharField(max_length=200, blank=True, default="")
    system = models.CharField(max_length=200, blank=True, default="")
    # The reference that it became, or of which it is a candidate; once it is stored.
    belongs_to = models.ForeignKey(
        Reference, on_delete=models.PROTECT, null=True, related_name="read_claim_sets"
    )
    # Its path in an archive, for people.
    file_name = models.CharField(max_length=500, blank=True, default="")
    file_sha256 = models.CharField(max_length=64)
    format = models.CharField(max_length=20)
    claims = models.TextField(blank=True, default="")
    draft_claims = models.TextField(blank=True, default="")
    # Of both texts as the reader gave them, and as they were stored.
    read_sha256 = models.CharField(max_length=64)
    stored_sha256 = models.CharField(max_length=64, blank=True, default="")
    edited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    edited_at = models.DateTimeField(null=True)
    # What the reader found: left out, findings, places, bibliography; emptied with the texts.
    found = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["claim_import", "number"], name="read_claim_set_once_per_import"
            )
        ]


class DraftClaimsEdit(Keyed):
    """The draft of a reference, the claims before revision, as it stood until somebody changed it.

    Rows are added and only emptied where the reference is erased; the first holds what came in.
    """

    reference = models.ForeignKey(
        Reference, on_delete=models.PROTECT, related_name="draft_claims_edits", db_index=False
    )
    number = models.PositiveIntegerField()
    earlier = models.TextField(blank=True, default="")
    reason = models.TextField(blank=True, default="")
    edited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    edited_at = models.DateTimeField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["reference", "number"], name="draft_claims_edit_number_once"
            )
        ]


# What conflicts, freezes and counts are about; the others only show something about the annotators.
GENUINE = (Purpose.RATED, Purpose.QUALIFICATION)


class Candidate(Keyed):
    """A candidate claim set; which system made it stays hidden until the campaign closes."""

    # Its unique constraint begins with it: an index of its own would only cost.
    reference = models.ForeignKey(
        Reference, on_delete=models.PROTECT, related_name="candidates", db_index=False
    )
    # Those of its reference, here too: the next free candidate is found by one index, however
    # many are full already.
    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="candidates")
    queue_position = models.PositiveIntegerField(default=0)
    # How many may rate it, how many hold it now, and whether one more may.
    places = models.PositiveSmallIntegerField(default=2)
    held = models.PositiveIntegerField(default=0)
    has_room = models.BooleanField(default=True)
    candidate_id = models.CharField(max_length=200)
    system = models.CharField(max_length=200, blank=True, default="")
    purpose = models.CharField(max_length=13, choices=Purpose, default=Purpose.RATED)
    # Of a repeat: what it repeats.
    original = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="repeats"
    )
    # Of a sentinel: what was done to the reference, {"criterion", "kind", "places"}.
    damage = models.JSONField(default=dict, blank=True)
    claims = models.TextField()
    # Not indexed: a digest is looked for beneath its reference. Random keys, as digests are, would
    # have an import write every page of the index again and again.
    claims_sha256 = models.CharField(max_length=64)
    # None for what the app made itself, and for what was there before imports were stored.
    imported_from = models.ForeignKey(
        ClaimImport, on_delete=models.PROTECT, null=True, related_name="candidates"
    )

    class Meta:
        indexes = [
            models.Index(
                fields=["campaign", "queue_position"],
                condition=models.Q(has_room=True),
                name="candidates_with_room",
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["reference", "candidate_id"],
                name="candidate_once_per_reference",
            )
        ]
