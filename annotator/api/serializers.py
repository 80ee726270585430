"""What the API takes and gives: one serializer per thing, so that a new column stays hidden."""

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError as FormError
from django.http import QueryDict
from rest_framework import serializers

from annotator.formats.free_text import says_something
from annotator.forms.fields import TickField as FormTick
from annotator.models import Rating
from annotator.rubric import CRITERIA, is_score, overall_text
from annotator.services.ratings import LONGEST_COMMENT

MOST_TAGS = 200


class ScoreField(serializers.IntegerField):
    """A whole number from 0 to 10; `9.0`, `"9"` and `true` are none."""

    default_error_messages = {"score": "A score is a whole number from 0 to 10."}

    def to_internal_value(self, data: Any) -> int:
        if not is_score(data):
            self.fail("score")
        return int(data)


class StrictSerializer(serializers.Serializer):
    """Refuses fields that it does not know, so that a misspelt one is not dropped silently."""

    def to_internal_value(self, data: Any) -> Any:
        known = {name for name, field in self.fields.items() if not field.read_only}
        unknown = sorted(set(data) - known) if isinstance(data, dict) else []
        if unknown:
            raise serializers.ValidationError(
                {name[:100]: ["This field is not known here."] for name in unknown[:20]}
            )
        return super().to_internal_value(data)


class ScoresSerializer(StrictSerializer):
    """The four scores."""

    feature_completeness = ScoreField(min_value=0, max_value=10)
    conceptual_clarity = ScoreField(min_value=0, max_value=10)
    terminology_consistency = ScoreField(min_value=0, max_value=10)
    logical_linkage = ScoreField(min_value=0, max_value=10)


class IdField(serializers.UUIDField):
    """An id as text; a number is none, though it could be read as one."""

    def to_internal_value(self, data: Any) -> UUID:
        if not isinstance(data, str):
            self.fail("invalid", value=data)
        return super().to_internal_value(data)


class TextField(serializers.CharField):
    """Text as it is; a number or a bool is no text."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class CommentField(TextField):
    """Words; where they may not be blank they hold a letter or a digit, as in a form."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if isinstance(data, str) and not self.allow_blank and not says_something(data):
            self.fail("blank")
        return super().run_validation(data)


class TickField(serializers.BooleanField):
    """true or false; of a form, the words that its boxes send, and no others."""

    def to_internal_value(self, data: Any) -> bool:
        is_form = isinstance(getattr(self.root, "initial_data", None), QueryDict)
        if isinstance(data, str) and not is_form:
            self.fail("invalid", input=data[:40])
        try:
            return FormTick(required=False).to_python(data)
        except FormError:
            self.fail("invalid", input=str(data)[:40])


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


class CampaignSerializer(serializers.Serializer):
    """A campaign as its members see it."""

    slug = serializers.CharField()
    name = serializers.CharField()
    status = serializers.CharField()
    rubric_version = serializers.CharField()
    overlap = serializers.IntegerField()
    roles = serializers.ListField(child=serializers.CharField())


class AnnotatorProgressSerializer(serializers.Serializer):
    """One annotator's counts."""

    username = serializers.CharField()
    assigned = serializers.IntegerField()
    rated = serializers.IntegerField()
    overdue = serializers.IntegerField()
    quota = serializers.IntegerField(allow_null=True)
    last_rated_on = serializers.DateField(allow_null=True)


class ProgressSerializer(serializers.Serializer):
    """The counts of a campaign."""

    references = serializers.IntegerField()
    candidates = serializers.IntegerField()
    begun = serializers.IntegerField()
    complete = serializers.IntegerField()
    locked = serializers.IntegerField()
    ratings = serializers.IntegerField()
    open_conflicts = serializers.IntegerField()
    waiting_conflicts = serializers.IntegerField()
    ruled_conflicts = serializers.IntegerField()
    lapsed_conflicts = serializers.IntegerField()
    unsettled = serializers.IntegerField()
    annotators = AnnotatorProgressSerializer(many=True)
