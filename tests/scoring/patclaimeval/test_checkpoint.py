"""Tests of model directories."""

from __future__ import annotations

import hashlib
import json
import pickle
from pathlib import Path

import pytest
import torch

from scoring.patclaimeval.checkpoint import (
    Checkpoint,
    CheckpointInvalid,
    read_checkpoint,
    write_checkpoint,
)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A small model directory."""
    directory = tmp_path / "model"
    write_checkpoint(directory, Checkpoint({"w": torch.arange(4.0)}, {"kind": "probe"}, {}))
    return directory


def test_saved_model_is_read_back_as_it_was(saved: Path) -> None:
    found = read_checkpoint(saved)
    assert torch.equal(found.tensors["w"], torch.arange(4.0))
    assert found.config["kind"] == "probe"
    assert sorted(p.name for p in saved.parent.iterdir()) == ["model"]


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_changed_file_is_refused(saved: Path, name: str) -> None:
    data = bytearray((saved / name).read_bytes())
    data[-2] ^= 1
    (saved / name).write_bytes(bytes(data))
    with pytest.raises(CheckpointInvalid, match="changed"):
        read_checkpoint(saved)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "MANIFEST.json"])
def test_missing_file_is_refused(saved: Path, name: str) -> None:
    (saved / name).unlink()
    with pytest.raises(CheckpointInvalid, match="lacks"):
        read_checkpoint(saved)


@pytest.mark.parametrize("name", ["optimizer.pt", "model.pkl", "notes.txt"])
def test_unknown_file_is_refused(saved: Path, name: str) -> None:
    (saved / name).write_bytes(b"\x80\x04.")
    with pytest.raises(CheckpointInvalid, match="unknown file"):
        read_checkpoint(saved)


def test_link_in_place_of_a_file_is_refused(saved: Path, tmp_path: Path) -> None:
    (saved / "config.json").rename(tmp_path / "elsewhere.json")
    (saved / "config.json").symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(CheckpointInvalid):
        read_checkpoint(saved)


def test_file_left_out_of_the_manifest_is_refused(saved: Path) -> None:
    (saved / "tokenizer.json").write_text("{}")
    with pytest.raises(CheckpointInvalid, match="manifest"):
        read_checkpoint(saved)


def test_weights_that_are_not_finite_are_neither_saved_nor_read(
    saved: Path, tmp_path: Path
) -> None:
    from safetensors.torch import save

    bad = {"w": torch.tensor([float("nan")])}
    with pytest.raises(CheckpointInvalid, match="finite"):
        write_checkpoint(tmp_path / "bad", Checkpoint(bad, {}, {}))
    assert not (tmp_path / "bad").exists()
    (saved / "model.safetensors").write_bytes(save(bad))
    manifest = json.loads((saved / "MANIFEST.json").read_text())
    manifest["sha256"]["model.safetensors"] = hashlib.sha256(save(bad)).hexdigest()
    (saved / "MANIFEST.json").write_text(json.dumps(manifest))
    with pytest.raises(CheckpointInvalid, match="finite"):
        read_checkpoint(saved)


def vouched_for(saved: Path, name: str, content: bytes) -> None:
    """Put ``content`` in place of a file, with a manifest that vouches for it."""
    (saved / name).write_bytes(content)
    manifest = json.loads((saved / "MANIFEST.json").read_text())
    manifest["sha256"][name] = hashlib.sha256(content).hexdigest()
    (saved / "MANIFEST.json").write_text(json.dumps(manifest))


def test_manifest_remade_after_a_change_is_refused_by_who_knows_the_registered_one(
    saved: Path,
) -> None:
    registered = hashlib.sha256((saved / "MANIFEST.json").read_bytes()).hexdigest()
    read_checkpoint(saved, registered)
    vouched_for(saved, "config.json", b'{"format": 1, "kind": "other"}')
    assert read_checkpoint(saved).config["kind"] == "other"
    with pytest.raises(CheckpointInvalid, match="MANIFEST.json of the model was changed"):
        read_checkpoint(saved, registered)


def test_header_that_names_a_tensor_twice_is_refused(saved: Path) -> None:
    data = (saved / "model.safetensors").read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = data[8 : 8 + length].strip()
    twice = header[:-1] + b"," + header[1:]
    vouched_for(
        saved, "model.safetensors", len(twice).to_bytes(8, "little") + twice + data[8 + length :]
    )
    with pytest.raises(CheckpointInvalid, match="cannot be read"):
        read_checkpoint(saved)


def test_pickle_under_the_name_of_weights_is_refused_and_not_run(
    saved: Path, tmp_path: Path
) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, ...]:
            return open, (str(tmp_path / "ran"), "w")

    vouched_for(saved, "model.safetensors", pickle.dumps(Evil()))
    with pytest.raises(CheckpointInvalid, match="cannot be read"):
        read_checkpoint(saved)
    assert not (tmp_path / "ran").exists()


def test_model_of_another_format_is_refused_with_both_named(saved: Path) -> None:
    vouched_for(saved, "config.json", b'{"format": 7}')
    with pytest.raises(CheckpointInvalid, match="format 7, not 1"):
        read_checkpoint(saved)


def test_existing_directory_is_never_written_over(saved: Path) -> None:
    before = (saved / "MANIFEST.json").read_bytes()
    with pytest.raises(CheckpointInvalid, match="exists"):
        write_checkpoint(saved, Checkpoint({}, {}, {}))
    assert (saved / "MANIFEST.json").read_bytes() == before


def test_failure_while_writing_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(handle: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_checkpoint(tmp_path / "model", Checkpoint({"w": torch.ones(2)}, {}, {}))
    assert list(tmp_path.iterdir()) == []
