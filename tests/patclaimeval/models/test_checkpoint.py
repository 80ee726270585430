import hashlib
import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.numpy import save
from safetensors.torch import save as save_torch

from patclaimeval.models.checkpoint import (
    Checkpoint,
    CheckpointInvalid,
    read_checkpoint,
    write_checkpoint,
)
from patclaimeval.models.config import TrainingSettings
from patclaimeval.models.features import FEATURE_VERSION, FEATURES

SIZE = len(FEATURES)
TENSORS: dict[str, NDArray[Any]] = {
    "centre": np.zeros(SIZE),
    "factor": np.ones(SIZE),
    "weight": np.arange(float(SIZE)),
}
PROBE: dict[str, Any] = {
    "kind": "probe",
    "features": list(FEATURES),
    "feature_version": FEATURE_VERSION,
    "settings": TrainingSettings("overall_quality").resolved().as_dict(),
    "encoder": {},
    "clip": 3.0,
    "tie_threshold": 0.1,
}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A small model directory."""
    directory = tmp_path / "model"
    write_checkpoint(directory, Checkpoint(TENSORS, PROBE, {}))
    return directory


def test_saved_model_is_read_back_as_it_was(saved) -> None:
    found = read_checkpoint(saved)
    assert found.tensors["weight"].tolist() == TENSORS["weight"].tolist()
    assert set(found.tensors) == {"centre", "factor", "weight"}
    assert found.config["kind"] == "probe"
    assert sorted(p.name for p in saved.parent.iterdir()) == ["model"]


def flip_a_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-2] ^= 1
    path.write_bytes(bytes(data))


def add(path: Path) -> None:
    path.write_bytes(b"\x80\x04.")


@pytest.mark.parametrize(
    ("harm", "name", "words"),
    [
        *((flip_a_bit, name, "changed") for name in ("model.safetensors", "config.json")),
        *((Path.unlink, name, "lacks") for name in ("model.safetensors", "config.json")),
        (Path.unlink, "MANIFEST.json", "lacks"),
        *((add, name, "unknown file") for name in ("optimizer.pt", "model.pkl", "notes.txt")),
        (add, "tokenizer.json", "manifest"),
    ],
)
def test_file_that_is_changed_missing_or_not_of_the_model_is_refused(saved, harm, name, words):
    harm(saved / name)
    with pytest.raises(CheckpointInvalid, match=words):
        read_checkpoint(saved)


def test_weights_that_are_not_finite_are_not_saved(tmp_path) -> None:
    bad = TENSORS | {"factor": np.full(SIZE, np.nan)}
    with pytest.raises(CheckpointInvalid, match="finite"):
        write_checkpoint(tmp_path / "bad", Checkpoint(bad, {}, {}))
    assert not (tmp_path / "bad").exists()


def vouched_for(saved: Path, name: str, content: bytes) -> None:
    """Put ``content`` in place of a file, with a manifest that vouches for it."""
    (saved / name).write_bytes(content)
    manifest = json.loads((saved / "MANIFEST.json").read_text())
    manifest["sha256"][name] = hashlib.sha256(content).hexdigest()
    (saved / "MANIFEST.json").write_text(json.dumps(manifest))


def test_manifest_remade_after_a_change_is_refused_by_who_knows_the_registered_one(saved) -> None:
    registered = hashlib.sha256((saved / "MANIFEST.json").read_bytes()).hexdigest()
    read_checkpoint(saved, registered)
    config = {"format": 1, **PROBE, "tie_threshold": 0.9}
    vouched_for(saved, "config.json", json.dumps(config).encode())
    assert read_checkpoint(saved).config["tie_threshold"] == 0.9
    with pytest.raises(CheckpointInvalid, match="MANIFEST.json of the model was changed"):
        read_checkpoint(saved, registered)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"more": np.zeros(2)}, "has more, which the model does not use"),
        ({"Factor": np.ones(SIZE)}, "has Factor, which"),
        ({"factor": None}, "lacks factor"),
        ({"weight": np.arange(SIZE)}, rf"weight as I64 \[{SIZE}\] where F64 \[{SIZE}\]"),
        *(
            ({"weight": np.zeros(SIZE, dtype)}, f"weight as {name}")
            for dtype, name in ((np.float16, "F16"), (np.float32, "F32"))
        ),
        ({"weight": np.zeros(0)}, r"F64 \[0\] where"),
        ({"weight": np.zeros((SIZE, 1))}, rf"F64 \[{SIZE}, 1\] where"),
        ({"weight": np.float64(1)}, rf"weight as F64 \[\] where F64 \[{SIZE}\]"),
        ({"factor": np.append(np.ones(SIZE - 1), np.inf)}, "not finite"),
        ({f"{n}": np.zeros(1) for n in range(9)}, "and 6 more"),
    ],
    ids=str,
)
def test_weights_are_exactly_what_the_configuration_requires(saved, changes, sentence) -> None:
    given = (TENSORS | changes).items()
    tensors = {name: np.asarray(value) for name, value in given if value is not None}
    vouched_for(saved, "model.safetensors", save(tensors))
    with pytest.raises(CheckpointInvalid, match=sentence):
        read_checkpoint(saved)


def test_floats_that_numpy_does_not_know_are_refused_in_a_sentence(saved) -> None:
    tensors = {name: torch.from_numpy(value) for name, value in TENSORS.items()}
    tensors["weight"] = tensors["weight"].to(torch.bfloat16)
    vouched_for(saved, "model.safetensors", save_torch(tensors))
    with pytest.raises(CheckpointInvalid, match="weight as BF16"):
        read_checkpoint(saved)


@pytest.mark.parametrize("version", ["2", None])
def test_a_probe_of_other_features_is_refused_before_its_weights_are_read(saved, version) -> None:
    config = {"format": 1} | PROBE | {"feature_version": version}
    vouched_for(saved, "config.json", json.dumps(config).encode())
    (saved / "model.safetensors").write_bytes(b"")
    words = f"version {version} of the features.* version {FEATURE_VERSION}"
    with pytest.raises(CheckpointInvalid, match=words):
        read_checkpoint(saved)


def piped(path: Path, other: Path) -> None:
    path.unlink()
    os.mkfifo(path)


TUNED: dict[str, Any] = {
    "kind": "finetune",
    "features": [],
    "encoder": {"name": "default", "limit": 4096, "sha256": "0" * 64},
}
NUMBERS: tuple[Any, ...] = (0, -1, 10**12, 1.5, True, "64", None, [])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        *((TUNED | {"encoder": {"name": "e", "limit": n}}, "encoder.limit") for n in NUMBERS),
        *(({"clip": n}, "clip must be") for n in (0, -1, True, "5", None, 10**12)),
        *(({"tie_threshold": n}, "tie_threshold must be") for n in (-0.1, False, "0", None)),
        *(({"kind": kind}, "kind must be") for kind in ("other", None, 1)),
        *(({"features": f}, "features must be") for f in ([], None, "abcd", [1, 2, 3, 4])),
        *(({"settings": s}, "settings") for s in (None, {}, {"criterion": "a", "more": 1})),
        ({"settings": PROBE["settings"] | {"max_tokens": 10**12}}, "max_tokens"),
        (TUNED | {"encoder": None}, "encoder must be"),
        (TUNED | {"encoder": {}}, "encoder must be"),
        (TUNED | {"features": ["a"]}, "features must be"),
        ({"kind": "finetune"}, "encoder must be"),
        ({"format": 7}, "format 7, not 1"),
    ],
    ids=str,
)
def test_configuration_that_no_training_writes_is_refused_in_a_sentence(
    saved, changes, sentence
) -> None:
    vouched_for(saved, "config.json", json.dumps({"format": 1} | PROBE | changes).encode())
    with pytest.raises(CheckpointInvalid, match=sentence):
        read_checkpoint(saved)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "MANIFEST.json"])
@pytest.mark.parametrize(
    "put",
    [
        lambda path, other: os.link(path, other),
        lambda path, other: (path.rename(other), path.symlink_to(other)),
        piped,
        lambda path, other: (path.unlink(), path.mkdir()),
        lambda path, other: (path.unlink(), path.symlink_to("/dev/zero")),
        lambda path, other: os.truncate(path, 1 << 40),  # a hole: it takes no space on the disk
    ],
    ids=["hard link", "symlink", "pipe", "directory", "device", "hole"],
)
def test_what_is_no_plain_file_of_its_own_size_is_refused_unread(
    saved, tmp_path, name, put
) -> None:
    put(saved / name, tmp_path / "other")
    with pytest.raises(CheckpointInvalid, match=rf"The file {name} of the model (is|has)"):
        read_checkpoint(saved)


def test_header_that_names_a_tensor_twice_is_refused(saved) -> None:
    data = (saved / "model.safetensors").read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = data[8 : 8 + length].strip()
    twice = header[:-1] + b"," + header[1:]
    vouched_for(
        saved, "model.safetensors", len(twice).to_bytes(8, "little") + twice + data[8 + length :]
    )
    with pytest.raises(CheckpointInvalid, match="cannot be read"):
        read_checkpoint(saved)


def test_pickle_under_the_name_of_weights_is_refused_and_not_run(saved, tmp_path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, ...]:
            return open, (str(tmp_path / "ran"), "w")

    vouched_for(saved, "model.safetensors", pickle.dumps(Evil()))
    with pytest.raises(CheckpointInvalid, match="cannot be read"):
        read_checkpoint(saved)
    assert not (tmp_path / "ran").exists()


def test_existing_directory_is_never_written_over(saved) -> None:
    before = (saved / "MANIFEST.json").read_bytes()
    with pytest.raises(CheckpointInvalid, match="exists"):
        write_checkpoint(saved, Checkpoint({}, {}, {}))
    assert (saved / "MANIFEST.json").read_bytes() == before


def test_failure_while_writing_leaves_nothing(tmp_path, monkeypatch) -> None:
    def fail(handle: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_checkpoint(tmp_path / "model", Checkpoint({"w": np.ones(2)}, {}, {}))
    assert list(tmp_path.iterdir()) == []
