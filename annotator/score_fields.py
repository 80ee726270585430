"""The four scores of a rating, as the API takes and gives them."""

from typing import Any

from rest_framework import serializers

from annotator.rubric import is_score
from core.rest.fields import StrictSerializer


class ScoreField(serializers.IntegerField):
    """A whole number from 0 to 10; `9.0`, `"9"` and `true` are none."""

    default_error_messages = {"score": "A score is a whole number from 0 to 10."}

    def to_internal_value(self, data: Any) -> int:
        if not is_score(data):
            self.fail("score")
        return int(data)


class ScoresSerializer(StrictSerializer):
    """The four scores."""

    feature_completeness = ScoreField(min_value=0, max_value=10)
    conceptual_clarity = ScoreField(min_value=0, max_value=10)
    terminology_consistency = ScoreField(min_value=0, max_value=10)
    logical_linkage = ScoreField(min_value=0, max_value=10)
