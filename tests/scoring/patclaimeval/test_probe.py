"""Tests of fitting the head over fixed features, on numbers made for it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from scoring.agreement.correlation import tau_b
from scoring.patclaimeval.config import PROBE_FALLBACK_WEIGHT_DECAY, TrainingSettings
from scoring.patclaimeval.probe import Comparisons, differences, fit_head, fit_probe

# A quarter of the default steps, each four times as long.
STEPS = {"epochs": 50, "learning_rate": 0.04}
SETTINGS = TrainingSettings("overall_quality", **STEPS).resolved()


def quiet(step: int, steps: int, loss: float | None) -> None:
    """Hear progress and do nothing."""


def made(references: int, signs: tuple[float, ...] = (0, 0, 0), seed: int = 0) -> Comparisons:
    """Comparisons decided by feature 0; feature 1 is noise; feature 2 is noise by distance."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(references * 4, 3)).astype(np.float32)
    b, c, groups = [], [], []
    for reference in range(references):
        for i, j in ((0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)):
            b.append(reference * 4 + i)
            c.append(reference * 4 + j)
            groups.append(f"r{reference}")
    gap = features[b, 0] - features[c, 0]
    return Comparisons(
        features, np.array(b), np.array(c), np.where(abs(gap) < 0.2, 0.0, np.sign(gap)),
        groups, np.array(signs, dtype=np.float32), np.array([False, False, True]),
    )  # fmt: skip


def test_head_learns_what_decides_and_carries_it_to_other_references() -> None:
    probe = fit_probe(made(14), SETTINGS, quiet)
    unseen = made(10, seed=1)
    tau = tau_b(differences(probe.head, unseen), unseen.labels).value
    assert tau is not None
    assert tau > 0.6
    assert probe.losses[-1] < probe.losses[0]


def test_weight_never_contradicts_its_sign() -> None:
    head, _ = fit_head(made(8, signs=(-1, 1, 0)), SETTINGS, 6.0, 1.0)
    assert float(head.weight[0].detach()) == 0.0
    assert float(head.weight[1].detach()) >= 0.0


def test_distances_at_scale_nought_have_no_say() -> None:
    head, _ = fit_head(made(8), SETTINGS, 6.0, 0.0)
    assert float(head.weight[2].detach()) == 0.0


def test_a_long_fit_can_be_stopped_within_a_fold() -> None:
    heard: list[tuple[int, int]] = []

    def stop(step: int, steps: int, loss: float | None) -> None:
        heard.append((step, steps))
        raise InterruptedError

    settings = TrainingSettings("overall_quality", epochs=100_000).resolved()
    with pytest.raises(InterruptedError):
        fit_probe(made(14), settings, stop)
    assert heard == [(0, 8)]


def test_few_references_leave_the_recommended_value_unchosen() -> None:
    probe = fit_probe(made(6), SETTINGS, quiet)
    assert (probe.weight_decay, probe.distance_scale) == (PROBE_FALLBACK_WEIGHT_DECAY, 0.0)
    assert probe.folds_tau is not None
    assert probe.warnings == []


def test_three_references_warn_that_no_threshold_could_be_set_on_unseen_ones() -> None:
    probe = fit_probe(made(3), SETTINGS, quiet)
    assert probe.folds_tau is None
    assert "threshold" in probe.warnings[0]


def test_weight_decay_that_was_given_is_kept() -> None:
    settings = TrainingSettings("overall_quality", weight_decay=2.5, **STEPS).resolved()
    assert fit_probe(made(14), settings, quiet).weight_decay == 2.5


def test_what_tells_candidates_apart_is_not_shrunk_by_differences_among_references() -> None:
    data = made(8)
    shift = np.repeat(np.arange(8) * 50, 4)[:, None].astype(np.float32)
    shifted = Comparisons(
        data.features + shift, data.b, data.c, data.labels, data.groups, data.signs, data.distances
    )
    plain, moved = (fit_head(d, SETTINGS, 6.0, 1.0)[0] for d in (data, shifted))
    assert moved.scale.numpy() == pytest.approx(plain.scale.numpy(), rel=1e-3)


def test_a_head_is_fitted_on_one_thread_and_the_rest_is_given_back() -> None:
    before, seen = torch.get_num_threads(), []
    torch.set_num_threads(2)
    try:
        fit_head(made(3), SETTINGS, 6.0, 0.0, lambda *_: seen.append(torch.get_num_threads()))
        assert (set(seen), torch.get_num_threads()) == ({1}, 2)
    finally:
        torch.set_num_threads(before)
