"""The four scores of a rating, as the API takes and gives them."""

from typing import Any

from rest_framework import serializers

from core.rest.fields import StrictSerializer
from patclaimeval.rubric import CRITERIA, HIGHEST, LOWEST, is_score


class ScoreField(serializers.IntegerField):
    """A whole number from 0 to 10; `9.0`, `"9"` and `true` are none."""

    default_error_messages = {"score": "A score is a whole number from 0 to 10."}

    def to_internal_value(self, data: Any) -> int:
        if not is_score(data):
            self.fail("score")
        return int(data)


class ScoresSerializer(StrictSerializer):
    """The four scores."""

    def get_fields(self) -> dict[str, serializers.Field]:
        return {key: ScoreField(min_value=LOWEST, max_value=HIGHEST) for key in CRITERIA}
