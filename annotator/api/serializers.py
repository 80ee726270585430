"""What the API takes and gives: one serializer per thing, so that a new column stays hidden."""

from typing import Any

from rest_framework import serializers

from annotator.api.fields import CommentField, IdField, StrictSerializer
from annotator.api.scores import ScoresSerializer
from annotator.models import Rating
from annotator.rubric import CRITERIA, overall_text
from annotator.services.ratings import LONGEST_COMMENT

MOST_TAGS = 200


def _comment() -> CommentField:
    return CommentField(
        required=False, allow_blank=True, trim_whitespace=False, max_length=LONGEST_COMMENT
    )


def _error_tags() -> serializers.ListField:
    return serializers.ListField(
        child=serializers.JSONField(), required=False, max_length=MOST_TAGS
    )


class NewRatingSerializer(StrictSerializer):
    """A rating as it is sent first."""

    assignment = IdField()
    scores = ScoresSerializer()
    comment = _comment()
    note = _comment()
    error_tags = _error_tags()


class RevisionSerializer(StrictSerializer):
    """What of a rating changes; what is left out stays as it is."""

    scores = ScoresSerializer(required=False)
    comment = _comment()
    note = _comment()
    error_tags = _error_tags()


class OverallSerializer(serializers.Serializer):
    """The overall quality, exact over 11 and as text."""

    numerator = serializers.IntegerField()
    value = serializers.FloatField()


class RatingSerializer(serializers.Serializer):
    """A person's own rating."""

    id = serializers.UUIDField()
    assignment = serializers.UUIDField()
    scores = ScoresSerializer()
    overall_quality = OverallSerializer()
    comment = serializers.CharField()
    note = serializers.CharField()
    error_tags = serializers.ListField()
    active_seconds = serializers.IntegerField()
    version = serializers.IntegerField()
    rubric_version = serializers.CharField()
    submitted_at = serializers.DateTimeField()
    revised_at = serializers.DateTimeField()

    def to_representation(self, instance: Rating) -> dict[str, Any]:
        numerator = instance.overall_numerator
        return {
            "id": str(instance.pk),
            "assignment": str(instance.assignment_id),
            "scores": {key: instance.scores[key] for key in CRITERIA},
            "overall_quality": {
                "numerator": numerator,
                "value": float(overall_text(numerator)),
            },
            "comment": instance.comment,
            "note": instance.note,
            "error_tags": instance.error_tags,
            "active_seconds": instance.active_seconds,
            "version": instance.version,
            "rubric_version": instance.rubric_version,
            "submitted_at": instance.submitted_at.isoformat(),
            "revised_at": instance.revised_at.isoformat(),
        }
