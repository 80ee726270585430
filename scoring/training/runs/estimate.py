"""What a training would take before it is started, and how much of a split it has seen."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from annotator.models import User
from core.jobs.rows import JobStatus
from patclaimeval.agreement.items import collapse_spaces
from patclaimeval.rubric import NAMES
from scoring.access.scopes import LabelledRow
from scoring.models import DatasetVersion, TrainingRun
from scoring.quadruplets import SPLIT_NAMES, TRAIN
from scoring.training.model_versions.queries import runs_for
from scoring.training.runs.choices import (
    DataSizes,
    format_duration_range,
    format_memory_range,
    longest_pieces,
    memory_bytes,
    operations,
    resolved_options,
    shape_of,
)


def seen_in_training(rows: Sequence[LabelledRow]) -> dict[str, Any]:
    """Count distinct texts of each split, and those that a training quadruplet holds too.

    Input: the labelled rows of one criterion. Output by split: `items`; `references` and
    `candidates`, each {"of": distinct texts, "seen": those that stand in training in any role,
    white space folded}. In training itself all are seen.
    """
    training = (row for row in rows if row.split == TRAIN)
    known = {collapse_spaces(text) for row in training for text in (row.reference, row.b, row.c)}
    return {
        split: _counts([row for row in rows if row.split == split], known) for split in SPLIT_NAMES
    }


def _counts(rows: Sequence[LabelledRow], known: set[str]) -> dict[str, Any]:
    references = {collapse_spaces(row.reference) for row in rows}
    candidates = {collapse_spaces(text) for row in rows for text in (row.b, row.c)}
    return {
        "items": len(rows),
        "references": {"of": len(references), "seen": len(references & known)},
        "candidates": {"of": len(candidates), "seen": len(candidates & known)},
    }


EARLIER_RUNS: Final = 10
MOST_LOOKED_AT: Final = 100
# What is not reading texts: the process with its libraries, and for each criterion the weights.
START_SECONDS: Final = (1.0, 15.0)
CRITERION_SECONDS: Final = (0.1, 5.0)
TOO_SHORT_SECONDS: Final = 5.0
"""Reading that took less tells no pace: the texts were cached, or too few."""
# What is assumed to be done in a second, the least and the most, until a run has told: words that a
# probe reads, and operations of an encoder on processors and on a GPU.
READING_PACE: Final = (5e3, 5e4)
CPU_PACE: Final = (1e9, 3e10)
GPU_PACE: Final = (5e12, 1e14)
GPU: Final = Path("/dev/nvidia0")
ONE_AFTER_ANOTHER: Final = " They follow one another; workers on several GPUs would share them out."


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
    has_gpu = _uses_gpu(settings["device"])
    is_probe = settings["method"] == "probe"
    paces = _measured(user, settings, has_gpu)
    assumed = READING_PACE if is_probe else GPU_PACE if has_gpu else CPU_PACE
    slow, fast = _range(paces) or assumed
    work = [operations(shape, data, settings) for data in known]
    # Probes share what they read; fine-tuned models read everything for themselves.
    reading = max(work) if is_probe else sum(work)
    low, high = (
        reading / rate + start + len(known) * each
        for rate, start, each in zip((fast, slow), START_SECONDS, CRITERION_SECONDS, strict=True)
    )
    basis = _basis(len(paces), has_gpu)
    return Estimate(
        reads=_reads(largest, len(known), settings["method"]),
        time=format_duration_range(low, high)
        + (f" for all {len(known)} together" if len(known) > 1 else ""),
        memory=format_memory_range(*memory_bytes(shape, largest, settings)),
        basis=basis + (ONE_AFTER_ANOTHER if len(known) > 1 else ""),
        cautions=tuple(_cautions(largest, settings, sizes)),
    )


def _reads(data: DataSizes, trainings: int, method: str) -> str:
    # The default recipe withholds nothing for validation.
    items = f"{data.training} quadruplets to train and {data.validation} to validate on"
    if method == "probe":
        items = f"{data.training + data.validation} quadruplets to train on"
    text = (
        f"{items}, {data.candidates} candidates of {data.references} references, about "
        f"{data.pair_words:.0f} words a pair"
    )
    return text if trainings == 1 else f"{trainings} trainings, the largest of {text}"


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
    read = train + validation
    return DataSizes(
        training=round(items * train),
        validation=round(items * validation),
        references=max(1, round(card["counts"]["references"] * read)),
        candidates=max(1, round(card["counts"]["candidates"] * read)),
        reference_words=lengths[0]["mean"],
        candidate_words=lengths[1]["mean"],
        longest_words=lengths[0]["max"] + lengths[1]["max"],
    )


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
    alike = (
        run
        for run in rows[:MOST_LOOKED_AT]
        if _uses_gpu(run.settings.get("device", "auto")) == has_gpu
    )
    found = (pace for pace in map(_operations_per_second, alike) if pace is not None)
    return list(islice(found, EARLIER_RUNS))


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


def _basis(runs: int, has_gpu: bool) -> str:
    where = "a GPU" if has_gpu else f"{os.cpu_count()} processor cores"
    if runs:
        runs_read = "the latest run" if runs == 1 else f"the latest {runs} runs"
        return f"On {where}, from the speed of {runs_read} of this method with this encoder here."
    return (
        f"On {where}, from assumptions: no run here has told its pace yet, so take the range as a "
        "guess."
    )


def _cautions(
    data: DataSizes, settings: Mapping[str, Any], sizes: Mapping[str, DataSizes | None]
) -> Iterator[str]:
    if lacking := [NAMES[criterion] for criterion, found in sizes.items() if found is None]:
        yield f"The version has no labels for {', '.join(lacking)}: asked for all, nothing starts."
    if settings["method"] != "probe" and longest_pieces(data) > settings["max_tokens"]:
        is_left_out = settings["over_length"] == "leave-out"
        how = "left out and listed" if is_left_out else "refused by name"
        yield (
            f"The longest texts together may pass {settings['max_tokens']:,} tokens; a pair that "
            f"does is {how}, nothing is cut."
        )
    if settings["method"] != "probe" and not data.validation:
        yield "The version has no validation items: a fine-tuned model is then not measured."
