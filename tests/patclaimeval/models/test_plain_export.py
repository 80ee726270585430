import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModel, AutoTokenizer

from patclaimeval.models.data import Quadruplet
from patclaimeval.models.encoder import load_encoder
from patclaimeval.models.errors import CheckpointInvalid
from patclaimeval.models.plain_export import NotPlain, write_plain
from patclaimeval.models.scorer import load_scorer
from tests.patclaimeval.models.test_score import make

Items = list[Quadruplet]


def trained(items: Items, encoder: Path, directory: Path, **settings: Any) -> Path:
    card = "# The card of the model\n"
    return make(items, directory / "model", encoder, describe=lambda result: card, **settings)


def exported(model: Path) -> Path:
    target = model.with_name("plain")
    target.mkdir()
    write_plain(model, target)
    return target


@pytest.mark.parametrize(
    ("kind", "settings", "nearness"),
    [
        ("tiny_bert", {"pooling": "mean", "precision": "fp32"}, 1e-6),
        ("tiny_longformer", {"pooling": "cls", "precision": "fp32"}, 1e-6),
        pytest.param(
            "tiny_longformer",
            {"global_tokens": "none", "precision": "fp32"},
            1e-6,
            marks=pytest.mark.exhaustive,
        ),
        ("tiny_bert", {"precision": "bf16"}, 5e-3),
    ],
)
def test_the_code_of_the_readme_gives_the_scores_of_the_model(
    quadruplets, tmp_path, kind, settings, nearness, request
) -> None:
    encoder = request.getfixturevalue(kind)
    rate = {"epochs": 1, "learning_rate": 3e-3}
    model = trained(quadruplets, encoder, tmp_path, method="finetune", **rate, **settings)
    plain = exported(model)
    readme = (plain / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
    # What pytest set must not help: somebody who runs this sets no such thing.
    names: dict[str, Any] = {}
    exec(code, names)
    parts = names["load"](plain)
    pairs = list(dict.fromkeys(pair for item in quadruplets for pair in item.pairs))
    own = load_scorer(model).score(pairs)
    assert [names["score"](parts, *pair) for pair in pairs] == pytest.approx(own, abs=nearness)
    assert len(set(own)) > 5
    assert ("third digit" in readme) == (settings["precision"] == "bf16")
    assert readme.endswith("# The card of the model\n")
    with pytest.raises(ValueError, match="longer than the model takes"):
        names["score"](parts, "housing " * 5000, "housing")


def test_what_was_exported_is_the_encoder_that_joins_the_features_of_another_training(
    quadruplets, tiny_bert, tmp_path
) -> None:
    elsewhere = trained(quadruplets[::2], tiny_bert, tmp_path, method="finetune", epochs=1)
    plain = exported(elsewhere)
    both = make(quadruplets, tmp_path / "both", plain, method="probe-then-finetune", epochs=1)
    learnt, started = (
        load_encoder(str(place), max_tokens=4096).digest for place in (plain, tiny_bert)
    )
    assert load_scorer(both).config["encoder"]["sha256"] == learnt != started
    assert len(set(load_scorer(both).score(quadruplets[0].pairs))) == 2


def test_plain_transformers_loads_encoder_and_tokenizer_without_a_path_of_this_machine(
    quadruplets, tiny_bert, tmp_path
) -> None:
    plain = exported(trained(quadruplets, tiny_bert, tmp_path, method="finetune", epochs=1))
    assert AutoModel.from_pretrained(plain).config.max_position_embeddings == 4096
    text = quadruplets[0].pairs[0]
    ids = AutoTokenizer.from_pretrained(plain)(*text)["input_ids"]
    assert ids == AutoTokenizer.from_pretrained(tiny_bert)(*text)["input_ids"]
    head = load_file(plain / "head.safetensors")
    assert {name: tuple(t.shape) for name, t in head.items()} == {
        **dict.fromkeys(("weight", "centre", "scale"), (32,)),
        "bias": (),
    }
    assert all(tensor.dtype == torch.float32 for tensor in head.values())
    for path in plain.iterdir():
        assert str(tmp_path.parent).encode() not in path.read_bytes(), path.name
    facts = json.loads((plain / "head.json").read_text())
    assert (facts["criterion"], facts["max_tokens"]) == ("overall_quality", 4096)


@pytest.mark.parametrize("method", ["probe", "probe-then-finetune"])
def test_what_rests_on_features_of_text_is_refused(
    quadruplets, tiny_bert, tmp_path, method
) -> None:
    model = trained(quadruplets, tiny_bert, tmp_path, method=method, epochs=1)
    with pytest.raises(NotPlain, match=f"is a {method}: its score also rests on features"):
        exported(model)
    assert list((tmp_path / "plain").iterdir()) == []


def test_a_changed_model_is_not_exported(quadruplets, tiny_bert, tmp_path) -> None:
    model = trained(quadruplets, tiny_bert, tmp_path, method="finetune", epochs=1)
    (model / "README.md").write_text("Better than it is.")
    with pytest.raises(CheckpointInvalid, match=r"README.md of the model was changed"):
        exported(model)
