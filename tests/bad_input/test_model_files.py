"""P27: only whole, known, code-free model files are used; whatever else lies there runs nothing."""

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from patclaimeval.models import checkpoint
from patclaimeval.models.config import TrainingSettings
from patclaimeval.models.data import Quadruplet
from patclaimeval.models.errors import CheckpointInvalid
from patclaimeval.models.training import train_model
from scoring.files import StoredFileDamaged
from scoring.training.model_versions.files import open_model
from tests.amounts import tries
from tests.bad_input.model_directories import ENCODERS, REGISTERED_SO, manifest_digest
from tests.flows.conftest import ROOT
from tests.promises.harness import SCALE
from tests.scoring.conftest import dataset_rows, tiny_encoder
from tests.soak.tally import Tally

__all__ = ["tiny_encoder"]
pytestmark = pytest.mark.promise("P27")
CRITERION = "feature_completeness"
CHANGES = tries(50) if SCALE == 1 else 50 * SCALE


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, tiny_encoder: Path) -> Path:
    """A small fine-tuned model, as a training leaves it: all of its files are there."""
    scene = tmp_path_factory.mktemp("trained")
    items = {
        split: [
            Quadruplet(row.reference_id, row.reference, row.b, row.c, row.y[CRITERION])
            for row in dataset_rows()
            if row.split == split
        ]
        for split in ("train", "validation")
    }
    settings = TrainingSettings(
        criterion=CRITERION, method="finetune", encoder=str(tiny_encoder), epochs=1, device="cpu"
    ).resolved()
    train_model(
        training=items["train"],
        validation=items["validation"],
        settings=settings,
        directory=scene / "model",
        on_progress=lambda made: None,
        describe=lambda made: "# A card\n",
    )
    return scene / "model"


@pytest.fixture
def model(trained: Path, tmp_path: Path) -> Path:
    return shutil.copytree(trained, tmp_path / "model")


def changed_bytes(directory: Path) -> list[tuple[str, int, int]]:
    """Draw changes of one byte: each file gets some, so that the large one does not get all."""
    draw = random.Random(27)
    files = sorted(directory.iterdir())
    found = []
    for number in range(max(CHANGES, len(files))):
        path = files[number % len(files)]
        found.append((path.name, draw.randrange(path.stat().st_size), draw.randrange(1, 256)))
    return found


def flip(path: Path, place: int, by: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= by
    path.write_bytes(bytes(data))


def test_a_change_of_any_one_byte_is_refused_before_a_weight_is_read(
    model: Path, monkeypatch: pytest.MonkeyPatch, tally: Tally
) -> None:
    registered = manifest_digest(model)
    assert len(checkpoint.read_checkpoint(model, registered).tensors) > 1
    monkeypatch.setattr(checkpoint, "load", lambda data: pytest.fail("a weight was read"))
    changes = changed_bytes(model)
    tally.tried(changes=len(changes))
    for name, place, by in changes:
        flip(model / name, place, by)
        with pytest.raises(CheckpointInvalid, match="was changed after training"):
            checkpoint.read_checkpoint(model, registered)
        with pytest.raises(StoredFileDamaged, match="was changed after training"):
            open_model(model, registered)
        flip(model / name, place, by)
    assert {name for name, _, _ in changes} == {path.name for path in model.iterdir()}


@pytest.mark.promise("P27", planted=True)
def test_without_the_manifest_they_would_be_taken(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: what the manifest catches, the library does not."""

    flip(model / "model.safetensors", (model / "model.safetensors").stat().st_size - 4, 1)
    with pytest.raises(CheckpointInvalid, match="was changed after training"):
        checkpoint.read_checkpoint(model, manifest_digest(model))
    monkeypatch.setattr(checkpoint, "_check_digest", lambda name, content, expected: None)
    assert checkpoint.read_checkpoint(model, manifest_digest(model)).tensors


def watched(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Load directories in a process of its own, under an audit hook."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bad_input.watched_loads"],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.slow
def test_malicious_directories_are_refused_and_run_nothing(
    trained: Path, tiny_encoder: Path, tmp_path: Path, tally: Tally
) -> None:
    marker = tmp_path / "ran"
    names: list[str] = []
    bad: list[list[str | None]] = []
    for damages, source in ((REGISTERED_SO, trained), (ENCODERS, tiny_encoder)):
        for name, damage in damages.items():
            directory = shutil.copytree(source, tmp_path / f"d{len(names)}")
            damage(directory, marker)
            is_model = source == trained
            bad.append([str(directory), manifest_digest(directory) if is_model else None])
            names.append(name)
    tally.tried(directories=len(names) + 1)
    other = shutil.copytree(trained, tmp_path / "other")
    (other / "README.md").write_text("# Another card\n")
    bad.append([str(other), manifest_digest(trained)])
    names.append("MA19 the files of another model")
    good, *found = watched(
        {"encoder": str(tiny_encoder), "good": [str(trained), manifest_digest(trained)], "bad": bad}
    )
    assert good == {"outcome": "scored", "events": []}
    outcomes = dict(zip(names, found, strict=True))
    assert {n: one for n, one in outcomes.items() if not one["outcome"].startswith("refused")} == {}
    assert {name: one["events"] for name, one in outcomes.items() if one["events"]} == {}
    assert "format 2, not 1" in outcomes["MA24 newer format"]["outcome"]
    assert not marker.exists()
