"""Tests of encoders that several models of one process share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from scoring.patclaimeval import shared_encoders as scene
from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Quadruplet, distinct_pairs
from scoring.patclaimeval.encoder import Encoder, EncoderUnavailable
from scoring.patclaimeval.scorer import load_scorer
from scoring.patclaimeval.shared_encoders import MOST_KEPT, shared_encoder
from scoring.patclaimeval.training import load_settings_encoder
from tests.scoring.patclaimeval.test_score import make

Items = list[Quadruplet]


@pytest.fixture
def directory(tiny_bert: Path, tmp_path: Path) -> Path:
    """An encoder directory of the test's own, so that nothing of it was loaded before."""
    return shutil.copytree(tiny_bert, tmp_path / "encoder")


def shared(directory: Path, max_tokens: int = 200, global_tokens: str = "cls") -> Encoder:
    return shared_encoder(str(directory), max_tokens=max_tokens, global_tokens=global_tokens)


def test_an_encoder_is_loaded_once_for_as_long_as_its_files_are_untouched(directory: Path) -> None:
    first = shared(directory)
    assert shared(directory) is first
    assert shared(directory, max_tokens=100) is not first
    weights = load_file(directory / "model.safetensors")
    weights["embeddings.word_embeddings.weight"] += 0.5
    save_file(weights, directory / "model.safetensors", {"format": "pt"})
    later = shared(directory)
    assert later.digest != first.digest


def test_no_more_encoders_are_kept_than_there_is_room_for(directory: Path) -> None:
    for limit in range(100, 101 + MOST_KEPT):
        shared(directory, max_tokens=limit)
    assert scene._loaded.cache_info().currsize == MOST_KEPT


def test_a_directory_that_cannot_be_read_says_what_it_needs(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(EncoderUnavailable, match="no encoder directory"):
        shared(directory / "none")

    def fail(place: Path) -> scene.Files:
        raise PermissionError("Permission denied")

    monkeypatch.setattr(scene, "_files", fail)
    with pytest.raises(EncoderUnavailable, match="cannot be loaded: Permission denied"):
        shared(directory)


def test_a_probe_on_a_cpu_shares_and_what_is_trained_does_not(directory: Path) -> None:
    def of(method: str, device: str = "cpu") -> Encoder:
        return load_settings_encoder(
            TrainingSettings("overall_quality", method, str(directory), device=device)
        )

    assert of("probe") is of("probe")
    assert of("probe", "cuda") is not of("probe")
    assert of("finetune") is not of("finetune")


def test_probes_of_five_criteria_load_one_encoder_and_encode_each_text_once(
    quadruplets: Items, directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = [make(quadruplets, tmp_path / f"m{n}", directory, "probe", seed=n) for n in range(5)]
    texts: list[str] = []
    states = Encoder.token_states

    def counted(encoder: Encoder, text: str, layers: tuple[int, ...]) -> list[object]:
        texts.append(text)
        return states(encoder, text, layers)  # type: ignore[return-value]

    monkeypatch.setattr(Encoder, "token_states", counted)
    pairs = distinct_pairs(quadruplets)
    scorers = [load_scorer(model, tmp_path / "cache") for model in models]
    scores = [scorer.score(pairs) for scorer in scorers]
    assert len({id(scorer._encoder) for scorer in scorers}) == 1
    assert sorted(texts) == sorted({text for pair in pairs for text in pair})
    assert scores[0] == load_scorer(models[0]).score(pairs)
