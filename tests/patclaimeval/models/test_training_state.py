import hashlib
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from patclaimeval.models.training_state import (
    LATEST,
    State,
    StateStore,
    random_states,
    restore_random_states,
)

KEY = {"data": "d", "settings": "s", "code": "c"}
FILES = ("weights-{}.safetensors", "tensors-{}.safetensors", "rest-{}.json")


def state(step: int, best_epoch: int = 0) -> State:
    weights = {"w": torch.full((3,), float(step))}
    best = {"w": torch.full((3,), -float(best_epoch))} if best_epoch else None
    return State(step, weights, best, best_epoch, {"losses": [0.5] * step, "told": None})


def store(directory: Path, **key: str) -> StateStore:
    return StateStore(directory, KEY | key)


def read(directory: Path, **key: str) -> tuple[int | None, str]:
    found, sentence = store(directory, **key).load()
    return (None if found is None else found.step), sentence


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_a_state_is_read_back_as_it_was_saved(tmp_path) -> None:
    store(tmp_path / "run").save(state(4, best_epoch=1))
    found, sentence = store(tmp_path / "run").load()
    assert sentence == "Going on after step 4."
    assert found is not None
    assert (found.step, found.best_epoch, found.rest) == (4, 1, state(4).rest)
    assert torch.equal(found.weights["w"], torch.full((3,), 4.0))
    assert found.best is not None
    assert torch.equal(found.best["w"], torch.full((3,), -1.0))


def test_the_newest_state_stays_and_nothing_beside_it(tmp_path) -> None:
    states = store(tmp_path)
    (tmp_path / ".aside-x").write_bytes(b"left by a killed process")
    for step, best in ((2, 0), (4, 1), (6, 2)):
        states.save(state(step, best))
    stored = {kind.format(6) for kind in FILES}
    assert names(tmp_path) == {LATEST, "best-2.safetensors", *stored}
    again = store(tmp_path)
    again.load()
    again.save(state(8, 2))
    assert names(tmp_path) == {LATEST, "best-2.safetensors", *(f.format(8) for f in FILES)}


def test_a_best_epoch_that_stays_is_not_written_again(tmp_path) -> None:
    states = store(tmp_path)
    states.save(state(2, 1))
    first = (tmp_path / "best-1.safetensors").stat().st_ino
    states.save(state(4, 1))
    assert (tmp_path / "best-1.safetensors").stat().st_ino == first
    assert read(tmp_path)[0] == 4


@pytest.mark.parametrize("name", [*(name.format(4) for name in FILES), "best-2.safetensors"])
@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_damaged_state_is_reported_and_not_gone_on_from(tmp_path, name, damage) -> None:
    store(tmp_path).save(state(4, 2))
    path = tmp_path / name
    if damage == "changed":
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
    else:
        path.unlink()
    step, sentence = read(tmp_path)
    assert step is None
    assert "damaged: training starts from the beginning" in sentence


@pytest.mark.parametrize("content", [b"", b"[]", b'{"state": {}, "key": 3}', b'{"key": {}}'])
def test_an_index_that_cannot_be_read_is_reported(tmp_path, content) -> None:
    (tmp_path / LATEST).write_bytes(content)
    step, sentence = read(tmp_path)
    assert step is None
    assert "from the beginning" in sentence


@pytest.mark.parametrize("entry", [{"step": 2}, 7, {"step": 2, "best_epoch": 0, "files": {}}])
def test_an_entry_that_makes_no_sense_counts_as_damaged(tmp_path, entry) -> None:
    (tmp_path / LATEST).write_text(json.dumps({"key": KEY, "state": entry}))
    assert read(tmp_path)[0] is None


def test_a_state_of_another_key_is_left_aside_and_named(tmp_path) -> None:
    store(tmp_path).save(state(2))
    step, sentence = read(tmp_path, code="another", settings="others")
    assert step is None
    assert "belongs to another code, settings:" in sentence


def test_a_class_is_refused_before_anything_is_written(tmp_path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "sprung",))

    with pytest.raises(TypeError, match="cannot hold a Trap"):
        store(tmp_path).save(State(2, {}, None, 0, {"trap": Trap()}))
    assert names(tmp_path) == set()


def test_no_file_of_a_state_is_a_pickle(tmp_path) -> None:
    store(tmp_path).save(state(4, best_epoch=1))
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".safetensors"}


def test_an_optimiser_goes_on_as_if_it_had_never_stopped(tmp_path) -> None:
    def trained(steps: int, rest: dict[str, Any] | None = None) -> Any:
        torch.manual_seed(1)
        layer = torch.nn.Linear(3, 1)
        optimiser = torch.optim.AdamW(layer.parameters(), lr=0.1)
        if rest is not None:
            layer.load_state_dict(rest["weights"])
            optimiser.load_state_dict(rest["optimiser"])
        for _ in range(steps):
            optimiser.zero_grad()
            layer(torch.ones(2, 3)).square().sum().backward()
            optimiser.step()
        return layer, optimiser

    layer, optimiser = trained(3)
    rest = {"optimiser": optimiser.state_dict(), "weights": dict(layer.state_dict())}
    rest["random"] = [random_states()]
    store(tmp_path).save(State(3, {}, None, 0, rest))
    found = store(tmp_path).load()[0]
    assert found is not None
    assert found.rest["random"][0]["python"] == rest["random"][0]["python"]
    assert found.rest["random"][0]["numpy"] == rest["random"][0]["numpy"]
    again, _ = trained(2, found.rest)
    assert torch.equal(again.weight, trained(5)[0].weight)


@pytest.mark.parametrize("value", [{"tensor": "0", "tuple": []}, {"set": [1]}, {"tensor": "9"}])
def test_a_value_of_an_unknown_kind_counts_as_damaged(tmp_path, value) -> None:
    store(tmp_path).save(state(2))
    content = json.dumps(value).encode()
    (tmp_path / "rest-2.json").write_bytes(content)
    latest = json.loads((tmp_path / LATEST).read_text())
    latest["state"]["files"]["rest-2.json"] = hashlib.sha256(content).hexdigest()
    (tmp_path / LATEST).write_text(json.dumps(latest))
    assert read(tmp_path)[0] is None


def test_nothing_is_stored_without_a_directory() -> None:
    states = StateStore(None, KEY, every_steps=1)
    assert not states.is_due(5)
    assert states.load() == (None, "")


def test_a_state_is_due_after_steps_or_seconds(tmp_path) -> None:
    states = StateStore(tmp_path, KEY, every_steps=3)
    assert [states.is_due(step) for step in (1, 2, 3)] == [False, False, True]
    states.save(state(3))
    assert [states.is_due(step) for step in (4, 5, 6)] == [False, False, True]
    assert StateStore(tmp_path, KEY, every_seconds=0.0).is_due(1)


def test_random_generators_go_on_where_they_stood() -> None:
    def draw() -> list[float]:
        return [float(torch.rand(1)), float(np.random.rand()), random.random()]

    random.gauss(0, 1)
    np.random.randn()
    before = random_states()
    first = draw()
    draw()
    restore_random_states(before)
    assert draw() == first
