"""The settings of one training run, their defaults per preset, and which code trains."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import patclaimeval.agreement
import patclaimeval.claims
import patclaimeval.metrics.rouge
import patclaimeval.statistics
from patclaimeval.models.errors import SettingsError

__all__ = ["PAPER", "SettingsError", "TrainingSettings"]

METHODS: Final = ("probe", "finetune", "probe-then-finetune")
PRESETS: Final = ("default", "paper")
BATCHINGS: Final = ("paper", "by-reference")
GLOBAL_TOKENS: Final = ("cls", "none")
POOLINGS: Final = ("mean", "cls")
OVER_LENGTH: Final = ("refuse", "leave-out")
PRECISIONS: Final = ("fp32", "bf16", "auto")
DEFAULT_ENCODER: Final = "default"
LONGFORMER: Final = "allenai/longformer-base-4096"

LARGEST_MAX_TOKENS: Final = 32_768
"""No pair may be longer, whatever an encoder takes."""

FORMER_SETTINGS: Final = frozenset({"processes", "allow_download"})
"""Settings of earlier releases, which stored models and runs may still name."""

PAPER: Final[dict[str, Any]] = {
    "method": "finetune",
    "encoder": LONGFORMER,
    "epochs": 10,
    "batch_size": 4,
    "learning_rate": 5e-6,
    "weight_decay": 0.01,
    "batching": "paper",
    "pooling": "cls",
    "global_tokens": "cls",
}
"""What the paper publishes (its margin and tolerance are not published: ours are kept).

Jiang, Scherz and Goetz, "Towards Better Evaluation for Generated Patent Claims", ACL 2025, section
4 and appendix C: the state of the first token of Longformer over [P;Q] with global attention on it,
a linear layer and a sigmoid, one model per criterion, 10 % of training for validation, the best
epoch kept. The share of validation is the dataset version's.
"""


@dataclass(frozen=True)
class Recipe:
    """A named start for a run: its name, when to take it, and the settings that it gives."""

    name: str
    words: str
    settings: dict[str, Any]


RECIPES: Final[dict[str, Recipe]] = {
    "default": Recipe(
        "Named features around a prior",
        "A linear model over named features of the pair, held to what they should count before "
        "any label is seen. Seconds; the one to take below some hundred references.",
        {"method": "probe"},
    ),
    "probe-then-finetune": Recipe(
        "Probe, then fine-tuning",
        "Starts where a probe ends and trains the encoder for 2 epochs. Minutes to hours without "
        "a GPU.",
        {"method": "probe-then-finetune"},
    ),
    "paper": Recipe(
        "As in the paper",
        "Fine-tunes Longformer: 10 epochs, batch 4, learning rate 5e-6, weight decay 0.01. Hours "
        "without a GPU.",
        {"preset": "paper"},
    ),
}
"""What people choose from; every other setting keeps its default unless it is given."""

STRENGTH: Final = 100.0
"""So many labelled comparisons weigh as much as the probe's prior."""

_DEFAULTS: Final[dict[str, dict[str, Any]]] = {
    "probe": {"epochs": 1, "weight_decay": STRENGTH},
    "finetune": {"epochs": 10, "learning_rate": 2e-5, "weight_decay": 0.01},
    "probe-then-finetune": {"epochs": 2, "learning_rate": 2e-5, "weight_decay": 0.01},
}


@dataclass(frozen=True)
class TrainingSettings:
    """Everything that decides a training run besides its data.

    ``epochs``, ``learning_rate`` and ``weight_decay`` left at None are filled by method. With the
    probe, ``weight_decay`` is how many comparisons its prior weighs, and what concerns an encoder
    or its training has no effect: ``encoder``, ``epochs``, ``batch_size``, ``learning_rate``,
    ``margin``, ``tolerance``, ``seed``, ``device``, ``batching``, ``precision``, ``over_length``.
    ``precision`` is the floats that the encoder computes in: 32-bit, bfloat16, or bfloat16 where
    the GPU has it ('auto', as is None).
    ``margin`` (m) and ``tolerance`` (n) are those of the loss, in score units. ``over_length``
    says what becomes of items with a pair over the encoder's limit: they refuse the run, or are
    left out and listed; nothing is ever cut.
    Raises ``SettingsError`` on any value out of range.
    """

    criterion: str
    method: str = "probe"
    encoder: str = DEFAULT_ENCODER
    epochs: int | None = None
    batch_size: int = 4
    learning_rate: float | None = None
    weight_decay: float | None = None
    margin: float = 0.2
    tolerance: float = 0.05
    seed: int = 0
    device: str = "auto"
    preset: str = "default"
    batching: str = "paper"
    global_tokens: str = "cls"
    pooling: str = "mean"
    max_tokens: int = 4096
    over_length: str = "refuse"
    precision: str | None = None

    def __post_init__(self) -> None:
        """Refuse values out of range, naming the field."""
        if not isinstance(self.criterion, str) or not re.fullmatch(r"[a-z][a-z_]*", self.criterion):
            raise SettingsError("criterion", "give the key of one criterion, in small letters")
        for name, allowed in (
            ("method", METHODS),
            ("preset", PRESETS),
            ("batching", BATCHINGS),
            ("global_tokens", GLOBAL_TOKENS),
            ("pooling", POOLINGS),
            ("over_length", OVER_LENGTH),
        ):
            if getattr(self, name) not in allowed:
                raise SettingsError(name, f"must be one of {', '.join(allowed)}")
        if not isinstance(self.encoder, str) or not self.encoder.strip():
            raise SettingsError("encoder", "give 'default', a directory or a model name")
        if not isinstance(self.device, str) or not re.fullmatch(
            r"auto|cpu|cuda(:\d+)?", self.device
        ):
            raise SettingsError("device", "must be auto, cpu, cuda or cuda:NUMBER")
        if self.precision not in (None, *PRECISIONS):
            raise SettingsError("precision", f"must be one of {', '.join(PRECISIONS)}")
        if self.precision == "bf16" and (self.method, self.preset) == ("probe", "default"):
            raise SettingsError("precision", "must be fp32 for the probe, which reads no encoder")
        self._check_numbers()

    def _check_numbers(self) -> None:
        _whole("epochs", self.epochs, 1, 100_000, optional=True)
        _whole("batch_size", self.batch_size, 1, 4096)
        _whole("seed", self.seed, 0, 2**32 - 1)
        _whole("max_tokens", self.max_tokens, 16, LARGEST_MAX_TOKENS)
        _real("learning_rate", self.learning_rate, 0.0, 1.0, open_low=True, optional=True)
        _real("weight_decay", self.weight_decay, 0.0, 1000.0, optional=True)
        _real("margin", self.margin, 0.0, 1.0, open_low=True)
        _real("tolerance", self.tolerance, 0.0, 1.0)
        if self.tolerance > self.margin:
            raise SettingsError("tolerance", "must not be larger than the margin")

    @classmethod
    def from_stored(cls, values: Mapping[str, Any]) -> TrainingSettings:
        """Return the settings that a model or a run was stored with, also by an earlier release.

        Raises ``SettingsError`` on a value out of range and ``TypeError`` on an unknown setting.
        """
        return cls(**{name: value for name, value in values.items() if name not in FORMER_SETTINGS})

    def resolved(self) -> TrainingSettings:
        """Return the same settings with preset and method defaults filled in.

        The preset replaces what was left at its default; a value that was given stays, so the
        paper's recipe can run on an encoder from a local directory.
        """
        settings = self
        if self.preset == "paper":
            untouched = {f.name: f.default for f in fields(self)}
            changes = {k: v for k, v in PAPER.items() if getattr(self, k) == untouched[k]}
            settings = replace(settings, **changes)
        missing = {
            name: value
            for name, value in _DEFAULTS[settings.method].items()
            if getattr(settings, name) is None
        }
        precision = "fp32" if settings.method == "probe" else settings.precision or "auto"
        return replace(settings, precision=precision, **missing)

    @property
    def reads_validation(self) -> bool:
        """Return whether validation items choose or measure the model, and are not learnt from.

        The default method needs none: every reference that it learns from is left out once to
        measure it, and nothing is chosen on validation items.
        """
        return self.resolved().method != "probe"

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain values, fit for JSON."""
        return asdict(self)


def _whole(name: str, value: Any, low: int, high: int, *, optional: bool = False) -> None:
    if value is None and optional:
        return
    if isinstance(value, bool) or not isinstance(value, int):
        raise SettingsError(name, "must be a whole number")
    if not low <= value <= high:
        raise SettingsError(name, f"must lie between {low} and {high}")


def _real(
    name: str,
    value: Any,
    low: float,
    high: float,
    *,
    open_low: bool = False,
    optional: bool = False,
) -> None:
    if value is None and optional:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise SettingsError(name, "must be a finite number")
    if value < low or value > high or (open_low and value == low):
        edge = "greater than" if open_low else "at least"
        raise SettingsError(name, f"must be {edge} {low:g} and at most {high:g}")


PACKAGE: Final = Path(__file__).parent
STATISTICS: Final = tuple(
    Path(p.__path__[0]) for p in (patclaimeval.agreement, patclaimeval.statistics)
)
"""Where the statistics are computed by which a training chooses its weights."""
READING: Final = (
    Path(patclaimeval.claims.__path__[0]),
    Path(patclaimeval.metrics.rouge.__file__),
)
"""What reads claims and compares words for the features, beside the package."""
# Everything counts unless it stands here: forgetting a file then costs a training, not the truth.
WITHOUT_EFFECT: Final = frozenset(
    (
        *("__init__.py", "named_scorers.py", "plain_export.py", "scorer.py"),
        *("encoder_scorer.py", "explanation.py", "pair_scores.py", "stream.py"),
    )
)
"""Sources that decide no weight: interfaces, scoring of finished models, words about a run."""


@cache
def code_version() -> str:
    """Return 'code DIGEST, numpy VERSION, torch VERSION' (if any), at most 80 characters."""
    try:
        libraries = f"numpy {version('numpy')}, torch {version('torch')}"
    except PackageNotFoundError:
        libraries = f"numpy {version('numpy')}"
    return f"code {_digest(PACKAGE, *STATISTICS, *READING)[:12]}, {libraries}"


def _digest(*places: Path) -> str:
    """Return the sha256 over modules and packages, by name and content, in hex."""
    found = hashlib.sha256()
    for place in places:
        for path in sorted(place.glob("**/*.py")) if place.is_dir() else [place]:
            name = path.relative_to(place).as_posix() if place.is_dir() else path.name
            if name not in WITHOUT_EFFECT:
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                found.update(f"{name}\0{digest}\0".encode())
    return found.hexdigest()
