"""States that a training can go on from: written whole, the newest kept, read only if unchanged."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Final

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from patclaimeval.files import atomic_write
from patclaimeval.text_io.strict_json import StrictJsonError, loads

LATEST: Final = "LATEST.json"
EVERY_STEPS: Final = 1000
EVERY_SECONDS: Final = 60.0

_UNREADABLE: Final = (
    OSError,
    SafetensorError,
    RuntimeError,
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    AttributeError,
)
Tensors = dict[str, Tensor]
Entry = dict[str, Any]


@dataclass(frozen=True)
class State:
    """Where a training stands after ``step`` steps.

    ``weights`` are the network's, ``best`` those of the best epoch so far (None before one);
    ``rest`` holds tensors, numbers, texts, lists, tuples and dictionaries only. It is stored as
    JSON with its tensors beside it, because reading a pickle can run code.
    """

    step: int
    weights: Tensors
    best: Tensors | None
    best_epoch: int
    rest: dict[str, Any]


class StateStore:
    """The newest state of one run in one directory; with no directory it keeps nothing.

    ``key`` names what decides a run's weights (data, settings, code, versions, device): a state
    saved under another key is never gone on from.
    """

    def __init__(
        self,
        directory: Path | str | None,
        key: Mapping[str, str],
        every_steps: int = EVERY_STEPS,
        every_seconds: float = EVERY_SECONDS,
    ) -> None:
        """Use ``directory``, made when first written; save each so many steps or seconds."""
        self.directory = None if directory is None else Path(directory)
        self.key = dict(key)
        self._every = every_steps, every_seconds
        self._saved_at = 0, monotonic()
        self._entry: Entry = {"files": {}}

    def is_due(self, step: int) -> bool:
        """Return whether so much was done since the last state that another should be saved."""
        (steps, seconds), (last, at) = self._every, self._saved_at
        return self.directory is not None and (step - last >= steps or monotonic() - at >= seconds)

    def save(self, state: State) -> None:
        """Write ``state`` and, last, the file that names it; then remove all others.

        A process that dies at any moment leaves the state before or this one, whole.
        """
        assert self.directory is not None
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        tensors: Tensors = {}
        rest = json.dumps(to_json(state.rest, tensors))
        files = [
            self._put(f"weights-{state.step}.safetensors", _safetensors(state.weights)),
            self._put(f"tensors-{state.step}.safetensors", _safetensors(tensors)),
            self._put(f"rest-{state.step}.json", rest.encode()),
        ]
        if state.best is not None:
            files.append(self._best(state.best, state.best_epoch))
        entry = {"step": state.step, "best_epoch": state.best_epoch, "files": dict(files)}
        content = json.dumps({"key": self.key, "state": entry}, indent=1)
        atomic_write(self.directory / LATEST, [content.encode()])
        self._entry = entry
        self._remove_others()
        self._saved_at = state.step, monotonic()

    def load(self) -> tuple[State | None, str]:
        """Return the state and a sentence; None, and why, where there is none that is whole."""
        if self.directory is None or not (self.directory / LATEST).is_file():
            return None, ""
        try:
            latest = loads((self.directory / LATEST).read_bytes())
            entry, key = latest["state"], dict(latest["key"])
        except (OSError, StrictJsonError, KeyError, TypeError, ValueError):
            return None, "The saved state cannot be read: training starts from the beginning."
        if key != self.key:
            names = sorted({*key, *self.key})
            changed = ", ".join(name for name in names if key.get(name) != self.key.get(name))
            return None, (
                f"The saved state belongs to another {changed}: training starts from the beginning."
            )
        state = self._read(entry)
        if state is None:
            return None, "The saved state is damaged: training starts from the beginning."
        self._entry = entry
        self._saved_at = state.step, monotonic()
        return state, f"Going on after step {state.step}."

    def _put(self, name: str, data: bytes) -> tuple[str, str]:
        assert self.directory is not None
        atomic_write(self.directory / name, [data])
        return name, hashlib.sha256(data).hexdigest()

    def _best(self, best: Tensors, epoch: int) -> tuple[str, str]:
        """Write the best epoch's weights, unless the state before holds the same ones."""
        assert self.directory is not None
        name = f"best-{epoch}.safetensors"
        if name in self._entry["files"] and (self.directory / name).exists():
            return name, self._entry["files"][name]
        return self._put(name, _safetensors(best))

    def _read(self, entry: Entry) -> State | None:
        assert self.directory is not None
        data = {}
        try:
            for name, digest in entry["files"].items():
                content = (self.directory / Path(name).name).read_bytes()
                if hashlib.sha256(content).hexdigest() != digest:
                    return None
                data[name] = content
            step, epoch = int(entry["step"]), int(entry["best_epoch"])
            best = data.get(f"best-{epoch}.safetensors")
            return State(
                step,
                load(data[f"weights-{step}.safetensors"]),
                None if best is None else load(best),
                epoch,
                from_json(
                    json.loads(data[f"rest-{step}.json"]),
                    load(data[f"tensors-{step}.safetensors"]),
                ),
            )
        except _UNREADABLE:
            return None

    def _remove_others(self) -> None:
        assert self.directory is not None
        named = {LATEST, *self._entry["files"]}
        for path in self.directory.iterdir():
            if path.name not in named:
                path.unlink(missing_ok=True)


def random_states() -> dict[str, Any]:
    """Return the states of all random generators that a training may draw from."""
    name, keys, *numbers = np.random.get_state()
    return {
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        "numpy": [name, np.asarray(keys).tolist(), *numbers],
        "python": random.getstate(),
    }


def restore_random_states(states: Mapping[str, Any]) -> None:
    """Put the generators back to what :func:`random_states` returned."""
    torch.set_rng_state(states["torch"])
    if states["cuda"]:
        torch.cuda.set_rng_state_all(states["cuda"])
    name, keys, *numbers = states["numpy"]
    np.random.set_state((name, np.array(keys, dtype=np.uint32), *numbers))
    version, words, gauss = states["python"]
    random.setstate((version, tuple(words), gauss))


def _safetensors(tensors: Tensors) -> bytes:
    return save({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()})


def to_json(value: Any, tensors: Tensors) -> Any:
    """Convert plain values to what JSON can hold, and move their tensors into ``tensors``.

    Tensors, tuples and dictionaries become an object with one key that names their kind: a JSON
    object would turn the numbers that are keys of an optimiser's state into texts. Raises TypeError
    for any other class.
    """
    if isinstance(value, Tensor):
        name = str(len(tensors))
        tensors[name] = value
        return {"tensor": name}
    if isinstance(value, dict):
        return {"dict": [[to_json(part, tensors) for part in pair] for pair in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [to_json(part, tensors) for part in value]}
    if isinstance(value, list):
        return [to_json(part, tensors) for part in value]
    if value is None or type(value) in (bool, int, float, str):
        return value
    raise TypeError(f"a training state cannot hold a {type(value).__name__}")


def from_json(value: Any, tensors: Mapping[str, Tensor]) -> Any:
    """Convert back what :func:`to_json` returned; raise KeyError or ValueError for other values."""
    if isinstance(value, list):
        return [from_json(part, tensors) for part in value]
    if not isinstance(value, dict):
        return value
    [(kind, parts)] = value.items()
    if kind == "tensor":
        return tensors[parts]
    if kind == "tuple":
        return tuple(from_json(part, tensors) for part in parts)
    if kind == "dict":
        return {from_json(key, tensors): from_json(part, tensors) for key, part in parts}
    raise ValueError(f"unknown kind {kind!r}")
