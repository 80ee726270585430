"""What a training costs, from sizes alone: operations, memory, and both in words.

Orders of magnitude for somebody who decides whether to start. Standard library only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from scoring.patclaimeval.config import LONGFORMER

# Pieces of a wordpiece or byte-pair tokenizer for a word as datasets.text_lengths counts it:
# measured 1.28 on published claim sets with the embedded one (1.08 to 1.89 by text).
PIECES_PER_WORD: Final = (1.2, 1.5)
PROCESS_BYTES: Final = (6e8, 1.2e9)
FLOAT: Final = 4
# Weights, gradients, two moments of the optimiser, and the copy of the best epoch.
TRAINED_COPIES: Final = 5
FORWARD_AND_BACKWARD: Final = 3
PAIRS_OF_AN_ITEM: Final = 2


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """The sizes of an encoder; `window` is 0 where every token attends to every other."""

    layers: int
    width: int
    inner: int
    vocabulary: int
    positions: int
    window: int = 0

    @property
    def body(self) -> int:
        """Weights that every token is multiplied with."""
        projections = 4 + (3 if self.window else 0)
        return self.layers * (projections * self.width**2 + 2 * self.width * self.inner)

    @property
    def parameters(self) -> int:
        return self.body + (self.vocabulary + self.positions) * self.width


EMBEDDED: Final = EncoderShape(6, 384, 1536, 30_522, 4096)
LONGFORMER_BASE: Final = EncoderShape(12, 768, 3072, 50_265, 4098, 512)
KNOWN: Final[Mapping[str, EncoderShape]] = {"default": EMBEDDED, LONGFORMER: LONGFORMER_BASE}


@dataclass(frozen=True, slots=True)
class DataSizes:
    """What a training reads: quadruplets and distinct texts; their mean and greatest words."""

    training: int
    validation: int
    references: int
    candidates: int
    reference_words: float
    candidate_words: float
    longest_words: int

    @property
    def pair_words(self) -> float:
        return self.reference_words + self.candidate_words


def operations(shape: EncoderShape, data: DataSizes, settings: Mapping[str, Any]) -> float:
    """Count the floating-point operations of a training, roughly.

    Input: sizes; `method`, `epochs`, `batching` of the settings as they are resolved. A probe
    reads each text once. Fine-tuning reads each quadruplet's two pairs in every epoch forwards and
    backwards (by reference: each distinct pair), and the validation pairs once more.
    """
    pieces = sum(PIECES_PER_WORD) / 2
    pair = pieces * data.pair_words
    if settings["method"] == "probe":
        return data.references * _forward(shape, pieces * data.reference_words) + (
            data.candidates * _forward(shape, pieces * data.candidate_words)
        )
    share = data.training / max(1, data.training + data.validation)
    trained = float(PAIRS_OF_AN_ITEM * data.training)
    if settings.get("batching") == "by-reference":
        trained = min(trained, data.candidates * share)
    unseen = data.candidates * (1 - share)
    epoch = (FORWARD_AND_BACKWARD * trained + unseen) * _forward(shape, pair)
    started = settings["method"] == "probe-then-finetune"
    features = data.candidates * share * _forward(shape, pair) if started else 0.0
    return int(settings.get("epochs") or 1) * epoch + features


def memory_bytes(
    shape: EncoderShape, data: DataSizes, settings: Mapping[str, Any]
) -> tuple[float, float]:
    """Return the least and the most bytes of memory that a training may take, roughly.

    The process itself, the weights (for fine-tuning with gradients, moments and the best epoch),
    and the states of the longest pair, or of a batch of them.
    """
    tokens = data.longest_words * PIECES_PER_WORD[1]
    if settings["method"] == "probe":
        weights = FLOAT * shape.parameters
        states = FLOAT * tokens * shape.width * (shape.layers + 1)
        most = 2.0
    else:
        weights = FLOAT * TRAINED_COPIES * shape.parameters
        states = FLOAT * tokens * shape.layers * (16 * shape.width + 3 * shape.inner)
        by_reference = settings.get("batching") == "by-reference"
        most = float(PAIRS_OF_AN_ITEM * (settings.get("batch_size") or 1 if by_reference else 1))
    return PROCESS_BYTES[0] + weights + states, PROCESS_BYTES[1] + weights + most * states


def longest_pieces(data: DataSizes) -> float:
    """Return how many tokens the longest pair has, at the least likely."""
    return data.longest_words * PIECES_PER_WORD[0]


def duration_words(low: float, high: float) -> str:
    """Say a range of seconds in the units that fit: "2 to 6 minutes", "40 seconds to 2 minutes"."""
    (first, unit), (last, name) = _in_unit(low), _in_unit(high)
    if (first, unit) == (last, name):
        return f"about {last} {name[:-1] if last == '1' else name}"
    return f"{first} to {last} {name}" if unit == name else f"{first} {unit} to {last} {name}"


def memory_words(low: float, high: float) -> str:
    """Say a range of bytes in gigabytes: "1.1 to 2.3 GB"."""
    return f"{low / 1e9:.1f} to {max(high, low) / 1e9:.1f} GB"


def _forward(shape: EncoderShape, tokens: float) -> float:
    seen = min(tokens, shape.window) if shape.window else tokens
    return 2 * tokens * shape.body + 4 * shape.layers * shape.width * tokens * seen


def _in_unit(seconds: float) -> tuple[str, str]:
    units = ((3600, "hours"), (60, "minutes"), (1, "seconds"))
    size, name = next((unit for unit in units if seconds >= 1.5 * unit[0]), units[-1])
    return _rounded(seconds / size), name


def _rounded(number: float) -> str:
    """Round to a whole number, from 20 on to tens; nothing is said to take no time."""
    whole = max(1, round(number))
    return str(whole if whole < 20 else round(whole, -1))
