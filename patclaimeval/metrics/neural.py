"""What metrics over a model directory share: files, tokenizer, network, batches, version.

Published tokenizers and weights only: safetensors, no code from the directory, 32-bit floats,
evaluation mode. torch and transformers load here when a metric first scores.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from patclaimeval.claims.languages import LATIN, language_name
from patclaimeval.files import found_among
from patclaimeval.metrics.base import (
    DIRECTORY,
    MetricUnavailable,
    Needs,
    Pair,
    Score,
    library_version,
)
from patclaimeval.metrics.languages import score_by_language
from patclaimeval.text_io.strict_json import StrictJsonError, loads, short

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer
    from torch import Tensor

CONFIG: Final = "config.json"
TOKENIZER: Final = "tokenizer.json"
WEIGHTS: Final = "model.safetensors"
SETTINGS: Final = "metric.json"
LANGUAGES: Final = "languages"
LARGEST_TOKENIZER: Final = 64 * 1024 * 1024
LARGEST_HEADER: Final = 4 * 1024 * 1024
# Names under which model families store the same size.
WIDTHS: Final = ("hidden_size", "d_model", "dim")
LAYER_NAMES: Final = ("num_hidden_layers", "num_layers", "n_layers", "encoder_layers")
ROWS: Final = ("vocab_size", "max_position_embeddings", "intermediate_size", "d_ff")


class _Wrong(Exception):
    """A directory cannot be used; the message completes 'The directory of NAME ...'."""


def checked_directory(name: str, directory: Path | None) -> Path:
    """Return a metric's model directory when its weights can be loaded without running any code.

    Input: the metric's name, and its directory or None where no place is set. Reads the small
    files and the head of the weights. Raises MetricUnavailable, whose sentence is what to put
    where and names no path of the machine.
    """
    place = f"METRIC_MODELS_DIR/{name}"
    wanted = f"{CONFIG}, {TOKENIZER} and {WEIGHTS} (docs/metrics.md says which weights)"
    if directory is None or not directory.is_dir():
        raise MetricUnavailable(
            f"{name} needs its weights: make the directory {place} with {wanted}."
        )
    try:
        _check(directory)
    except _Wrong as wrong:
        raise MetricUnavailable(f"The directory {place} {wrong} It needs {wanted}.") from wrong
    return directory


def read_settings(name: str, directory: Path, known: Collection[str]) -> dict[str, Any]:
    """Return what metric.json in a checked directory sets; empty without the file.

    Raises MetricUnavailable for a setting that is not among the `known` ones.
    """
    settings = _object(directory / SETTINGS) if (directory / SETTINGS).exists() else {}
    unknown = sorted(settings.keys() - set(known))
    if unknown:
        raise wrong_setting(name, f"there is no setting {short(unknown[0])}", known)
    return settings


def wrong_setting(name: str, reason: str, known: Collection[str]) -> MetricUnavailable:
    """Word the refusal of a metric.json; the settings that there are stand in it."""
    return MetricUnavailable(
        f"METRIC_MODELS_DIR/{name}/{SETTINGS} cannot be used: {reason}. "
        f"It may set {', '.join(known)} (docs/metrics.md)."
    )


def whole_setting(
    name: str, settings: Mapping[str, Any], key: str, default: int | None, highest: int
) -> int:
    """Return a whole number from 1 to `highest` that metric.json sets, or its default.

    Raises MetricUnavailable when it is anything else, or not set and without a default.
    """
    value = settings.get(key, default)
    if type(value) is not int or not 1 <= value <= highest:
        raise wrong_setting(name, f"{key} must be a whole number from 1 to {highest:,}", [key])
    return value


def read_config(directory: Path) -> dict[str, Any]:
    """Return config.json of a checked directory."""
    return _object(directory / CONFIG)


def digest_of(directory: Path) -> str:
    """Return 16 hexadecimal digits that change with any byte of any file in the directory."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    stamps = tuple((path, path.stat().st_size, path.stat().st_mtime_ns) for path in files)
    return _digest(directory, stamps)


@lru_cache(maxsize=16)
def _digest(directory: Path, stamps: tuple[tuple[Path, int, int], ...]) -> str:
    found = hashlib.sha256()
    for path, _, _ in stamps:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        found.update(f"{path.relative_to(directory)}\0{digest}\0".encode())
    return found.hexdigest()[:16]


def _check(directory: Path) -> None:
    pickles = found_among(entry.name for entry in directory.iterdir())
    if pickles:
        raise _Wrong(
            f"is refused: {pickles[0]} can run code when it is opened. Convert it to {WEIGHTS} "
            "elsewhere and take it away."
        )
    for name in (CONFIG, TOKENIZER, WEIGHTS):
        if not (directory / name).is_file():
            raise _Wrong(f"lacks {name}.")
    if (directory / TOKENIZER).stat().st_size > LARGEST_TOKENIZER:
        raise _Wrong(f"is refused: {TOKENIZER} is larger than {LARGEST_TOKENIZER:,} bytes.")
    config = _object(directory / CONFIG)
    _check_sizes(config, _tensors(directory / WEIGHTS), (directory / WEIGHTS).stat().st_size)
    if (directory / SETTINGS).exists():
        _object(directory / SETTINGS)


def _object(path: Path) -> dict[str, Any]:
    try:
        value = loads(path.read_bytes())
    except StrictJsonError as error:
        raise _Wrong(f"is refused: {path.name} is not plain JSON ({error}).") from error
    if not isinstance(value, dict):
        raise _Wrong(f"is refused: {path.name} does not hold one JSON object.")
    return value


def _tensors(path: Path) -> int:
    """Count the tensors of a safetensors file by its head: 8 bytes of length, then JSON."""
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if not 0 < length <= LARGEST_HEADER:
            raise _Wrong(f"is refused: {path.name} is not a safetensors file.")
        head = stream.read(length)
    try:
        return len(loads(head).keys() - {"__metadata__"})
    except (StrictJsonError, AttributeError) as error:
        raise _Wrong(f"is refused: {path.name} is not a safetensors file.") from error


def _check_sizes(config: Mapping[str, Any], tensors: int, weight_bytes: int) -> None:
    """Refuse a configuration that describes more than the weights hold, before it is built."""

    def largest(names: tuple[str, ...]) -> int:
        return max((size for name in names if type(size := config.get(name)) is int), default=0)

    width = largest(WIDTHS)
    # A weight takes a byte at least, and a layer has a tensor of its own.
    too_large = max(width * width, width * largest(ROWS)) > weight_bytes
    if too_large or largest((*LAYER_NAMES, "decoder_layers")) > tensors:
        raise _Wrong(f"is refused: {CONFIG} describes a larger model than {WEIGHTS} holds.")


Result = TypeVar("Result")
# Padded tokens that run together: states of a base-size encoder then take about 50 MB a layer.
TOKENS_AT_ONCE: Final = 4096
# Kin of RoBERTa number their positions from behind the padding index.
OFFSET_KINDS: Final = frozenset({"roberta", "xlm-roberta", "camembert", "longformer", "mpnet"})


@dataclass(frozen=True)
class Weights:
    """The model directory of one metric, from which tokenizer and network load on first use."""

    name: str
    directory: Path

    @cached_property
    def config(self) -> dict[str, Any]:
        """What config.json holds."""
        return read_config(self.directory)

    @property
    def version(self) -> str:
        """Libraries, and the digest of every file in the directory."""
        libraries = f"{library_version('transformers')}, {library_version('torch')}"
        return f"{libraries}, weights {digest_of(self.directory)}"

    def limit(self, default: int) -> int:
        """Return how many tokens the model's positions take; `default` where it has no table."""
        rows = self.config.get("max_position_embeddings", default)
        if self.config.get("model_type") in OFFSET_KINDS:
            rows -= self.config.get("pad_token_id", 1) + 1
        return int(rows)

    def tokenizer(self, limit: int | None, strategy: str = "longest_first") -> Tokenizer:
        """Return the tokenizer, cutting at `limit` tokens, special ones included; None: never."""
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(self.directory / TOKENIZER))
        except Exception as error:
            raise self.unusable(f"{TOKENIZER} cannot be read") from error
        tokenizer.no_padding()
        tokenizer.no_truncation()
        if limit is not None:
            tokenizer.enable_truncation(limit, strategy=strategy)
        return tokenizer

    def model(self, kind: str, spare: tuple[str, ...] = ()) -> Any:
        """Return the network in evaluation mode, as the class `kind` of transformers.

        spare: beginnings of names of weights that may be missing, because no score reads them.
        Raises MetricUnavailable when the weights do not fit, are incomplete or are not finite.
        """
        import torch
        import transformers
        from safetensors import SafetensorError
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()
        try:
            model, facts = getattr(transformers, kind).from_pretrained(
                self.directory,
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
                dtype=torch.float32,
                output_loading_info=True,
            )
        except (OSError, ValueError, KeyError, RuntimeError, ImportError, SafetensorError) as error:
            raise self.unusable(f"{CONFIG} and {WEIGHTS} do not make a model") from error
        missing = [name for name in facts["missing_keys"] if not name.startswith(spare)]
        if missing:
            raise self.unusable(f"{WEIGHTS} lacks {len(missing)} tensors of the model")
        return self.ready(model)

    def tensors(self) -> dict[str, Tensor]:
        """Return the tensors of model.safetensors by name, in 32-bit floats."""
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        try:
            found = load_file(self.directory / WEIGHTS)
        except (OSError, SafetensorError) as error:
            raise self.unusable(f"{WEIGHTS} cannot be read") from error
        return {name: tensor.float() for name, tensor in found.items()}

    def ready(self, model: Any) -> Any:
        """Return a network with finite weights, in evaluation mode, on the device there is."""
        import torch

        if not all(bool(torch.isfinite(tensor).all()) for tensor in model.state_dict().values()):
            raise self.unusable(f"{WEIGHTS} holds numbers that are not finite")
        return model.eval().to("cuda" if torch.cuda.is_available() else "cpu")

    def unusable(self, reason: str) -> MetricUnavailable:
        """Word why the directory cannot be used."""
        return MetricUnavailable(
            f"The directory METRIC_MODELS_DIR/{self.name} cannot be used: {reason}. "
            "docs/metrics.md says what belongs there."
        )

    def padded(self, rows: Sequence[Sequence[int]]) -> dict[str, Tensor]:
        """Return token ids as one table with its mask, both of shape [rows, longest row]."""
        import torch

        longest, padding = max(map(len, rows)), self.config.get("pad_token_id") or 0
        ids = torch.full((len(rows), longest), padding)
        mask = torch.zeros((len(rows), longest), dtype=torch.long)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = torch.tensor(row)
            mask[number, : len(row)] = 1
        device = "cuda" if torch.cuda.is_available() else "cpu"
        return {"input_ids": ids.to(device), "attention_mask": mask.to(device)}


def batches(lengths: Sequence[int], budget: int = TOKENS_AT_ONCE) -> Iterator[list[int]]:
    """Group texts of like length. Input: their lengths in tokens. Output: groups of indexes.

    Longest first; a group, padded to its longest text, holds at most `budget` tokens, or one text.
    """
    group: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        if group and lengths[group[0]] * (len(group) + 1) > budget:
            yield group
            group = []
        group.append(index)
    if group:
        yield group


class NeuralMetric:
    """A metric whose weights lie in a model directory and load when it first scores.

    settings: what metric.json may set, beside the `languages` that its weights read: English, and
    Latin letters without a record, where it names none. usual_tokens: how many tokens of a text
    (special ones included) the authors' code reads; metric.json's max_tokens may set another.
    never_read: languages that the metric cannot read, whatever its weights.
    """

    name: str
    low: float | None
    high: float | None
    needs: Needs = DIRECTORY
    settings: ClassVar[tuple[str, ...]] = ("max_tokens",)
    usual_tokens: ClassVar[int] = 512
    never_read: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, directory: Path) -> None:
        """Take a checked directory. Raises MetricUnavailable when metric.json makes no sense."""
        self.directory = directory
        self.weights = Weights(self.name, directory)
        known = (*self.settings, LANGUAGES)
        self.chosen: Mapping[str, Any] = read_settings(self.name, directory, known)
        self.languages = self._languages(known)
        most = self.weights.limit(self.usual_tokens)
        usual = min(self.usual_tokens, most)
        self.longest = whole_setting(self.name, self.chosen, "max_tokens", usual, most)

    @property
    def version(self) -> str:
        """The recipe with every choice that moves a number, libraries, digest of the directory."""
        return f"{self.recipe}, {self.weights.version}"

    @property
    def recipe(self) -> str:
        """Return in a few words how this metric computes."""
        raise NotImplementedError

    def _languages(self, known: Collection[str]) -> frozenset[str]:
        named = self.chosen.get(LANGUAGES, ["en"])
        if not (isinstance(named, list) and named and all(isinstance(one, str) for one in named)):
            reason = f"{LANGUAGES} must be a list of codes such as en or zh"
            raise wrong_setting(self.name, reason, known)
        unread = sorted(self.never_read.intersection(named))
        if unread:
            reason = f"{self.name} cannot read {language_name(unread[0])}, whatever its weights"
            raise wrong_setting(self.name, reason, known)
        return frozenset(named) | ({LATIN} if "en" in named else set())

    def reading(self, language: str) -> str | None:
        """Return '' for a language of the weights; the digest of metric.json is in `version`."""
        return "" if language in self.languages else None

    def score(self, pairs: Sequence[Pair]) -> list[Score]:
        """Score n pairs. Output: n numbers, or Missing in a language that the weights do not read.

        Raises MetricUnavailable where the weights turn out not to be usable.
        """
        return score_by_language(self, pairs, lambda _, some: self.measure(some))

    def measure(self, pairs: Sequence[Pair]) -> Sequence[Score]:
        """Score n pairs in a language that the weights read. Output: n numbers, or Missing."""
        raise NotImplementedError

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The directory's tokenizer, cutting at the limit."""
        return self.weights.tokenizer(self.longest)

    def encode(self, text: str) -> Encoding:
        """Return the tokens of one text as the metric reads it."""
        return self.tokenizer.encode(text)


def run_batches(
    lengths: Sequence[int],
    run: Callable[[list[int]], Iterable[Result]],
    budget: int = TOKENS_AT_ONCE,
) -> list[Result]:
    """Run texts of like length together, without gradients.

    Input: their lengths in tokens; a function that gives the results of some of them, by index.
    Output: the results in the order of the texts.
    """
    import torch

    found: dict[int, Result] = {}
    for group in batches(lengths, budget):
        with torch.inference_mode():
            found |= zip(group, run(group), strict=True)
    return [found[index] for index in range(len(lengths))]


def by_reference(pairs: Sequence[Pair]) -> Iterator[list[int]]:
    """Group the indexes of pairs with the same reference, so that its states are made once."""
    order = sorted(range(len(pairs)), key=lambda index: pairs[index].reference)
    for _, group in groupby(order, key=lambda index: pairs[index].reference):
        yield list(group)


def texts_of(pairs: Sequence[Pair]) -> list[str]:
    """Return the distinct references and candidates of pairs, in order of first appearance."""
    return list(dict.fromkeys(t for pair in pairs for t in (pair.reference, pair.candidate)))
