"""A model directory is looked at before anything in it is loaded."""

import json
from pathlib import Path

import pytest

from patclaimeval.metrics.base import MetricUnavailable
from patclaimeval.metrics.neural import (
    LARGEST_TOKENIZER,
    checked_directory,
    digest_of,
    read_settings,
    whole_setting,
)
from tests.patclaimeval.metrics.conftest import own_copy


@pytest.fixture
def directory(bert_directory: Path, tmp_path: Path) -> Path:
    return own_copy(bert_directory, tmp_path / "bertscore")


def refusal(directory: Path | None) -> str:
    with pytest.raises(MetricUnavailable) as refused:
        checked_directory("bertscore", directory)
    words = str(refused.value)
    assert directory is None or str(directory.parent) not in words
    assert "METRIC_MODELS_DIR/bertscore" in words
    return words


def test_an_absent_directory_says_what_to_put_where(tmp_path) -> None:
    for absent in (None, tmp_path / "absent"):
        assert "make the directory METRIC_MODELS_DIR/bertscore with config.json" in refusal(absent)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named(directory, name) -> None:
    (directory / name).unlink()
    assert f"lacks {name}" in refusal(directory)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "a.pt", "a.ckpt", "a.PKL", "a.joblib"])
def test_a_pickle_is_refused_beside_and_instead_of_the_weights(directory, name) -> None:
    (directory / name).write_bytes(b"\x80\x04.")
    assert f"{name} can run code" in refusal(directory)
    (directory / "model.safetensors").unlink()
    assert f"{name} can run code" in refusal(directory)


def test_a_pickle_or_a_head_that_is_none_or_names_a_tensor_twice_is_refused(directory) -> None:
    assert checked_directory("bertscore", directory) == directory
    no_object, twice = b"[1, 2, 3, 4]", b'{"a": {"dtype": "F32"}, "a": {"dtype": "F32"}}'
    heads = [len(head).to_bytes(8, "little") + head for head in (no_object, twice)]
    for data in (b"\x80\x04\x95" + bytes(40), b"", *heads):
        (directory / "model.safetensors").write_bytes(data)
        assert "model.safetensors is not a safetensors file" in refusal(directory)


@pytest.mark.parametrize(
    "change", [{"hidden_size": 10**9}, {"num_hidden_layers": 10**6}, {"vocab_size": 10**12}]
)
def test_a_configuration_beyond_the_weights_is_refused(directory, change) -> None:
    config = json.loads((directory / "config.json").read_text())
    (directory / "config.json").write_text(json.dumps(config | change))
    assert "describes a larger model" in refusal(directory)


@pytest.mark.parametrize("data", [b"[]", b"{", b'{"a": 1, "a": 2}', b'{"a": NaN}', b"\xff\xfe"])
@pytest.mark.parametrize("name", ["config.json", "metric.json"])
def test_json_that_is_not_one_plain_object_is_refused(directory, name, data) -> None:
    (directory / name).write_bytes(data)
    assert f"is refused: {name}" in refusal(directory)


def test_a_huge_tokenizer_is_refused_unread(directory) -> None:
    with (directory / "tokenizer.json").open("r+b") as stream:
        stream.truncate(LARGEST_TOKENIZER + 1)
    assert "tokenizer.json is larger than" in refusal(directory)


def test_the_digest_changes_with_each_file(directory) -> None:
    before = digest_of(directory)
    assert digest_of(directory) == before
    (directory / "metric.json").write_text("{}")
    after = digest_of(directory)
    (directory / "metric.json").write_text('{"layer": 2}')
    assert len({before, after, digest_of(directory)}) == 3


def test_an_unknown_setting_is_refused_with_the_known_ones(directory) -> None:
    (directory / "metric.json").write_text('{"layers": 2}')
    with pytest.raises(MetricUnavailable, match=r"no setting 'layers'.*may set layer, max_tokens"):
        read_settings("bertscore", directory, ("layer", "max_tokens"))


@pytest.mark.parametrize("value", [0, 7, 2.0, "2", True, None])
def test_a_whole_setting_out_of_its_range_is_refused(value) -> None:
    assert whole_setting("bertscore", {}, "layer", 4, 6) == 4
    assert whole_setting("bertscore", {"layer": 6}, "layer", 4, 6) == 6
    with pytest.raises(MetricUnavailable, match="layer must be a whole number from 1 to 6"):
        whole_setting("bertscore", {"layer": value}, "layer", 4, 6)
