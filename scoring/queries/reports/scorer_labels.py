"""What the scorers of a report are called on screen."""

from typing import Final

from scoring.metrics.registry import METRIC_LABELS

LABELS: Final = {**METRIC_LABELS, "majority": "Most frequent label"}


def scorer_label(name: str) -> str:
    """Return how a scorer is called on screen; a model by the first digits of its id."""
    prefix, _, model = name.partition(":")
    if prefix == "model" and model:
        return f"PatClaimEval {model[:8]}"
    return LABELS.get(name, name)
