"""Quadruplets read from files, grouped and ordered; what training reports."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from patclaimeval.models.errors import DataError, TrainingFailed
from patclaimeval.text_io.streams import (
    BOM,
    FormatError,
    ReadNotes,
    Record,
    read_array,
    read_lines,
)
from patclaimeval.text_io.strict_json import MAX_BYTES

Pair = tuple[str, str]
"""(reference text, candidate text)."""
MIN_ITEMS: Final = 8
"""A training needs at least this many quadruplets."""


@dataclass(frozen=True)
class Quadruplet:
    """One comparison: under ``reference``, y = 1 if ``b`` is better, -1 if ``c``, 0 if equal.

    ``reference_id`` names the reference; folds never divide the quadruplets of one reference.
    """

    reference_id: str
    reference: str
    b: str
    c: str
    y: int

    def __post_init__(self) -> None:
        """Refuse empty texts and labels other than 1, 0 and -1."""
        if isinstance(self.y, bool) or self.y not in (1, 0, -1):
            raise DataError(f"label {self.y!r} is not one of 1, 0 and -1")
        for name in ("reference", "b", "c"):
            text = getattr(self, name)
            if not isinstance(text, str) or not text.strip():
                raise DataError(f"the text {name} of reference {self.reference_id!r} is empty")

    @property
    def pairs(self) -> tuple[Pair, Pair]:
        """The two scored pairs: (reference, b) and (reference, c)."""
        return (self.reference, self.b), (self.reference, self.c)


def distinct_pairs(quadruplets: Iterable[Quadruplet]) -> list[Pair]:
    """Return each (reference, candidate) pair once, in order of first appearance."""
    return list(dict.fromkeys(pair for item in quadruplets for pair in item.pairs))


def reference_count(quadruplets: Iterable[Quadruplet]) -> int:
    """Return the number of distinct ``reference_id`` values."""
    return len({item.reference_id for item in quadruplets})


def check_training_set(training: Sequence[Quadruplet]) -> None:
    """Raise ``TrainingFailed`` with a clear sentence if nothing can be learnt from the items."""
    if len(training) < MIN_ITEMS:
        raise TrainingFailed(
            f"There are {len(training)} quadruplets to train on; at least {MIN_ITEMS} are needed."
        )
    if reference_count(training) < 2:
        raise TrainingFailed(
            "All quadruplets share one reference; a model needs at least two references to learn "
            "what holds beyond one of them."
        )
    labels = Counter(item.y for item in training)
    if len(labels) == 1:
        word = {1: "B is better", 0: "equal", -1: "C is better"}[next(iter(labels))]
        raise TrainingFailed(
            f"All {len(training)} quadruplets carry the same label ({word}); training needs "
            "different ones."
        )


def batches(
    quadruplets: Sequence[Quadruplet], size: int, batching: str, seed: int, epoch: int
) -> Iterator[list[Quadruplet]]:
    """Yield one epoch of batches; the order depends on (seed, epoch) and nothing else.

    ``paper``: batches of ``size`` drawn over all references. ``by-reference``: batches of
    ``size`` within one reference, so that a candidate met twice is encoded once.
    """
    order = random.Random(f"{seed}:{epoch}")
    items = list(quadruplets)
    order.shuffle(items)
    if batching == "paper":
        groups = [items]
    else:
        by_reference: dict[str, list[Quadruplet]] = {}
        for item in items:
            by_reference.setdefault(item.reference, []).append(item)
        groups = list(by_reference.values())
    parts = [group[i : i + size] for group in groups for i in range(0, len(group), size)]
    order.shuffle(parts)
    yield from parts


def read_quadruplets(
    path: Path, criterion: str, splits: Collection[str | None] | None = None
) -> list[Quadruplet]:
    """Read the quadruplets of a file that have a label of a criterion.

    Input: JSON Lines or one JSON array of rows {"reference_id", "A", "B", "C", "y"}, where y is a
    label or {criterion: label}, or of rows of the published Patent-CE file. A row whose y object
    lacks ``criterion`` is left out, and so is one whose "split" is not among ``splits`` (None
    stands for a row that names none). Raises ``DataError`` with the place of a row that is wrong,
    and where no row at all has a label of the criterion.
    """
    found: list[Quadruplet] = []
    labelled: set[str] = set()
    count = 0
    for place, row in read_rows(path):
        count += 1
        try:
            told = _renamed(row)
            label = told["y"]
            if isinstance(label, dict):
                labelled.update(label)
                label = label.get(criterion)
            else:
                labelled.add(criterion)
            if label is not None and (splits is None or told.get("split") in splits):
                found.append(_quadruplet(told, label))
        except KeyError as error:
            raise DataError(f"{place} of {path.name}: the field {error} is missing") from error
        except (ValueError, TypeError, AttributeError) as error:
            raise DataError(f"{place} of {path.name}: {error}") from error
    if count and criterion not in labelled:
        there = ", ".join(sorted(map(str, labelled))) or "no criterion"
        raise DataError(
            f"{path.name} has no labels of the criterion {criterion!r}. It has labels of {there}."
        )
    return found


PUBLISHED_CRITERIA: Final = {
    "Completeness": "feature_completeness",
    "Clarity": "conceptual_clarity",
    "Consistency": "terminology_consistency",
    "Linkage": "logical_linkage",
    "Quality": "overall_quality",
}
"""What the published Patent-CE file calls the criteria; ``scoring.formats`` reads it strictly."""


def _renamed(row: Any) -> dict[str, Any]:
    """Return a row under our keys; the published file's A and B are our B and C."""
    if not isinstance(row, dict):
        raise DataError("a JSON object was expected")
    if "gold_claim" not in row:
        return row
    labels = row["human_eval"]
    if not isinstance(labels, dict) or not labels.keys() <= PUBLISHED_CRITERIA.keys():
        raise DataError(f"human_eval must hold labels of {', '.join(PUBLISHED_CRITERIA)}")
    y = {PUBLISHED_CRITERIA[name]: label for name, label in labels.items()}
    return {"A": row["gold_claim"], "B": row["A"], "C": row["B"], "y": y}


def read_pairs(path: Path) -> list[dict[str, Any]]:
    """Read rows with the texts "reference" and "candidate"; more fields are kept.

    Input: JSON Lines or one JSON array. A row with a list "candidates" gives one row for each of
    them, with the text as "candidate". Raises ``DataError`` with the place of a row that is wrong.
    """
    rows: list[dict[str, Any]] = []
    for place, row in read_rows(path):
        reason = wrong_pair(row)
        if reason:
            raise DataError(f"{place} of {path.name}: {reason}")
        shared = {name: value for name, value in row.items() if name != "candidates"}
        candidates = row["candidates"] if "candidates" in row else [row["candidate"]]
        rows += [shared | {"candidate": candidate} for candidate in candidates]
    return rows


def wrong_pair(row: Any) -> str:
    """Return why a row cannot be scored, without quoting its texts; "" where it can be."""
    if not isinstance(row, dict):
        return "a JSON object with reference and candidate was expected"
    if ("candidate" in row) == ("candidates" in row):
        return "give either candidate or candidates"
    if not _is_text(row.get("reference")):
        return "reference must be a text that is not empty"
    if "candidate" in row:
        return "" if _is_text(row["candidate"]) else "candidate must be a text that is not empty"
    texts = row["candidates"]
    is_good = isinstance(texts, list) and texts and all(map(_is_text, texts))
    return "" if is_good else "candidates must be a list of texts that are not empty"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def read_claims(path: Path) -> str:
    """Return a claim set as it stands in its file; ``DataError`` quotes none of it."""
    if path.is_file() and path.stat().st_size > MAX_BYTES:
        raise DataError(f"{path} is longer than the limit of {MAX_BYTES:,} bytes.")
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8: the byte at place {error.start + 1}.") from None
    except OSError as error:
        raise _unreadable(path, error) from error
    if not text.strip():
        raise DataError(f"{path} is empty.")
    return text


def read_rows(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the place and the value of each row of a JSON Lines file or of one JSON array.

    A place is "line 3" or "item 3". Raises ``DataError`` with the place of what is not UTF-8, not
    JSON, or refused by the one strict reader.
    """
    try:
        with path.open("rb") as file:
            # Looked at without reading on: the file may be a pipe.
            is_array = file.peek(1).removeprefix(BOM).lstrip(b" \t\r\n").startswith(b"[")
            read = read_array if is_array else read_lines
            for record in read(file, ReadNotes()):
                place = f"item {record.item}" if is_array else f"line {record.line}"
                if not isinstance(record, Record):
                    raise DataError(f"{place} of {path.name}: {record.reason}")
                yield place, record.value
    except FormatError as error:
        raise DataError(f"{path.name}: {error}") from error
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> DataError:
    if isinstance(error, FileNotFoundError):
        return DataError(f"There is no file {path}.")
    if isinstance(error, IsADirectoryError):
        return DataError(f"{path} is a directory; give a file.")
    return DataError(f"{path} cannot be read: {error.strerror}.")


def _quadruplet(row: dict[str, Any], label: Any) -> Quadruplet:
    name = row.get("reference_id")
    if name is not None and not str(name).strip():
        raise DataError("the reference_id is empty")
    return Quadruplet(
        str(name if name is not None else row["A"]), row["A"], row["B"], row["C"], label
    )


@dataclass(frozen=True)
class Progress:
    """One message of a running training.

    ``stage`` is one of preparing, features, training, calibrating, saving. ``step`` of ``steps``
    counts within the stage; ``loss`` is the mean since the last message; ``validation_tau`` is
    Kendall's tau-b on the validation items, None until known or where undefined.
    ``tokens_per_second`` (of a probe, the words that it reads) and ``seconds_left`` (of the stage)
    are measured since this process began the stage. ``note`` is a sentence about something that
    happened, fit to be shown.
    ``ends_epoch`` marks the last message of an epoch, whose ``loss`` is the epoch's mean.
    """

    stage: str
    step: int
    steps: int
    epoch: int = 0
    epochs: int = 0
    loss: float | None = None
    validation_tau: float | None = None
    tokens_per_second: float | None = None
    seconds_left: float | None = None
    note: str = ""
    ends_epoch: bool = False


@dataclass(frozen=True)
class TrainingResult:
    """What a finished training produced, all of it fit for JSON.

    ``validation`` holds what ``measure_validation`` gives (None where undefined);
    ``history`` one row per recorded epoch: epoch, loss, validation_tau. ``chosen`` holds of a
    probe the weight of its prior (``strength``), the weights of its groups, and what
    ``measure_validation`` gives of the training items, each by a model that never saw its
    reference (``unseen``, with enough references); ``chosen_by`` says what chose, of a fine-tuning
    the epoch.
    ``left_out`` names the items left out for their length, as 'reference ID, item N'.
    ``seen_in_training`` is for whoever knows the other splits to fill in; the library does not.
    """

    validation: dict[str, Any]
    n_training: int
    n_validation: int
    epochs_run: int
    best_epoch: int
    tie_threshold: float
    encoder: dict[str, Any]
    settings: dict[str, Any]
    history: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    chosen: dict[str, Any] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    seen_in_training: dict[str, Any] = field(default_factory=dict)
