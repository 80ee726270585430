from dataclasses import replace

import numpy as np
import pytest

from patclaimeval.agreement.correlation import tau_b
from patclaimeval.models.features import FEATURES, GROUPS, Matrix, Vector
from patclaimeval.models.prior import PRIOR, prior_of
from patclaimeval.models.ridge import (
    CLIP,
    GAIN,
    Comparisons,
    Linear,
    Scales,
    combine,
    fit,
    measure_scales,
)
from patclaimeval.models.ridge_training import differences, leave_one_out

NAMES = list(GROUPS)
BEFORE = {"structure": 0.5, "overlap": 0.25, "terms": 0.25}


def made(references: int, seed: int = 0, deciding: str = "renaming") -> Comparisons:
    """Comparisons of drawn features, decided by one group; each reference lies elsewhere."""
    draw = np.random.default_rng(seed)
    features = draw.normal(size=(4 * references, len(FEATURES)))
    features += np.repeat(draw.normal(size=(references, len(FEATURES))), 4, axis=0)
    places = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)]
    b, c = (
        np.array([4 * r + pair[side] for r in range(references) for pair in places])
        for side in (0, 1)
    )
    mean = features[:, columns(deciding)].mean(axis=1)
    gap = mean[b] - mean[c]
    labels = np.where(abs(gap) < 0.2, 0.0, np.sign(gap))
    return Comparisons(features, b, c, labels, [f"r{n // 6}" for n in range(6 * references)])


def columns(group: str) -> list[int]:
    return [place for place, name in enumerate(FEATURES) if name in GROUPS[group]]


def group_differences(data: Comparisons, names: list[str]) -> Matrix:
    """Return D, written anew from what the module says of it."""
    gaps = data.features[data.b] - data.features[data.c]
    seen = data.features[sorted({*data.b.tolist(), *data.c.tolist()})]
    scale = np.sqrt((gaps**2).mean(axis=0))
    found = []
    for name in names:
        at = columns(name)
        z = np.clip((data.features[:, at] - seen.mean(axis=0)[at]) / scale[at], -3, 3)
        score = z.sum(axis=1) / len(at)
        apart = score[data.b] - score[data.c]
        found.append(apart / np.sqrt((apart**2).mean()))
    return np.stack(found, axis=1)


def weights_of(model: Linear, data: Comparisons) -> Vector:
    """Return the weight of each group, from those of its features."""
    spread = measure_scales(data).spread
    return np.array([model.weight[columns(g)[0]] * len(GROUPS[g]) * spread[g] for g in NAMES])


def prior_vector(prior: dict[str, float]) -> Vector:
    return np.array([prior.get(name, 0.0) for name in NAMES])


@pytest.mark.parametrize("strength", [0.5, 30.0, 400.0])
def test_the_weights_solve_least_squares_with_the_prior_as_further_rows(strength) -> None:
    data, before = made(12), {name: 1.0 / (2 + n) for n, name in enumerate(NAMES)}
    apart, w0 = group_differences(data, NAMES), prior_vector(before)
    (slope,) = np.linalg.lstsq((apart @ w0)[:, None], data.labels)[0]
    assert slope > 0
    rows = np.vstack([apart, np.sqrt(strength) * np.eye(len(NAMES))])
    wanted = np.concatenate([data.labels, np.sqrt(strength) * slope * w0])
    expected = np.linalg.lstsq(rows, wanted)[0]
    found = weights_of(fit(data, before, strength), data)
    assert found == pytest.approx(expected, abs=1e-9)
    assert found != pytest.approx(slope * w0, abs=1e-2)


def test_without_strength_the_labels_decide_and_with_any_the_prior_does() -> None:
    data, before = made(12), dict.fromkeys(NAMES, 1.0)
    apart = group_differences(data, NAMES)
    alone = np.linalg.lstsq(apart, data.labels)[0]
    assert weights_of(fit(data, before, 0.0), data) == pytest.approx(alone, abs=1e-9)
    held = weights_of(fit(data, before, 1e12), data)
    assert held / held[0] == pytest.approx(np.ones(len(NAMES)), abs=1e-6)
    assert held[0] > 0
    (slope,) = np.linalg.lstsq(apart.sum(axis=1)[:, None], data.labels)[0]
    assert held[0] == pytest.approx(slope, rel=1e-6)


def test_groups_that_the_prior_does_not_name_count_nothing() -> None:
    data = made(12)
    weight = fit(data, BEFORE, 1.0).weight
    for group in NAMES:
        assert weight[columns(group)].any() == (group in BEFORE)


def test_a_reference_that_is_left_out_is_scored_by_a_model_of_the_others() -> None:
    data = made(12)
    left_out = [i for i, name in enumerate(data.groups) if name == "r3"]
    others = [i for i, name in enumerate(data.groups) if name != "r3"]
    without = fit(data.part(others), BEFORE, 50.0)
    found = leave_one_out(data, BEFORE, 50.0)[left_out]
    assert (found == differences(without, data.part(left_out))).all()


def test_labels_that_contradict_the_prior_leave_it_at_nought_and_turn_nothing_round() -> None:
    data = made(12, deciding="structure")
    against = replace(data, labels=-data.labels)
    held = fit(against, {"structure": 1.0}, 1e12)
    assert held.weight == pytest.approx(np.zeros(len(FEATURES)), abs=1e-9)
    assert fit(data, {"structure": 1.0}, 1e12).weight[columns("structure")].min() > 0.01


def test_a_model_is_repeated_to_the_bit() -> None:
    first, second = (fit(made(12), BEFORE) for _ in range(2))
    for name in ("centre", "factor", "weight"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes()


def assert_alike(one: Linear, two: Linear) -> None:
    for name in ("centre", "factor", "weight"):
        assert getattr(one, name) == pytest.approx(getattr(two, name), rel=1e-9, abs=1e-12)


def test_neither_the_order_of_comparisons_nor_which_is_called_b_matters() -> None:
    data = made(12)
    plain = fit(data, BEFORE)
    order = np.random.default_rng(1).permutation(len(data.labels)).tolist()
    assert_alike(fit(data.part(order), BEFORE), plain)
    turned = np.arange(len(data.labels)) % 3 == 0
    swapped = replace(
        data,
        b=np.where(turned, data.c, data.b),
        c=np.where(turned, data.b, data.c),
        labels=np.where(turned, -data.labels, data.labels),
    )
    assert_alike(fit(swapped, BEFORE), plain)
    rows = np.random.default_rng(2).permutation(len(data.features))
    at = np.argsort(rows)
    moved = replace(data, features=data.features[rows], b=at[data.b], c=at[data.c])
    assert_alike(fit(moved, BEFORE), plain)


def test_the_score_of_a_pair_is_the_same_bits_alone_or_beside_others() -> None:
    data = made(40)
    model = fit(data, BEFORE)
    together = model.scores(data.features)
    assert [float(model.scores(row[None])[0]) for row in data.features] == together.tolist()
    assert model.scores(data.features[::-1]).tolist() == together[::-1].tolist()


def test_what_never_differs_counts_nothing_and_hides_nothing_of_its_group() -> None:
    data = made(12)
    features = data.features.copy()
    features[:, columns("citations")] = 3.0
    features[:, columns("renaming")[0]] = np.repeat(np.arange(12.0), 4)
    model = fit(replace(data, features=features), dict.fromkeys(NAMES, 1.0), 1.0)
    at = [*columns("citations"), columns("renaming")[0]]
    assert model.factor[at].tolist() == [0.0] * len(at)
    assert model.weight[columns("citations")].tolist() == [0.0] * len(columns("citations"))
    assert np.isfinite(model.weight).all()
    row = features[:1]
    moved = row.copy()
    moved[0, at] += 1e6
    assert model.scores(moved).tolist() == model.scores(row).tolist()


@pytest.mark.parametrize("twin", ["citations", "terms"])
def test_without_strength_groups_that_say_nothing_of_their_own_are_no_error(twin) -> None:
    data = made(12)
    features = data.features.copy()
    # One that never differs, and two that always say the same.
    features[:, columns("citations")] = 3.0
    features[:, columns(twin)] = features[:, columns("order")[:1]]
    prior = {"order": 1.0, "renaming": 1.0, "citations": 1.0, twin: 1.0}
    model = fit(replace(data, features=features), prior, 0.0)
    assert np.isfinite(model.weight).all()
    assert model.weight[columns("renaming")].min() > 0


def test_scores_lie_between_nought_and_one_however_far_the_features_are() -> None:
    data = made(12)
    model = fit(data, dict.fromkeys(NAMES, 1.0), 0.0)
    for far in (1e300, -1e300):
        (score,) = model.scores(np.full((1, len(FEATURES)), far))
        assert 0 < score < 1
    # One outlier counts no more than CLIP scales.
    row = model.centre[None].copy()
    row[0, 0] = model.centre[0] + 1e9
    assert model.contributions(row)[0, 0] == CLIP * model.weight[0]


def test_the_score_is_the_sigmoid_of_the_gain_times_the_sum() -> None:
    size = len(FEATURES)
    model = Linear(np.zeros(size), np.ones(size), np.full(size, 0.5))
    row = np.zeros((1, size))
    row[0, :2] = 2.0, -9.0
    # 0.5 * 2 - 0.5 * CLIP, by hand.
    assert model.scores(row)[0] == pytest.approx(1 / (1 + np.exp(GAIN * 0.5)), abs=1e-12)


def test_scales_are_measured_by_hand() -> None:
    features = np.zeros((3, len(FEATURES)))
    features[:, 0] = 1, 3, 6
    features[:, 1] = 9, 9, 9
    data = Comparisons(features, np.array([0, 1]), np.array([1, 2]), np.zeros(2), ["r", "r"])
    scales = measure_scales(data)
    assert scales.centre[:2].tolist() == pytest.approx([10 / 3, 9])
    assert scales.scale[:2].tolist() == pytest.approx([np.sqrt((4 + 9) / 2), 0])
    # The mean over the group's members, most of which never differ.
    of_one = np.sqrt((4 + 9) / 2) / np.sqrt((4 + 9) / 2) / len(GROUPS["structure"])
    assert scales.spread["structure"] == pytest.approx(of_one)
    assert scales.spread["citations"] == 0


def test_pairs_that_no_comparison_holds_have_no_part_in_the_scales() -> None:
    data = made(4)
    more = replace(data, features=np.vstack([data.features, np.full(len(FEATURES), 1e6)]))
    assert measure_scales(more).centre.tolist() == measure_scales(data).centre.tolist()


def test_differences_among_references_shrink_nothing() -> None:
    data = made(8)
    shift = np.repeat(np.arange(8.0) * 50, 4)[:, None]
    moved = replace(data, features=data.features + shift)
    assert measure_scales(moved).scale == pytest.approx(measure_scales(data).scale)


def test_what_decides_is_learnt_and_holds_for_references_never_seen() -> None:
    prior = dict.fromkeys(NAMES, 1 / len(NAMES))
    unseen = made(20, seed=1)
    taus = []
    for references in (2, 60):
        data = made(references)
        taus.append(tau_b(differences(fit(data, prior), unseen), unseen.labels).value)
    assert taus[0] is not None and taus[1] is not None
    assert taus[1] > taus[0] + 0.1
    assert taus[1] > 0.7


def test_groups_get_the_weights_that_are_given() -> None:
    size = len(FEATURES)
    spread = dict.fromkeys(NAMES, 2.0) | {"order": 0.0}
    scales = Scales(np.ones(size), np.full(size, 4.0), spread)
    model = combine(scales, {"terms": 0.8, "order": 1.0})
    assert model.factor.tolist() == [0.25] * size
    share = 0.8 / 2 / len(GROUPS["terms"])
    assert model.weight.tolist() == pytest.approx(
        [share if name in GROUPS["terms"] else 0 for name in FEATURES]
    )


def test_each_criterion_has_a_prior_over_groups_that_exist_and_weighs_one() -> None:
    for prior in PRIOR.values():
        assert set(prior) <= set(GROUPS)
        assert sum(prior.values()) == pytest.approx(1)
        assert min(prior.values()) > 0
    assert prior_of("novelty") == PRIOR["overall_quality"]
    assert prior_of("logical_linkage") == PRIOR["logical_linkage"]
