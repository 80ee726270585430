"""What leaves of a dataset, each time noted in the audit trail: as a stream or as a file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

from annotator.models import User
from annotator.refusals import Refused
from annotator.services import audit
from scoring import storage
from scoring.cards.data_card import card_json
from scoring.export_files import WrittenFile, put_file
from scoring.formats import stored_rows
from scoring.formats.byte_streams import gzipped, in_blocks
from scoring.formats.export_formats import (
    ALL,
    CANONICAL,
    EXPORT_FORMATS,
    data_file_name,
    media_type,
)
from scoring.formats.patent_ce_jsonl import split_of
from scoring.models import DatasetVersion
from scoring.queries.data_cards import base_of, card_of
from scoring.queries.datasets import SPLITS

Row = TypeVar("Row")
# Hears which share of the rows has been read, from 0 to 1.
Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Export:
    """A file that is about to leave: its name, type, number of rows, and bytes as they come."""

    name: str
    media_type: str
    rows: int
    pieces: Iterator[bytes]


def export_version(
    *,
    version: DatasetVersion,
    file_format: str = CANONICAL,
    split: str = ALL,
    is_gzipped: bool = False,
    exported_by: User | None = None,
    progress: Progress | None = None,
) -> Export:
    """Check the stored file, note who takes what, and give the bytes as a stream.

    The same version, format and split give the same bytes each time. Raises Refused, by field,
    for an unknown format or split, StoredFileDamaged before the first byte leaves.
    """
    _refuse_unknown(file_format, split)
    pieces = in_blocks(_pieces(version, file_format, split, progress))
    record_export(version, file_format, split, is_gzipped, exported_by)
    return Export(
        name=data_file_name(base_of(version), file_format, split, is_gzipped=is_gzipped),
        media_type=media_type(file_format, is_gzipped=is_gzipped),
        rows=version.items if split == ALL else version.card["splits"].get(split, 0),
        pieces=gzipped(pieces) if is_gzipped else pieces,
    )


def export_to_file(
    *,
    version: DatasetVersion,
    target: Path,
    file_format: str = CANONICAL,
    split: str = ALL,
    is_gzipped: bool = False,
    exported_by: User | None = None,
    progress: Progress | None = None,
) -> WrittenFile:
    """Write an export to a file, its card and SHA256SUMS beside it; whole or not at all.

    Raises what export_version raises, and Refused where it cannot be written.
    """
    export = export_version(
        version=version,
        file_format=file_format,
        split=split,
        is_gzipped=is_gzipped,
        exported_by=exported_by,
        progress=progress,
    )
    beside = {f"{_stem(target.name)}.card.json": card_json(card_of(version))}
    try:
        return put_file(target, export.pieces, beside)
    except OSError as error:
        raise Refused(f"Cannot write {target}: {error.strerror}.") from error


def _refuse_unknown(file_format: str, split: str) -> None:
    for field, value, known in (
        ("format", file_format, tuple(EXPORT_FORMATS)),
        ("split", split, SPLITS),
    ):
        if value not in known:
            sentence = f"The {field} is one of {', '.join(known)}."
            raise Refused(sentence, {field: [sentence]})


def _pieces(
    version: DatasetVersion, file_format: str, split: str, progress: Progress | None
) -> Iterator[bytes]:
    """Give the bytes of an export; the stored file's digest is looked at now, before any leaves."""
    file = storage.open_dataset(version.sha256)
    if file_format == CANONICAL:
        # The stored file holds these lines already.
        lines = followed(lines_of(file), version, progress)
        return (line for line in lines if split == ALL or split_of(line) == split)
    rows = followed(stored_rows.read(file), version, progress)
    wanted = (row for row in rows if split == ALL or row.split == split)
    return EXPORT_FORMATS[file_format].write(wanted)


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Give the lines of a file and close it."""
    with file:
        yield from file


def followed(
    rows: Iterator[Row], version: DatasetVersion, progress: Progress | None
) -> Iterator[Row]:
    """Give what comes of the rows of a version, and tell how far it is."""
    for count, row in enumerate(rows, start=1):
        yield row
        if progress:
            progress(count / version.items)


def record_export(
    version: DatasetVersion, file_format: str, split: str, is_gzipped: bool, user: User | None
) -> None:
    """Note in the audit trail that the texts leave; before they do, so that no way is around it."""
    audit.record(
        actor=user,
        campaign=version.dataset.campaign,
        action="dataset.exported",
        object_type="dataset_version",
        object_id=version.pk,
        details={
            "dataset": str(version),
            "sha256": version.sha256,
            "format": file_format,
            "split": split,
            "gzip": is_gzipped,
        },
    )


def _stem(name: str) -> str:
    """Return a file's name without the endings that exports have."""
    for ending in (".gz", *(f".{entry.suffix}" for entry in EXPORT_FORMATS.values())):
        name = name.removesuffix(ending) or name
    return name
