"""Comparisons of two candidates, preferences, and annotations as another program exported them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotator.models.assignments import TypedDraft
from annotator.models.campaigns import Campaign
from annotator.models.claim_sets import Candidate, Reference
from annotator.models.keyed import Keyed
from patclaimeval.rubric import ALL_CRITERIA


class Comparison(Keyed):
    """One annotator's share of one pair of candidates; which stands left is random and stored."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="comparisons")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="comparisons"
    )
    left = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="+")
    right = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="+")
    # The pair whichever way round: the two ids in order, so that nobody is asked twice.
    pair = models.CharField(max_length=73)
    position = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["position", "created_at"]
        constraints = [
            models.UniqueConstraint(fields=["annotator", "pair"], name="pair_once_per_annotator"),
            models.CheckConstraint(
                condition=~Q(left=models.F("right")), name="comparison_of_two_candidates"
            ),
        ]


class ComparisonDraft(TypedDraft):
    """The compare form of one comparison."""

    comparison = models.OneToOneField(Comparison, on_delete=models.CASCADE, related_name="draft")
    # The revision of the preference that was open when this was typed; 0 before the first submit.
    preference_version = models.PositiveIntegerField(default=0)


class Judgements(models.Model):
    """The answers about a pair, per criterion: 1 left is better, 0 equal, -1 right is.

    Preferences from elsewhere may know the overall quality only.
    """

    feature_completeness = models.SmallIntegerField(null=True, blank=True)
    conceptual_clarity = models.SmallIntegerField(null=True, blank=True)
    terminology_consistency = models.SmallIntegerField(null=True, blank=True)
    logical_linkage = models.SmallIntegerField(null=True, blank=True)
    overall_quality = models.SmallIntegerField()
    comment = models.TextField(blank=True, default="")
    error_tags = models.JSONField(default=list, blank=True)

    class Meta:
        abstract = True

    @property
    def judgements(self) -> dict[str, int]:
        """Return the answers by criterion; a criterion without one is absent."""
        judgements = {name: getattr(self, name) for name in ALL_CRITERIA}
        return {name: value for name, value in judgements.items() if value is not None}


class Preference(Keyed, Judgements):
    """An annotator's answers about a comparison, as they stand now."""

    comparison = models.OneToOneField(
        Comparison, on_delete=models.PROTECT, related_name="preference"
    )
    rubric_version = models.CharField(max_length=20)
    version = models.PositiveIntegerField(default=1)
    submitted_at = models.DateTimeField()
    revised_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(**{f"{name}__gte": -1, f"{name}__lte": 1}),
                name=f"preference_{name}_range",
            )
            for name in ALL_CRITERIA
        ]


class PreferenceRevision(Judgements):
    """A preference as it was submitted or revised; rows are added and never changed."""

    preference = models.ForeignKey(Preference, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["preference", "number"], name="preference_revision_once"
            )
        ]


class ImportedAnnotation(Keyed):
    """One item of a Label Studio export: what it holds besides the texts, and the texts' places.

    Left and right are as the item has them; the comparison may have been shown the other way
    round. They are one candidate where the two texts were equal: then there is no comparison.
    """

    campaign = models.ForeignKey(
        Campaign, on_delete=models.PROTECT, related_name="imported_annotations"
    )
    # The number that the other program gave it.
    annotation = models.PositiveBigIntegerField()
    # Where it came, counted over all files of the campaign.
    position = models.PositiveIntegerField()
    reference = models.ForeignKey(Reference, on_delete=models.PROTECT, related_name="+")
    left = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="+")
    right = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="+")
    # Of several statements of one annotator on one pair the newest is the preference.
    comparison = models.ForeignKey(
        Comparison, on_delete=models.PROTECT, null=True, related_name="imported_annotations"
    )
    updated_at = models.DateTimeField()
    # The item as JSON text, because columns of JSON forget the order of keys: null for the texts.
    fields = models.TextField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "annotation"], name="annotation_once_per_campaign"
            ),
            models.UniqueConstraint(
                fields=["campaign", "position"], name="annotation_position_once"
            ),
        ]
