"""What a training would take before it is started: time and memory as ranges, and on what basis."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from annotator.jobs.rows import JobStatus
from annotator.models import User
from scoring.models import DatasetVersion, TrainingRun
from scoring.queries.models import runs_for
from scoring.queries.training_choices import resolved_options, shape_of
from scoring.training_work import (
    DataSizes,
    EncoderShape,
    duration_words,
    longest_pieces,
    memory_bytes,
    memory_words,
    operations,
)

EARLIER_RUNS: Final = 10
ENDS_SECONDS: Final = (5.0, 20.0)
# Operations a second that a training reaches, the least and the most: around what the probe was
# measured to reach on two cores; all others are assumptions.
PACES: Final[Mapping[tuple[str, bool], tuple[float, float]]] = {
    ("probe", False): (1e10, 8e10),
    ("probe", True): (1e10, 1e12),
    ("finetune", False): (5e9, 8e10),
    ("finetune", True): (5e12, 1e14),
}
GPU: Final = Path("/dev/nvidia0")


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate in words, with what it rests on and what may go wrong."""

    reads: str
    time: str
    memory: str
    basis: str
    cautions: tuple[str, ...]


def training_estimate(
    user: User, version: DatasetVersion, criterion: str, options: Mapping[str, Any]
) -> Estimate | None:
    """Estimate a training out of the version's card; None where the card tells no lengths.

    `options` are fields of TrainingSettings, with a listed encoder's directory for its name.
    """
    settings = resolved_options(criterion, options)
    shape, data = shape_of(settings["encoder"]), data_sizes(version, criterion)
    if shape is None or data is None:
        return None
    has_gpu = _uses_gpu(settings["device"])
    paces = _measured(user, settings, has_gpu)
    slow, fast = _range(paces) or PACES[_kind(settings), has_gpu]
    work = operations(shape, data, settings)
    low, high = (work / pace + ends for pace, ends in zip((fast, slow), ENDS_SECONDS, strict=True))
    return Estimate(
        reads=(
            f"{data.training} quadruplets to train and {data.validation} to validate on, "
            f"{data.candidates} candidates of {data.references} references, about "
            f"{data.pair_words:.0f} words a pair"
        ),
        time=duration_words(low, high),
        memory=memory_words(*memory_bytes(shape, data, settings)),
        basis=_basis(len(paces), _kind(settings), has_gpu),
        cautions=tuple(_cautions(shape, data, settings)),
    )


def data_sizes(version: DatasetVersion, criterion: str) -> DataSizes | None:
    """Return what a training of one criterion would read; None where the card tells no lengths.

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
    """Return the paces of the latest runs of this method and encoder, in operations a second."""
    rows = runs_for(user).filter(
        status=JobStatus.SUCCEEDED,
        settings__method=settings["method"],
        settings__encoder=settings["encoder"],
        attempt=1,
        started_at__isnull=False,
        finished_at__isnull=False,
    )
    found = (_pace(run) for run in rows[:EARLIER_RUNS] if _uses_gpu(_device(run)) == has_gpu)
    return [pace for pace in found if pace is not None]


def _device(run: TrainingRun) -> str:
    return str(run.settings.get("device", "auto"))


def _pace(run: TrainingRun) -> float | None:
    data = data_sizes(run.dataset_version, run.criterion)
    shape = shape_of(str(run.settings.get("encoder")))
    if data is None or shape is None or run.started_at is None or run.finished_at is None:
        return None
    seconds = (run.finished_at - run.started_at).total_seconds()
    return operations(shape, data, run.settings) / seconds if seconds > 0 else None


def _range(paces: Sequence[float]) -> tuple[float, float] | None:
    """Return the slowest and the fastest pace, wider where few runs tell how much they vary."""
    if not paces:
        return None
    slack = 2.0 if len(paces) < 3 else 1.25
    return min(paces) / slack, max(paces) * slack


def _basis(runs: int, kind: str, has_gpu: bool) -> str:
    where = "a GPU" if has_gpu else f"{os.cpu_count()} processor cores"
    if runs:
        words = "the latest run" if runs == 1 else f"the latest {runs} runs"
        return (
            f"On {where}, from the pace of {words} of this method with this encoder here. Texts "
            "whose features are cached already take a fraction of it."
        )
    if has_gpu or kind != "probe":
        return (
            f"On {where}, from assumptions: no such run has ended here yet, so take the range as a "
            "guess."
        )
    return (
        f"On {where}, from figures measured on two cores elsewhere: no such run has ended here "
        "yet, so take the range as a guess."
    )


def _cautions(shape: EncoderShape, data: DataSizes, settings: Mapping[str, Any]) -> list[str]:
    said = []
    if longest_pieces(data) > settings["max_tokens"]:
        said.append(
            f"The longest texts together may pass {settings['max_tokens']:,} tokens; a pair that "
            "does is refused by name, nothing is cut."
        )
    if not data.validation:
        said.append("The version has no validation items: the model would not be measured.")
    return said
