from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from patclaimeval.models import encoder
from patclaimeval.models.checkpoint import read_checkpoint
from patclaimeval.models.config import TrainingSettings
from patclaimeval.models.data import Progress, Quadruplet, TrainingResult
from patclaimeval.models.encoder import EncoderUnavailable
from patclaimeval.models.features import FEATURES
from patclaimeval.models.scorer import load_scorer
from patclaimeval.models.training import TrainingCancelled, TrainingFailed, train_model
from tests.patclaimeval.models.methods import each_method_with_an_encoder

Items = list[Quadruplet]


def train(
    items: Items,
    directory: Path,
    encoder: Path | str,
    *,
    validation: Items | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    **settings: Any,
) -> TrainingResult:
    """Train on all, or on all but the last reference and validate on that one."""
    last = items[-1].reference_id if validation is None else None
    return train_model(
        training=[item for item in items if item.reference_id != last],
        validation=validation or [item for item in items if item.reference_id == last],
        settings=TrainingSettings("overall_quality", encoder=str(encoder), **settings),
        directory=directory,
        on_progress=on_progress,
    )


def pairs_of(items: Items) -> list[tuple[str, str]]:
    """Return all pairs, with repetitions."""
    return [pair for item in items for pair in item.pairs]


@each_method_with_an_encoder
def test_model_is_trained_saved_and_scores_alike_when_read_twice(
    method, kind, quadruplets, tmp_path, request
) -> None:
    encoder = request.getfixturevalue(kind)
    epochs = 1 if method == "probe" else 2
    result = train(quadruplets, tmp_path / "model", encoder, method=method, epochs=epochs)
    assert (result.n_training, result.n_validation, result.epochs_run) == (12, 3, epochs)
    assert result.validation["tau_b"] is not None
    assert 1 <= result.best_epoch <= epochs
    pairs = pairs_of(quadruplets)
    first, second = (load_scorer(tmp_path / "model").score(pairs) for _ in range(2))
    assert first == second
    assert all(0 < score < 1 for score in first)
    assert len(set(first)) > 2


@pytest.mark.parametrize("picked", ["fp32", "bf16"])
def test_precision_that_was_picked_is_stored_with_the_model(
    picked, quadruplets, tiny_bert, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(encoder, "resolve_precision", lambda wanted, device: picked)
    stored = {}
    for method in ("finetune", "probe"):
        result = train(quadruplets, tmp_path / method, tiny_bert, method=method, epochs=1)
        config = read_checkpoint(tmp_path / method).config
        stored[method] = result.settings["precision"], config["settings"]["precision"]
    assert stored == {"finetune": (picked, picked), "probe": ("fp32", "fp32")}


def test_finetuning_moves_the_encoder_and_lowers_the_loss(quadruplets, tiny_bert, tmp_path) -> None:
    result = train(
        quadruplets, tmp_path / "m", tiny_bert, method="finetune", epochs=6, learning_rate=3e-3
    )
    assert result.history[-1]["loss"] < result.history[0]["loss"]
    name = "encoder.layer.1.output.dense.weight"
    old = load_file(tiny_bert / "model.safetensors")[name]
    new = read_checkpoint(tmp_path / "m").tensors[f"encoder.{name}"]
    assert not np.array_equal(old, new)


def test_finetuning_after_a_probe_starts_where_the_probe_ends(
    quadruplets, tiny_bert, tmp_path
) -> None:
    train(quadruplets, tmp_path / "probe", "default")
    still = {"method": "probe-then-finetune", "epochs": 1, "learning_rate": 1e-12}
    train(quadruplets, tmp_path / "tuned", tiny_bert, **still)
    probe, tuned = (read_checkpoint(tmp_path / name).tensors for name in ("probe", "tuned"))
    size = len(FEATURES)
    for name, of_probe in (("weight", "weight"), ("centre", "centre"), ("scale", "factor")):
        assert tuned[f"head.{name}"].shape == (size + 32,)
        assert tuned[f"head.{name}"][:size] == pytest.approx(probe[of_probe], rel=1e-5, abs=1e-7)
    # What the probe leaves of the labels, the pooled state begins to tell.
    assert np.abs(tuned["head.weight"][size:]).min() > 0


def test_saved_weights_are_those_of_the_best_epoch(
    quadruplets, tiny_bert, tmp_path, monkeypatch
) -> None:
    found = []
    for taus in ([0.1, 0.9], [0.1, 0.9, 0.2]):
        coming = iter(taus)
        monkeypatch.setattr(
            "patclaimeval.models.finetune.validation_tau",
            lambda *args, coming=coming: next(coming),
        )
        directory = tmp_path / str(len(taus))
        result = train(quadruplets, directory, tiny_bert, method="finetune", epochs=len(taus))
        assert (result.best_epoch, result.epochs_run) == (2, len(taus))
        found.append(read_checkpoint(directory).tensors)
    assert all(np.array_equal(found[0][name], found[1][name]) for name in found[0])


@pytest.mark.parametrize(
    ("method", "batching"),
    [
        ("probe", "paper"),
        ("finetune", "by-reference"),
        # As its training goes on after a stop, too, which is tried each time.
        pytest.param("finetune", "paper", marks=pytest.mark.exhaustive),
    ],
)
def test_same_seed_gives_the_same_weights(
    method, batching, quadruplets, tiny_bert, tmp_path
) -> None:
    found = []
    for name in ("one", "two"):
        torch.rand(7)  # what was drawn before must not matter
        train(quadruplets, tmp_path / name, tiny_bert, method=method, epochs=2, batching=batching)
        found.append(read_checkpoint(tmp_path / name).tensors)
    assert all(np.array_equal(found[0][name], found[1][name]) for name in found[0])


def test_another_seed_gives_other_weights(quadruplets, tiny_bert, tmp_path) -> None:
    found = []
    for seed in (0, 1):
        directory = tmp_path / str(seed)
        train(quadruplets, directory, tiny_bert, method="finetune", epochs=1, seed=seed)
        found.append(read_checkpoint(directory).tensors["head.weight"])
    assert not np.array_equal(*found)


@pytest.mark.parametrize(
    ("method", "stage"),
    [
        (method, stage)
        for method in ("probe", "finetune")
        for stage in ("preparing", "features", "training", "saving")
        if (method, stage) not in (("finetune", "features"), ("probe", "preparing"))
    ],
)
def test_cancelling_leaves_nothing_behind(method, stage, quadruplets, tiny_bert, tmp_path) -> None:
    def stop(progress: Progress) -> None:
        if progress.stage == stage:
            raise TrainingCancelled("stopped by rita")

    with pytest.raises(TrainingCancelled):
        train(quadruplets, tmp_path / "m", tiny_bert, method=method, epochs=2, on_progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_progress_counts_up_and_ends_with_saving(quadruplets, tiny_bert, tmp_path) -> None:
    seen: list[Progress] = []
    asked = {"method": "finetune", "epochs": 2, "on_progress": seen.append}
    train(quadruplets, tmp_path / "m", tiny_bert, **asked)
    steps = [(p.epoch, p.step) for p in seen if p.stage == "training"]
    assert steps == sorted(steps)
    assert steps[-1] == (2, 6)
    assert seen[-1].stage == "saving"
    assert any(p.validation_tau is not None for p in seen)


def test_loss_that_is_not_finite_stops_training_with_its_step(
    quadruplets, tiny_bert, tmp_path, monkeypatch
) -> None:
    def broken(b: torch.Tensor, *rest: Any) -> torch.Tensor:
        return b * float("nan")

    monkeypatch.setattr("patclaimeval.models.finetune.margin_tolerance_loss", broken)
    with pytest.raises(TrainingFailed, match="nan at step 1"):
        train(quadruplets, tmp_path / "m", tiny_bert, method="finetune", epochs=2)
    assert list(tmp_path.iterdir()) == []


def test_pairs_over_the_limit_are_refused_by_name_and_never_cut(
    quadruplets, tiny_bert, tmp_path
) -> None:
    with pytest.raises(TrainingFailed, match=r"longer than 40 tokens: reference dosing"):
        train(quadruplets, tmp_path / "m", tiny_bert, method="finetune", max_tokens=40)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda items: items[:4], "at least 8"),
        (lambda items: [replace(i, reference_id="one") for i in items], "one reference"),
        (lambda items: [replace(i, y=0) for i in items], "same label"),
    ],
)
def test_training_set_that_teaches_nothing_is_refused_in_a_sentence(
    change, sentence, quadruplets, tmp_path
) -> None:
    with pytest.raises(TrainingFailed, match=sentence):
        train(change(quadruplets), tmp_path / "m", "default", validation=[])


@pytest.mark.parametrize(
    ("method", "references", "chosen_by"),
    [
        ("probe", 3, "a prior of weight 100 comparisons and the training labels"),
        ("finetune", 9, "the last epoch, as no validation items could choose one"),
    ],
)
def test_without_validation_items_training_says_how_it_chose(
    method, references, chosen_by, quadruplets, tiny_bert, tmp_path
) -> None:
    items = [
        replace(item, reference_id=f"{item.reference_id} {copy}", reference=item.reference + copy)
        for copy in ("", " ")
        for item in quadruplets
    ][: 3 * references]
    settings = {"method": method, "epochs": 2, "device": "cpu"}
    result = train(items, tmp_path / "m", tiny_bert, validation=[], **settings)
    assert (result.n_training, result.n_validation) == (3 * references, 0)
    assert chosen_by in result.chosen["chosen_by"]
    notes = [warning for warning in result.warnings if "no validation items" in warning]
    assert any(chosen_by in note for note in notes)


def test_without_validation_items_references_left_out_in_turn_measure_a_probe(
    quadruplets, tmp_path
) -> None:
    result = train(quadruplets, tmp_path / "m", "default", validation=[])
    assert result.chosen["unseen"]["n"] == 15
    assert result.warnings == []


@pytest.mark.parametrize("method", ["probe", "finetune"])
def test_claims_of_any_script_and_formulas_are_trained_on_uncut(
    method, tiny_bert, tmp_path
) -> None:
    texts = (
        "1. 一种泵，包括壳体和阀，其中所述阀固定于所述壳体。",  # noqa: RUF001
        "١. مضخة تشتمل على غلاف وصمام مثبت في الغلاف.",  # noqa: RUF001
        "1. A compound of formula C₆H₅-CH=CH-COOH, wherein R¹ is NH₂ or (CH₂)ₙ.",
    )
    items = [
        Quadruplet(f"r{n}", f"{texts[n % 3]} {n}", f"{texts[n % 3]} {n}", f"x {texts[n % 3]}", y)
        for n in range(6)
        for y in (1, 0)
    ]
    result = train(items, tmp_path / "m", tiny_bert, method=method, epochs=1)
    assert (result.n_training, result.left_out) == (10, [])
    assert 0 < load_scorer(tmp_path / "m").score([(texts[0], texts[1])])[0] < 1


def test_items_over_the_limit_are_left_out_by_choice_and_listed(
    quadruplets, tiny_bert, tmp_path
) -> None:
    long = replace(quadruplets[4], b=quadruplets[4].b + " 3. A valve of claim 1." * 20)
    items = [*quadruplets[:4], long, *quadruplets[5:]]
    limits = {"max_tokens": 110, "over_length": "leave-out"}
    result = train(items, tmp_path / "m", tiny_bert, method="finetune", epochs=1, **limits)
    assert (result.n_training, result.n_validation) == (11, 3)
    assert result.left_out == ["reference cooling, item 5"]
    assert "1 item was left out because a pair is longer than 110 tokens" in result.warnings[0]


def test_too_few_items_that_fit_are_refused(quadruplets, tiny_bert, tmp_path) -> None:
    seen: list[Progress] = []
    asked = {"max_tokens": 40, "over_length": "leave-out", "on_progress": seen.append}
    with pytest.raises(TrainingFailed, match="0 quadruplets to train on"):
        train(quadruplets, tmp_path / "m", tiny_bert, method="finetune", **asked)
    assert "15 items were left out" in seen[-1].note


def test_missing_encoder_directory_says_what_to_put_where(quadruplets, tmp_path) -> None:
    with pytest.raises(EncoderUnavailable, match="Put a model in Hugging Face layout there"):
        train(quadruplets, tmp_path / "m", tmp_path / "nowhere", method="finetune")


def test_existing_model_directory_is_refused(quadruplets, tmp_path) -> None:
    (tmp_path / "m").mkdir()
    with pytest.raises(TrainingFailed, match="exists already"):
        train(quadruplets, tmp_path / "m", "default")


def test_shared_references_of_training_and_validation_are_warned_about(
    quadruplets, tmp_path
) -> None:
    result = train(quadruplets, tmp_path / "m", "default", validation=quadruplets[:3])
    assert any("both training and validation" in warning for warning in result.warnings)
