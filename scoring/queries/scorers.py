"""Scorers by name: a published metric, or a model version as `model:ID`."""

from collections.abc import Sequence

from annotator.models import User
from annotator.refusals import Refused
from scoring.metrics.registry import UnknownMetricError, needs_of
from scoring.queries.models import MODEL_PREFIX, find_model


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


def _wrong(sentence: str) -> Refused:
    return Refused(sentence, {"scorers": [sentence]})
