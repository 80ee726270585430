"""What the commands have in common: versions by name, progress, a report as text."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, Final

from annotator.management.plain_text import table_lines
from core.errors import Refused
from scoring.access.scopes import NoSuchVersion, SeveralDatasets, find_version, ordered_labels
from scoring.datasets.cards import withheld_text
from scoring.datasets.freezing.services import Frozen
from scoring.models import Dataset, DatasetVersion
from scoring.reports.files import order_sentence
from scoring.reports.page_parts import caution, families
from scoring.reports.queries import PAGE_FIGURES

WIDTH: Final = 30
SECONDS_BETWEEN: Final = 1.0


def progress_bar(log: Callable[[str], None], label: str) -> Callable[[float], None]:
    """Return a callback that logs a share from 0 to 1, at most once a second.

    Work that takes less than a second prints nothing. Commands call it with 1 when all is done:
    the end of a bar that was shown is always printed.
    """
    last = time.monotonic()
    shown = 0.0

    def on_step(share: float) -> None:
        nonlocal last, shown
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN or 0 < shown < 1 <= share:
            last, shown = now, share
            done = round(WIDTH * share)
            log(f"{label} [{'#' * done}{'.' * (WIDTH - done)}] {share:4.0%}")

    return on_step


@contextmanager
def standard_output(gone: str) -> Iterator[IO[bytes]]:
    """Give stdout for bytes; raise Refused with the sentence `gone` when its reader goes away."""
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Python would complain once more when it ends, and flushes what is left.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise Refused(gone) from None


def version_or_refuse(name: str) -> DatasetVersion:
    """Return NAME or NAME@VERSION, or refuse in one line that lists what there is."""
    try:
        return find_version(name)
    except SeveralDatasets as error:
        raise Refused(str(error)) from error
    except NoSuchVersion as error:
        if numbers := _numbers_of(name):
            dataset, _, number = name.rpartition("@")
            raise Refused(
                f"Dataset {dataset!r} has no version {number}. Versions: {', '.join(numbers)}."
            ) from error
        some = Dataset.objects.select_related("campaign").order_by("name", "campaign__slug")[:20]
        known = ", ".join(row.full_name for row in some) or "none yet"
        raise Refused(f"There is no dataset {name!r}. Datasets: {known}.") from error


def _numbers_of(name: str) -> list[str]:
    """Return the versions of the dataset that NAME@VERSION names; [] where there is no such one."""
    dataset, _, number = name.rpartition("@")
    if not (dataset and number):
        return []
    try:
        newest = find_version(dataset)
    except (NoSuchVersion, SeveralDatasets):
        return []
    rows = DatasetVersion.objects.filter(dataset=newest.dataset).order_by("number")
    return [str(row) for row in rows.values_list("number", flat=True)]


def frozen_document(frozen: Frozen) -> dict[str, Any]:
    """Return what a freeze or an import prints."""
    version = frozen.version
    return {
        "dataset": version.dataset.name,
        "version": version.number,
        "sha256": version.sha256,
        "items": version.items,
        "labels": ordered_labels(version),
        "splits": version.card["splits"],
        "withheld": withheld_text(version.card),
        "left_out": version.card.get("left_out", {}),
    }


def report_text(document: Mapping[str, Any]) -> str:
    """Write a finished report for a reader without a browser."""
    notes = [*_notes(document), f"signature: {document['signature']}"]
    return "\n".join([*table_lines(list(_table(document))), "", *notes])


def _table(document: Mapping[str, Any]) -> Iterator[list[str]]:
    yield ["scorer", *(name for _, name, _ in PAGE_FIGURES), "tau-b without reference items"]
    for kind in ("scorers", "baselines"):
        for name, entry in document[kind].items():
            figures = [entry[key] for key, _, _ in PAGE_FIGURES]
            figures.append(entry["without_reference_items"]["tau_b"])
            yield [name, *map(_figure, figures)]


def _notes(document: Mapping[str, Any]) -> Iterator[str]:
    for name, entry in document["scorers"].items():
        if sentence := entry["unavailable"] or order_sentence(entry):
            yield f"{name}: {sentence}"
    if sentence := caution(document["checks"]["references"]):
        yield sentence
    dropped = document["dropped"]
    if dropped["items"]:
        ids = ", ".join(one["id"] for one in dropped["listed"])
        yield f"{dropped['items']} items left out for every scorer: {ids}"
        for name, failed in dropped["scorers"].items():
            yield from (f"  {name}, {n}: {reason}" for reason, n in failed["reasons"].items())
    ceiling = document["human_ceiling"]
    if ceiling["value"] is None:
        yield ceiling["reason"]
    else:
        yield f"human ceiling, tau-b: {_figure(ceiling)} of {ceiling['annotators']} annotators"
    yield document["comparisons"]["best_sentence"]
    yield from filter(None, (document["power"]["sentence"], document["power"].get("plan")))
    for family in families(document):
        yield f"{family.title}:"
        yield from (f"  {pair.sentence}" for pair in family.pairs)


def _figure(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return "undefined"
    if figure["low"] is None:
        return f"{figure['value']:.3f}"
    return f"{figure['value']:.3f} [{figure['low']:.2f}, {figure['high']:.2f}]"
