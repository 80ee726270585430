"""What a training would take before it is started, and how much of a split it has seen."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol

from annotator.models import User
from annotator.rubric import NAMES
from core.jobs.rows import JobStatus
from scoring.agreement.items import fold
from scoring.models import DatasetVersion, TrainingRun
from scoring.quadruplets import SPLIT_NAMES, TRAIN
from scoring.training.model_versions.queries import runs_for
from scoring.training.runs.choices import (
    DataSizes,
    EncoderShape,
    format_duration_range,
    format_memory_range,
    longest_pieces,
    memory_bytes,
    operations,
    resolved_options,
    shape_of,
)


class Row(Protocol):
    """A quadruplet with its split, as far as it is counted here."""

    @property
    def reference(self) -> str: ...
    @property
    def b(self) -> str: ...
    @property
    def c(self) -> str: ...
    @property
    def split(self) -> str: ...


def seen_in_training(rows: Sequence[Row]) -> dict[str, Any]:
    """Count distinct texts of each split, and those that a training quadruplet holds too.

    Input: the labelled rows of one criterion. Output by split: `items`; `references` and
    `candidates`, each {"of": distinct texts, "seen": those that stand in training in any role,
    white space folded}. In training itself all are seen.
    """
    known = {text for row in rows if row.split == TRAIN for text in _texts(row)}
    return {
        split: _counts([row for row in rows if row.split == split], known) for split in SPLIT_NAMES
    }


def _counts(rows: Sequence[Row], known: set[str]) -> dict[str, Any]:
    references = {fold(row.reference) for row in rows}
    candidates = {fold(text) for row in rows for text in (row.b, row.c)}
    return {
        "items": len(rows),
        "references": {"of": len(references), "seen": len(references & known)},
        "candidates": {"of": len(candidates), "seen": len(candidates & known)},
    }


def _texts(row: Row) -> Iterable[str]:
    return map(fold, (row.reference, row.b, row.c))


EARLIER_RUNS: Final = 10
MOST_LOOKED_AT: Final = 100
# What is not reading texts: the process with its encoder, and for each criterion a head or a
# saved network.
START_SECONDS: Final = (3.0, 15.0)
CRITERION_SECONDS: Final = (1.0, 5.0)
TOO_SHORT_SECONDS: Final = 5.0
"""Reading that took less shows no rate: the texts were cached, or too few."""
# Operations a second that a training reaches, the least and the most: for a probe what was
# measured on two cores, busy and quiet; all others are assumptions.
RATES: Final[Mapping[tuple[str, bool], tuple[float, float]]] = {
    ("probe", False): (2e10, 1.6e11),
    ("probe", True): (2e10, 1e12),
    ("finetune", False): (5e9, 8e10),
    ("finetune", True): (5e12, 1e14),
}
GPU: Final = Path("/dev/nvidia0")


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate as text, with what it rests on and what may go wrong."""

    reads: str
    time: str
    memory: str
    basis: str
    cautions: tuple[str, ...]


def training_estimate(
    user: User, version: DatasetVersion, criteria: Sequence[str], options: Mapping[str, Any]
) -> Estimate | None:
    """Estimate trainings, one a criterion, out of the version's card; None if it has no lengths.

    `options` are fields of TrainingSettings, with a listed encoder's directory for its name.
    """
    settings = resolved_options(criteria[0], options)
    shape = shape_of(settings["encoder"])
    sizes = {criterion: data_sizes(version, criterion) for criterion in criteria}
    known = [data for data in sizes.values() if data is not None]
    if shape is None or not known:
        return None
    largest = max(known, key=lambda data: data.training)
    has_gpu, kind = _uses_gpu(settings["device"]), _kind(settings)
    rates = _measured(user, settings, has_gpu)
    slow, fast = _range(rates) or RATES[kind, has_gpu]
    work = [operations(shape, data, settings) for data in known]
    # Probes read from one cache; fine-tuned models read everything for themselves.
    reading = max(work) if kind == "probe" else sum(work)
    low, high = (
        reading / rate + start + len(known) * each
        for rate, start, each in zip((fast, slow), START_SECONDS, CRITERION_SECONDS, strict=True)
    )
    return Estimate(
        reads=_reads(largest, len(known)),
        time=format_duration_range(low, high) + _together(len(known)),
        memory=format_memory_range(*memory_bytes(shape, largest, settings)),
        basis=_basis(len(rates), kind, has_gpu) + _order(len(known), kind),
        cautions=(*_unlabelled(sizes), *_cautions(shape, largest, settings)),
    )


def _reads(data: DataSizes, trainings: int) -> str:
    text = (
        f"{data.training} quadruplets to train and {data.validation} to validate on, "
        f"{data.candidates} candidates of {data.references} references, about "
        f"{data.pair_words:.0f} words a pair"
    )
    return text if trainings == 1 else f"{trainings} trainings, the largest of {text}"


def _together(trainings: int) -> str:
    return "" if trainings == 1 else f" for all {trainings} together"


def _order(trainings: int, kind: str) -> str:
    text = ""
    if trainings > 1:
        text = " They follow one another; workers on several GPUs would share them out."
    if kind == "probe":
        low, high = (
            start + trainings * each
            for start, each in zip(START_SECONDS, CRITERION_SECONDS, strict=True)
        )
        text += f" If all texts were read before: {format_duration_range(low, high)}."
    return text


def _unlabelled(sizes: Mapping[str, DataSizes | None]) -> list[str]:
    lacking = [NAMES[criterion] for criterion, data in sizes.items() if data is None]
    if not lacking:
        return []
    return [f"The version has no labels for {', '.join(lacking)}: asked for all, nothing starts."]


def data_sizes(version: DatasetVersion, criterion: str) -> DataSizes | None:
    """Return what a training of one criterion would read; None where the card has no lengths.

    The card counts splits over all criteria, so shares stand for the criterion's own.
    """
    card = version.card
    lengths = [card.get("tokens", {}).get(role, {}) for role in ("reference", "candidate")]
    items = sum(card["labels"].get(criterion, {}).values())
    if not items or any(found.get("mean") is None for found in lengths):
        return None
    of = max(1, sum(card["splits"].values()))
    train, validation = (card["splits"].get(name, 0) / of for name in ("train", "validation"))
    return DataSizes(
        training=round(items * train),
        validation=round(items * validation),
        references=_part(card["counts"]["references"], train + validation),
        candidates=_part(card["counts"]["candidates"], train + validation),
        reference_words=lengths[0]["mean"],
        candidate_words=lengths[1]["mean"],
        longest_words=lengths[0]["max"] + lengths[1]["max"],
    )


def _part(count: int, share: float) -> int:
    return max(1, round(count * share))


def _kind(settings: Mapping[str, Any]) -> str:
    return "probe" if settings["method"] == "probe" else "finetune"


def _uses_gpu(device: str) -> bool:
    return device != "cpu" and GPU.exists()


def _measured(user: User, settings: Mapping[str, Any], has_gpu: bool) -> list[float]:
    """Return the rates of the latest runs of this method and encoder, in operations a second."""
    rows = runs_for(user).filter(
        status=JobStatus.SUCCEEDED,
        settings__method=settings["method"],
        settings__encoder=settings["encoder"],
        attempt=1,
        reused_model=None,
        started_at__isnull=False,
        finished_at__isnull=False,
    )
    alike = (run for run in rows[:MOST_LOOKED_AT] if _uses_gpu(_device(run)) == has_gpu)
    found = (rate for rate in map(_operations_per_second, alike) if rate is not None)
    return list(islice(found, EARLIER_RUNS))


def _device(run: TrainingRun) -> str:
    return str(run.settings.get("device", "auto"))


def _operations_per_second(run: TrainingRun) -> float | None:
    """Return the operations a second at which a run read; None where it is not known."""
    data = data_sizes(run.dataset_version, run.criterion)
    shape = shape_of(str(run.settings.get("encoder")))
    if data is None or shape is None or run.started_at is None or run.finished_at is None:
        return None
    seconds = (run.finished_at - run.started_at).total_seconds()
    seconds -= START_SECONDS[0] + CRITERION_SECONDS[0]
    if seconds < TOO_SHORT_SECONDS:
        return None
    return operations(shape, data, run.settings) / seconds


def _range(rates: Sequence[float]) -> tuple[float, float] | None:
    """Return the slowest and the fastest rate, wider where few runs show how much they vary."""
    if not rates:
        return None
    slack = 2.0 if len(rates) < 3 else 1.25
    return min(rates) / slack, max(rates) * slack


def _basis(runs: int, kind: str, has_gpu: bool) -> str:
    where = "a GPU" if has_gpu else f"{os.cpu_count()} processor cores"
    if runs:
        runs_read = "the latest run" if runs == 1 else f"the latest {runs} runs"
        return f"On {where}, from the pace of {runs_read} of this method with this encoder here."
    measured = kind == "probe" and not has_gpu
    source = "figures measured on two cores elsewhere" if measured else "assumptions"
    return (
        f"On {where}, from {source}: no run here has told its pace yet, so take the range as a "
        "guess."
    )


def _over_length(settings: Mapping[str, Any]) -> str:
    is_left_out = settings["over_length"] == "leave-out"
    return "left out and listed" if is_left_out else "refused by name"


def _cautions(shape: EncoderShape, data: DataSizes, settings: Mapping[str, Any]) -> list[str]:
    cautions = []
    if longest_pieces(data) > settings["max_tokens"]:
        cautions.append(
            f"The longest texts together may pass {settings['max_tokens']:,} tokens; a pair that "
            f"does is {_over_length(settings)}, nothing is cut."
        )
    if not data.validation:
        cautions.append("The version has no validation items: the model would not be measured.")
    return cautions
