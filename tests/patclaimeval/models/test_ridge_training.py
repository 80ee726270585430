import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from patclaimeval.agreement.correlation import tau_b
from patclaimeval.models.config import STRENGTH, TrainingSettings
from patclaimeval.models.data import Progress, Quadruplet
from patclaimeval.models.errors import TrainingCancelled
from patclaimeval.models.features import FEATURES, GROUPS, feature_vector
from patclaimeval.models.outcome import Outcome
from patclaimeval.models.prior import load_prior, prior_of
from patclaimeval.models.ridge import Comparisons, Linear, fit
from patclaimeval.models.ridge_training import compare, differences, leave_one_out, train_ridge
from patclaimeval.models.validation import best_tie_threshold
from tests.patclaimeval.models.conftest import write_rows
from tests.patclaimeval.models.test_ridge import BEFORE, made, weights_of

Items = list[Quadruplet]
ROOT = Path(__file__).resolve().parents[3]


def train(
    training: Sequence[Quadruplet],
    validation: Sequence[Quadruplet] = (),
    seen: list[Progress] | None = None,
    **settings: object,
) -> Outcome:
    chosen = TrainingSettings("overall_quality", **settings).resolved()  # type: ignore[arg-type]
    return train_ridge(training, validation, chosen, [].append if seen is None else seen.append)


def test_items_become_rows_of_features_each_pair_once(quadruplets) -> None:
    steps: list[tuple[int, int]] = []
    data = compare(quadruplets, lambda done, of: steps.append((done, of)))
    assert data.features.shape == (15, len(FEATURES))
    for place, item in enumerate(quadruplets):
        for rows, text in ((data.b, item.b), (data.c, item.c)):
            row = data.features[rows[place]]
            assert row.tolist() == feature_vector(item.reference, text).tolist()
    assert data.labels.tolist() == [item.y for item in quadruplets]
    assert data.groups == [item.reference_id for item in quadruplets]
    assert steps == [(n, 15) for n in range(1, 16)]


def test_reading_tells_its_pace_and_what_is_left_from_the_first_pair(quadruplets) -> None:
    seen: list[Progress] = []
    train(quadruplets, seen=seen)
    begun, *read = [one for one in seen if one.stage == "features"]
    assert (begun.step, begun.steps, begun.tokens_per_second) == (0, len(read), None)
    assert [one.step for one in read] == [*range(1, len(read) + 1)]
    assert all(one.tokens_per_second and one.tokens_per_second > 0 for one in read)
    left = [one.seconds_left for one in read]
    assert all(seconds is not None and seconds > 0 for seconds in left[:-1]) and left[-1] == 0


def turned_round(data: Comparisons, name: str) -> Comparisons:
    """Turn every label of one reference round."""
    own = np.array(data.groups) == name
    return replace(data, labels=np.where(own, -data.labels, data.labels))


def test_a_reference_that_is_left_out_is_never_seen() -> None:
    data = made(6)
    own = np.array(data.groups) == "r3"
    assert data.labels[own].any()
    plain = leave_one_out(data, BEFORE, 1.0)
    planted = leave_one_out(turned_round(data, "r3"), BEFORE, 1.0)
    assert planted[own].tolist() == plain[own].tolist()
    assert abs(planted[~own] - plain[~own]).min() > 0
    # With it in training, its turned labels would move its own differences.
    seen = [differences(fit(one, BEFORE, 1.0), one) for one in (data, turned_round(data, "r3"))]
    assert abs(seen[0][own] - seen[1][own]).max() > 1e-3


def test_not_even_the_features_of_a_reference_that_is_left_out_are_seen() -> None:
    data = made(6)
    items = [n for n, name in enumerate(data.groups) if name != "r3"]
    rows = sorted({*data.b[items].tolist(), *data.c[items].tolist()})
    at = {row: place for place, row in enumerate(rows)}
    others = Comparisons(
        data.features[rows],
        np.array([at[row] for row in data.b[items].tolist()]),
        np.array([at[row] for row in data.c[items].tolist()]),
        data.labels[items],
        [data.groups[n] for n in items],
    )
    own = [n for n, name in enumerate(data.groups) if name == "r3"]
    expected = differences(fit(others, BEFORE, 1.0), data)[own]
    found = leave_one_out(data, BEFORE, 1.0)[own]
    assert found == pytest.approx(expected, rel=1e-9)


def test_every_item_is_left_out_once() -> None:
    data = made(6)
    found = leave_one_out(data, BEFORE, 100.0)
    assert found.shape == data.labels.shape
    assert np.count_nonzero(found) == len(found)


@pytest.fixture
def model_of(quadruplets: Items) -> Linear:
    data = compare(quadruplets, lambda done, of: None)
    return fit(data, prior_of("overall_quality"), STRENGTH)


def test_the_model_is_the_fit_on_all_training_items(quadruplets, model_of) -> None:
    outcome = train(quadruplets)
    assert (outcome.kind, outcome.features) == ("probe", list(FEATURES))
    assert set(outcome.tensors) == {"centre", "factor", "weight"}
    for name, tensor in outcome.tensors.items():
        assert tensor.dtype == np.float64
        assert tensor.tolist() == getattr(model_of, name).tolist()


def test_validation_items_measure_and_decide_nothing(quadruplets) -> None:
    training, validation = quadruplets[:12], quadruplets[12:]
    plain = train(training, validation)
    turned = train(training, [replace(item, y=-item.y) for item in validation])
    assert plain.differences.shape == (3,)
    for other in (turned, train(training)):
        assert other.tie_threshold == plain.tie_threshold
        assert other.tensors["weight"].tolist() == plain.tensors["weight"].tolist()
    assert turned.differences.tolist() == plain.differences.tolist()
    (row,) = plain.history
    expected = tau_b(plain.differences, np.array([item.y for item in validation])).value
    assert row["validation_tau"] == expected != turned.history[0]["validation_tau"]


def test_the_tie_threshold_is_set_on_references_that_were_left_out(quadruplets) -> None:
    outcome = train(quadruplets)
    data = compare(quadruplets, lambda done, of: None)
    apart = leave_one_out(data, prior_of("overall_quality"), STRENGTH)
    assert outcome.tie_threshold == best_tie_threshold(apart, data.labels)
    ties = abs(apart[data.labels == 0])
    assert max(ties) <= outcome.tie_threshold < min(abs(apart[data.labels != 0]))
    unseen = outcome.facts["unseen"]
    assert (unseen["n"], unseen["references"]) == (15, 5)
    assert unseen["tau_b"] == tau_b(apart, data.labels).value
    before = differences(load_prior("overall_quality").model, data)
    of_prior = unseen["overlaps"]["patclaimeval-0"]
    assert of_prior["tau_b"]["value"] == tau_b(before, data.labels).value
    assert of_prior["lead"]["value"] == pytest.approx(unseen["tau_b"] - of_prior["tau_b"]["value"])
    assert outcome.warnings == []


def test_three_references_warn_that_the_threshold_was_not_set_on_unseen_ones(
    quadruplets, model_of
) -> None:
    outcome = train(quadruplets[:9])
    (warning,) = outcome.warnings
    assert warning.startswith("Fewer than 4 references: the tie threshold could not be set")
    assert "unseen" not in outcome.facts
    data = compare(quadruplets[:9], lambda done, of: None)
    model = fit(data, prior_of("overall_quality"), STRENGTH)
    assert outcome.tie_threshold == best_tie_threshold(differences(model, data), data.labels)
    assert train(quadruplets[:12]).warnings == []


def test_an_encoder_that_was_named_brings_a_warning_that_it_has_no_part(quadruplets) -> None:
    plain, named = train(quadruplets), train(quadruplets, encoder="/no/such/place")
    assert named.warnings == ["The probe reads no encoder: the one named has no part in it."]
    assert named.tensors["weight"].tolist() == plain.tensors["weight"].tolist()


@pytest.mark.parametrize(
    "settings",
    [
        {"epochs": 7, "learning_rate": 0.5, "batch_size": 2, "batching": "by-reference"},
        {"seed": 9, "margin": 0.9, "tolerance": 0.4, "max_tokens": 16, "over_length": "leave-out"},
    ],
)
def test_what_concerns_an_encoder_has_no_effect(quadruplets, settings) -> None:
    plain, other = train(quadruplets), train(quadruplets, **settings)
    assert other.tensors["weight"].tobytes() == plain.tensors["weight"].tobytes()
    assert (other.tie_threshold, other.epochs_run) == (plain.tie_threshold, 1)


def test_the_facts_say_what_each_group_counts_and_how_strong_the_prior_was(quadruplets) -> None:
    plain, free = train(quadruplets), train(quadruplets, weight_decay=2.5)
    assert plain.facts["strength"] == STRENGTH
    assert plain.facts["chosen_by"] == ("a prior of weight 100 comparisons and the training labels")
    weights = plain.facts["weights"]
    assert set(weights) == {"structure", "overlap", "terms"}
    data = compare(quadruplets, lambda done, of: None)
    found = Linear(**plain.tensors)
    for name, weight in zip(GROUPS, weights_of(found, data).tolist(), strict=True):
        assert weights.get(name, 0) == pytest.approx(weight)
    assert free.facts["strength"] == 2.5
    assert "weight 2.5 comparisons" in free.facts["chosen_by"]
    assert free.tensors["weight"].tolist() != plain.tensors["weight"].tolist()
    json.dumps(plain.facts, allow_nan=False)


def test_the_loss_is_the_mean_square_of_what_the_model_leaves_of_the_labels(
    quadruplets, model_of
) -> None:
    seen: list[Progress] = []
    outcome = train(quadruplets, seen=seen)
    data = compare(quadruplets, lambda done, of: None)
    each = model_of.contributions(data.features).sum(axis=1)
    left = data.labels - each[data.b] + each[data.c]
    assert outcome.history[0]["loss"] == pytest.approx(np.mean(left**2))
    assert [(p.stage, p.step, p.steps) for p in seen] == [
        *(("features", n, 15) for n in range(16)),
        ("training", 1, 1),
    ]
    assert seen[-1].ends_epoch
    assert seen[-1].loss == outcome.history[0]["loss"]


@pytest.mark.parametrize("stage", ["features", "training"])
def test_progress_may_stop_the_training(quadruplets, stage) -> None:
    def stop(progress: Progress) -> None:
        if progress.stage == stage:
            raise TrainingCancelled("stopped by rita")

    settings = TrainingSettings("overall_quality").resolved()
    with pytest.raises(TrainingCancelled):
        train_ridge(quadruplets, [], settings, stop)


WITHOUT_TORCH = """
import json, sys
from pathlib import Path
import patclaimeval as library
rows, model = map(Path, sys.argv[1:])
library.train(rows, model, criterion="overall_quality")
(scored,) = library.score("1. A cup with a lid.", ["1. A cup."], model=model)
(prior,) = library.score("1. A cup with a lid.", ["1. A cup."])
library.agree(rows, models=[model], split="all", resamples=100)
print(json.dumps([scored, prior, sorted({"torch", "transformers"} & set(sys.modules))]))
"""


def test_neither_training_nor_scoring_nor_agreement_loads_torch(quadruplets, tmp_path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", quadruplets)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, rows, tmp_path / "model"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    scored, prior, loaded = json.loads(done.stdout)
    assert 0 < scored < 1 and 0 < prior < 1
    assert loaded == []
