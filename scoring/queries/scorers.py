"""Scorers by name: a published metric, or a model version as `model:ID`."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from annotator.models import User
from annotator.refusals import Refused
from scoring.metrics.registry import UnknownMetricError, needs_of
from scoring.models import ModelVersion
from scoring.queries.models import models_for

MODEL_PREFIX: Final = "model:"


def check_scorer_names(names: Sequence[str], criterion: str, user: User | None) -> None:
    """Refuse names that no scorer bears, models of another criterion, or an empty list."""
    if not names:
        raise _wrong("Name at least one scorer.")
    for name in names:
        if name.startswith(MODEL_PREFIX):
            model = find_model(name.removeprefix(MODEL_PREFIX), user, field="scorers")
            if model.criterion != criterion:
                raise _wrong(f"{name} scores {model.criterion}, and this report is on {criterion}.")
        else:
            try:
                needs_of(name)
            except UnknownMetricError as error:
                raise _wrong(str(error)) from error


def find_model(model_id: str, user: User | None = None, field: str = "") -> ModelVersion:
    """Return the model version or refuse; `user` None means a command on this machine.

    `field` is what a refusal names as wrong.
    """
    rows = ModelVersion.objects.all() if user is None else models_for(user)
    try:
        return rows.get(pk=UUID(model_id))
    except (ValueError, ModelVersion.DoesNotExist) as error:
        sentence = f"There is no model {model_id[:100]!r}."
        raise Refused(sentence, {field: [sentence]} if field else None) from error


def _wrong(sentence: str) -> Refused:
    return Refused(sentence, {"scorers": [sentence]})
