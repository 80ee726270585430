"""Ratings, their revisions, and how a person likes to read and to press keys."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotator.models.assignments import Assignment
from annotator.models.claim_sets import Candidate
from annotator.models.keyed import Keyed
from patclaimeval.rubric import CRITERIA, HIGHEST, OVERALL


class Scores(models.Model):
    """The four scores and the overall that follows, as an exact numerator over 11."""

    feature_completeness = models.PositiveSmallIntegerField()
    conceptual_clarity = models.PositiveSmallIntegerField()
    terminology_consistency = models.PositiveSmallIntegerField()
    logical_linkage = models.PositiveSmallIntegerField()
    overall_numerator = models.PositiveSmallIntegerField()
    comment = models.TextField(blank=True, default="")
    # For the adjudicator's eyes, apart from the comment that goes into exports.
    note = models.TextField(blank=True, default="")
    error_tags = models.JSONField(default=list, blank=True)
    # What the screen showed when this was submitted: {"aligned", "diff", "marks": bool}; empty
    # when it came through the API, where the program decides what its user sees.
    shown = models.JSONField(default=dict, blank=True)
    active_seconds = models.PositiveIntegerField(default=0)
    # Whether its author could have seen others' work, and in which round it was given.
    is_blind = models.BooleanField(default=True)
    round = models.PositiveSmallIntegerField(default=1)

    class Meta:
        abstract = True

    @property
    def scores(self) -> dict[str, int]:
        return {criterion: getattr(self, criterion) for criterion in CRITERIA}

    @property
    def all_scores(self) -> dict[str, int]:
        """The four scores, and the overall as its numerator."""
        return self.scores | {OVERALL: self.overall_numerator}


class Rating(Keyed, Scores):
    """One annotator's four scores for one candidate, as they stand now."""

    assignment = models.OneToOneField(Assignment, on_delete=models.PROTECT, related_name="rating")
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="ratings")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="ratings"
    )
    rubric_version = models.CharField(max_length=20)
    version = models.PositiveIntegerField(default=1)
    submitted_at = models.DateTimeField()
    revised_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotator", "candidate"], name="one_rating_each"),
            *(
                models.CheckConstraint(
                    condition=Q(**{f"{criterion}__lte": HIGHEST}),
                    name=f"rating_{criterion}_range",
                )
                for criterion in CRITERIA
            ),
            models.CheckConstraint(
                condition=Q(
                    overall_numerator=4 * models.F("feature_completeness")
                    + 2 * models.F("conceptual_clarity")
                    + 2 * models.F("terminology_consistency")
                    + 3 * models.F("logical_linkage")
                ),
                name="rating_overall_is_weighted_sum",
            ),
        ]


class RatingRevision(Keyed, Scores):
    """A rating as it was submitted or revised; rows are added and never changed."""

    rating = models.ForeignKey(Rating, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["rating", "number"], name="revision_number_once")
        ]


class IdempotencyKey(Keyed):
    """A request that was answered, so that sending it again has one effect and one answer."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    request_sha256 = models.CharField(max_length=64)
    rating = models.ForeignKey(Rating, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="key_once_per_user")]


class ReadingPreference(models.Model):
    """What the rate screen shows one person, and their own keys."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="reading_preference"
    )
    shows_aligned = models.BooleanField(default=True)
    shows_diff = models.BooleanField(default=True)
    shows_marks = models.BooleanField(default=True)
    # What is marked on request: classes of differences, and less certain marks.
    shows_changes = models.JSONField(default=list, blank=True)
    # Action to key, only where it is not the default.
    keys = models.JSONField(default=dict, blank=True)
    single_keys = models.BooleanField(default=True)
