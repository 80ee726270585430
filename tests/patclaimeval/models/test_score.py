import json
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import torch

from patclaimeval.models.config import TrainingSettings
from patclaimeval.models.data import Quadruplet, distinct_pairs
from patclaimeval.models.encoder import EncoderUnavailable
from patclaimeval.models.encoder_scorer import EncoderScorer
from patclaimeval.models.errors import CheckpointInvalid, PatClaimEvalError
from patclaimeval.models.features import FEATURES
from patclaimeval.models.scorer import load_scorer
from patclaimeval.models.training import train_model
from tests.patclaimeval.models.methods import each_method_with_an_encoder

Items = list[Quadruplet]


def make(
    items: Items, directory: Path, encoder: Path, method: str, describe: Any = None, **changes: Any
) -> Path:
    """Train a model in a moment and return its directory."""
    given: dict[str, Any] = {"method": method, "encoder": str(encoder), "epochs": 1} | changes
    train_model(
        training=items,
        validation=[],
        settings=TrainingSettings("overall_quality", **given),
        directory=directory,
        on_progress=lambda progress: None,
        describe=describe,
    )
    return directory


@each_method_with_an_encoder
def test_score_of_a_pair_does_not_depend_on_its_batch(
    method, kind, quadruplets, tmp_path, request
) -> None:
    directory = make(quadruplets, tmp_path / "m", request.getfixturevalue(kind), method)
    scorer = load_scorer(directory)
    pairs = distinct_pairs(quadruplets)
    together = scorer.score(pairs)
    assert [scorer.score([pair])[0] for pair in pairs] == together
    assert scorer.score(pairs[::-1])[::-1] == together
    assert scorer.score([]) == []


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_model_scores_in_the_precision_it_was_trained_in(
    precision, quadruplets, tiny_longformer, tmp_path
) -> None:
    directory = make(quadruplets, tmp_path / "m", tiny_longformer, "finetune", precision=precision)
    scorer = load_scorer(directory)
    assert isinstance(scorer, EncoderScorer)
    assert scorer.config["settings"]["precision"] == scorer._encoder.precision == precision
    pairs = distinct_pairs(quadruplets)
    together = scorer.score(pairs)
    assert [scorer.score([pair])[0] for pair in pairs] == together
    scorer._encoder.use_precision({"fp32": "bf16", "bf16": "fp32"}[precision], "cpu")
    assert scorer.score(pairs) != together
    assert scorer.score(pairs) == pytest.approx(together, abs=0.01)


def test_finetuned_model_needs_its_encoder_directory_no_more(
    quadruplets, tiny_bert, tmp_path
) -> None:
    encoder = tmp_path / "encoder"
    shutil.copytree(tiny_bert, encoder)
    directory = make(quadruplets, tmp_path / "m", encoder, "finetune")
    shutil.rmtree(encoder)
    assert 0 < load_scorer(directory).score([quadruplets[0].pairs[0]])[0] < 1


def test_pair_over_the_limit_is_refused_by_its_number(quadruplets, tiny_bert, tmp_path) -> None:
    scorer = load_scorer(make(quadruplets, tmp_path / "m", tiny_bert, "finetune", max_tokens=120))
    short, long = quadruplets[0].pairs[0], ("A pump. " * 60, "A pump.")
    with pytest.raises(PatClaimEvalError, match="number 2 with"):
        scorer.score([short, long])


def test_scoring_draws_nothing_from_the_random_state(quadruplets, tiny_bert, tmp_path) -> None:
    scorer = load_scorer(make(quadruplets, tmp_path / "m", tiny_bert, "finetune"))
    before = torch.get_rng_state()
    scorer.score(distinct_pairs(quadruplets))
    assert torch.equal(before, torch.get_rng_state())


def test_a_probe_reads_texts_of_any_length(quadruplets, tmp_path) -> None:
    scorer = load_scorer(make(quadruplets, tmp_path / "m", Path("default"), "probe", max_tokens=16))
    (score,) = scorer.score([("A pump. " * 6000, "A pump.")])
    assert 0 < score < 1
    assert scorer.limit > 10**12
    assert scorer.token_counts([("A pump. ", "A pump of steel.")]) == [6]


def test_a_probe_over_other_features_of_the_same_version_is_refused(quadruplets, tmp_path) -> None:
    directory = make(quadruplets, tmp_path / "m", Path("default"), "probe")
    remade(directory, config={"features": list(FEATURES[::-1])})
    with pytest.raises(CheckpointInvalid, match="other features"):
        load_scorer(directory)


def remade(directory: Path, **changes: dict[str, Any]) -> None:
    """Change keys of the encoder's configuration or of config.json, and have the manifest agree."""
    manifest = json.loads((directory / "MANIFEST.json").read_text())
    for stem, change in changes.items():
        path = directory / f"{stem}.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | change))
        manifest["sha256"][path.name] = sha256(path.read_bytes()).hexdigest()
    (directory / "MANIFEST.json").write_text(json.dumps(manifest))


def test_a_model_whose_configuration_asks_for_more_than_it_holds_is_refused(
    quadruplets, tiny_bert, tmp_path
) -> None:
    whole = make(quadruplets, tmp_path / "m", tiny_bert, "finetune")
    config = json.loads((whole / "config.json").read_text())
    table: list[tuple[str, dict[str, Any], str]] = [
        ("encoder_config", {"hidden_size": 64}, r"head.weight as F32 \[32\] where F32 \[64\]"),
        ("encoder_config", {"num_hidden_layers": 3}, "lacks encoder.encoder.layer.2"),
        ("encoder_config", {"num_hidden_layers": 1}, "which the model does not use"),
        ("encoder_config", {"intermediate_size": 32}, "is required"),
        ("encoder_config", {"type_vocab_size": 10**12}, "type_vocab_size must be"),
        ("encoder_config", {"max_position_embeddings": 10**12}, "max_position_embeddings must be"),
        ("encoder_config", {"max_position_embeddings": -1}, "max_position_embeddings must be"),
        ("encoder_config", {"num_attention_heads": 0}, "num_attention_heads must be"),
        ("encoder_config", {"num_attention_heads": 5}, "No encoder can be made"),
        ("encoder_config", {"hidden_size": 32.0}, "hidden_size must be"),
        ("encoder_config", {"hidden_size": True}, "hidden_size must be"),
        ("encoder_config", {"hidden_size": "32"}, "hidden_size must be"),
        ("encoder_config", {"pad_token_id": 10**12}, "No encoder can be made"),
        ("encoder_config", {"model_type": "homemade"}, "No encoder can be made"),
        ("encoder_config", {"model_type": "longformer"}, "The weights do not fit|No encoder"),
        ("config", {"kind": "probe"}, "features must be"),
        ("config", {"encoder": config["encoder"] | {"limit": 10**12}}, "encoder.limit must be"),
        ("config", {"encoder": config["encoder"] | {"limit": 32_768}}, "position_embeddings"),
        ("config", {"kind": "probe-then-finetune"}, "do not fit"),
    ]
    for number, (stem, change, sentence) in enumerate(table):
        copy = shutil.copytree(whole, tmp_path / f"copy-{number}")
        remade(copy, **{stem: change})
        with pytest.raises(CheckpointInvalid, match=sentence):
            load_scorer(copy)
    copy = shutil.copytree(whole, tmp_path / "vocabulary")
    tokenizer = json.loads((copy / "tokenizer.json").read_text())
    words = tokenizer["model"]["vocab"]
    remade(copy, tokenizer={"model": tokenizer["model"] | {"vocab": words | {"z": len(words)}}})
    with pytest.raises(EncoderUnavailable, match="belongs to another model"):
        load_scorer(copy)
    remade(whole)
    load_scorer(whole)
