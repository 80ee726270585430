"""Trains the default model: features, ridge around the prior, figures on references left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import monotonic
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from patclaimeval.agreement.correlation import tau_b
from patclaimeval.models.config import DEFAULT_ENCODER, TrainingSettings
from patclaimeval.models.data import Progress, Quadruplet, distinct_pairs
from patclaimeval.models.features import FEATURES, Vector, feature_vector
from patclaimeval.models.outcome import Outcome
from patclaimeval.models.prior import NAME as PRIOR_NAME
from patclaimeval.models.prior import load_prior, prior_of
from patclaimeval.models.ridge import (
    CLIP,
    Comparisons,
    Linear,
    combine,
    fit,
    group_weights,
    measure_scales,
)
from patclaimeval.models.validation import best_tie_threshold, measure_validation

FEWEST_REFERENCES: Final = 4
"""Below so many references a model without one of them says little about the model with it."""


def compare(items: Sequence[Quadruplet], on_step: Callable[[int, int], None]) -> Comparisons:
    """Return n items as comparisons of features; ``on_step(done, total)`` may raise to stop."""
    pairs = distinct_pairs(items)
    rows = np.zeros((len(pairs), len(FEATURES)))
    for place, pair in enumerate(pairs):
        rows[place] = feature_vector(*pair)
        on_step(place + 1, len(pairs))
    at = {pair: place for place, pair in enumerate(pairs)}
    b, c = (np.array([at[item.pairs[side]] for item in items], dtype=np.int64) for side in (0, 1))
    labels = np.array([item.y for item in items], dtype=np.float64)
    return Comparisons(rows, b, c, labels, [item.reference_id for item in items])


def differences(model: Linear, data: Comparisons) -> Vector:
    """Return s_B - s_C of each comparison, shape [n], in (-1, 1)."""
    scores = model.scores(data.features)
    return np.asarray(scores[data.b] - scores[data.c])


def leave_one_out(data: Comparisons, prior: Mapping[str, float], strength: float) -> Vector:
    """Return s_B - s_C of each comparison from a model that never saw its reference, shape [n]."""
    found = np.zeros(len(data.labels))
    for left_out, model in models_without(data, prior, strength):
        found[left_out] = differences(model, data.part(left_out.tolist()))
    return found


def models_without(
    data: Comparisons, prior: Mapping[str, float], strength: float
) -> Iterator[tuple[NDArray[np.int64], Linear]]:
    """Yield the positions of each reference's comparisons, with the model that never saw them."""
    groups = np.array(data.groups)
    for name in sorted(set(data.groups)):
        others = np.flatnonzero(groups != name).tolist()
        yield np.flatnonzero(groups == name), fit(data.part(others), prior, strength)


class Reading:
    """How far the reading of pairs is, how fast, and how long it will take, by their words."""

    def __init__(self, words: Sequence[int]) -> None:
        self.words, self.all = words, sum(words)
        self.read = 0
        self.began = monotonic()

    def after(self, done: int) -> Progress:
        """Return the message that follows the pair of a number from 1."""
        self.read += self.words[done - 1]
        pace = self.read / max(monotonic() - self.began, 1e-9)
        left = (self.all - self.read) / pace if pace else None
        return Progress(
            *("features", done, len(self.words)), tokens_per_second=pace or None, seconds_left=left
        )


def train_ridge(
    training: Sequence[Quadruplet],
    validation: Sequence[Quadruplet],
    settings: TrainingSettings,
    on_progress: Callable[[Progress], None],
) -> Outcome:
    """Fit the default model on all training items; validation items only measure it.

    The tie threshold, and the figures under ``unseen``, are of training items by models that
    never saw their reference.
    """
    prior, strength = prior_of(settings.criterion), settings.weight_decay
    assert strength is not None
    items = [*training, *validation]
    reading = Reading([sum(len(text.split()) for text in pair) for pair in distinct_pairs(items)])
    on_progress(Progress("features", 0, len(reading.words)))
    data = compare(items, lambda done, of: on_progress(reading.after(done)))
    seen = data.part(range(len(training)))
    unseen = data.part(range(len(training), len(data.labels)))
    scales = measure_scales(seen)
    weights = group_weights(seen, scales, prior, strength)
    model = combine(scales, weights)
    found = differences(model, unseen)
    before = load_prior(settings.criterion).model
    loss = float(np.mean((seen.labels - _logits(model, seen)) ** 2))
    warnings = []
    if settings.encoder != DEFAULT_ENCODER:
        warnings.append("The probe reads no encoder: the one named has no part in it.")
    facts: dict[str, Any] = {
        "strength": strength,
        "weights": weights,
        "chosen_by": f"a prior of weight {strength:g} comparisons and the training labels",
    }
    if len(set(seen.groups)) >= FEWEST_REFERENCES:
        apart = leave_one_out(seen, prior, strength)
        threshold = best_tie_threshold(apart, seen.labels)
        beside = {PRIOR_NAME: differences(before, seen)}
        facts["unseen"] = measure_validation(training, apart, threshold, beside)
    else:
        threshold = best_tie_threshold(differences(model, seen), seen.labels)
        warnings.append(
            f"Fewer than {FEWEST_REFERENCES} references: the tie threshold could not be set on "
            "unseen references."
        )
    tau = tau_b(found, unseen.labels).value
    on_progress(Progress("training", 1, 1, 1, 1, loss, tau, ends_epoch=True))
    return Outcome(
        kind="probe",
        tensors={"centre": model.centre, "factor": model.factor, "weight": model.weight},
        clip=CLIP,
        features=list(FEATURES),
        differences=found,
        tie_threshold=threshold,
        epochs_run=1,
        best_epoch=1,
        history=[{"epoch": 1, "loss": loss, "validation_tau": tau}],
        facts=facts,
        warnings=warnings,
        beside={PRIOR_NAME: differences(before, unseen)},
    )


def _logits(model: Linear, data: Comparisons) -> Vector:
    logits = model.contributions(data.features).sum(axis=1)
    return np.asarray(logits[data.b] - logits[data.c])
