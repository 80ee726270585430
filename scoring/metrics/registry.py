"""The names of the metrics that can be asked for now, each loaded only when it is used."""

from __future__ import annotations

from collections.abc import Callable

from scoring.metrics.base import Metric


class UnknownMetricError(ValueError):
    """No metric of that name is available; the message says which are."""


def get_metric(name: str, *, seed: int = 0) -> Metric:
    """Load one metric by name.

    Input: a name of METRIC_NAMES; `seed` (any whole number) is read by 'random' alone.
    Output: the metric. Raises UnknownMetricError, whose message can be shown to a person.
    """
    loader = _LOADERS.get(name)
    if loader is None:
        raise UnknownMetricError(_refusal(name))
    return loader(seed)


def _refusal(name: str) -> str:
    available = f"Available now: {', '.join(METRIC_NAMES)}."
    if name in LATER_NAMES:
        return (
            f"The metric {name} arrives with the agreement laboratory and is not installed yet. "
            f"{available}"
        )
    if name == "majority":
        return f"majority is a baseline of labels that every report shows by itself. {available}"
    return f"There is no metric called {name!r}. {available}"


def _bleu_1(seed: int) -> Metric:
    from scoring.metrics.bleu import Bleu

    return Bleu(order=1)


def _bleu_4(seed: int) -> Metric:
    from scoring.metrics.bleu import Bleu

    return Bleu(order=4)


def _rouge_1(seed: int) -> Metric:
    from scoring.metrics.rouge import Rouge

    return Rouge("1")


def _rouge_2(seed: int) -> Metric:
    from scoring.metrics.rouge import Rouge

    return Rouge("2")


def _rouge_l(seed: int) -> Metric:
    from scoring.metrics.rouge import Rouge

    return Rouge("l")


def _meteor(seed: int) -> Metric:
    from scoring.metrics.meteor import Meteor

    return Meteor()


def _identity(seed: int) -> Metric:
    from scoring.metrics.baselines import Identity

    return Identity()


def _length(seed: int) -> Metric:
    from scoring.metrics.baselines import Length

    return Length()


def _claim_count(seed: int) -> Metric:
    from scoring.metrics.baselines import ClaimCount

    return ClaimCount()


def _random(seed: int) -> Metric:
    from scoring.metrics.baselines import Random

    return Random(seed=seed)


_LOADERS: dict[str, Callable[[int], Metric]] = {
    "bleu-1": _bleu_1,
    "bleu-4": _bleu_4,
    "rouge-1": _rouge_1,
    "rouge-2": _rouge_2,
    "rouge-l": _rouge_l,
    "meteor": _meteor,
    "identity": _identity,
    "length": _length,
    "claim-count": _claim_count,
    "random": _random,
}
METRIC_NAMES: tuple[str, ...] = tuple(_LOADERS)
BASELINE_NAMES: tuple[str, ...] = ("random", "identity", "length", "claim-count")
LATER_NAMES: tuple[str, ...] = (
    *("bertscore", "bartscore", "moverscore", "simcse", "unieval", "alignscore"),
    *("g-eval", "llmscore", "sari"),
)
