"""What leaves of a dataset, noted in the audit trail: streams, files, releases; and its licence."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from django.db import transaction

from annotator import audit_log
from annotator.models import User
from annotator.outgoing.queue import notify_webhooks
from core.errors import Refused
from patclaimeval.text_io.shapes import has_content
from scoring import files as scoring_files
from scoring.access.downloads import Export
from scoring.access.scopes import SPLITS
from scoring.datasets.cards import README, card_json, readme
from scoring.datasets.exports.context import SUFFIX, ContextFile
from scoring.datasets.exports.queries import base_of, card_files, card_of
from scoring.files import (
    SUMS_NAME,
    HashedFile,
    WrittenFile,
    gzipped,
    in_blocks,
    new_directory,
    put_file,
    sums,
)
from scoring.formats import rows as formats_rows
from scoring.formats.export_formats import (
    ALL,
    CANONICAL,
    EXPORT_FORMATS,
    GZIP_TYPE,
    data_file_name,
)
from scoring.formats.patent_ce_jsonl import split_of
from scoring.models import DatasetVersion
from scoring.quadruplets import SPLIT_NAMES

LONGEST: Final = 200


@transaction.atomic
def set_licence(*, version: DatasetVersion, licence: str, set_by: User | None) -> DatasetVersion:
    """Return what others may do with a version; its rows and their digest stay as they are.

    Raises Refused for a licence that is blank, too long or not on one line. The same licence
    again changes nothing.
    """
    given = licence.strip()
    if not has_content(given) or len(given) > LONGEST or not given.isprintable():
        why = f"Name the licence on one line of at most {LONGEST} characters, such as CC BY 4.0."
        raise Refused.at("licence", why)
    row = DatasetVersion.objects.select_for_update(no_key=True).get(pk=version.pk)
    if row.licence != given:
        audit_log.record(
            actor=set_by,
            campaign=row.dataset.campaign,
            action="dataset.licence_set",
            object_type="dataset_version",
            object_id=row.pk,
            details={"dataset": str(row), "licence": given, "earlier": row.licence},
        )
        row.licence = given
        row.save(update_fields=["licence"])
    return row


Row = TypeVar("Row")
# Gets the share of the rows that has been read, from 0 to 1.
Progress = Callable[[float], None]


def export_version(
    *,
    version: DatasetVersion,
    file_format: str = CANONICAL,
    split: str = ALL,
    is_gzipped: bool = False,
    exported_by: User | None = None,
    progress: Progress | None = None,
    has_context: bool = False,
) -> Export:
    """Check the stored file, note who takes what, and give the bytes as a stream.

    The same version, format and split give the same bytes each time. `has_context` notes that the
    context of the references leaves with them. Raises Refused, by field,
    for an unknown format or split, StoredFileDamaged before the first byte leaves.
    """
    _refuse_unknown(file_format, split)
    pieces = in_blocks(_pieces(version, file_format, split, progress))
    record_export(version, file_format, split, is_gzipped, exported_by, has_context=has_context)
    return Export(
        name=data_file_name(base_of(version), file_format, split, is_gzipped=is_gzipped),
        media_type=GZIP_TYPE if is_gzipped else EXPORT_FORMATS[file_format].media_type,
        rows=version.items if split == ALL else version.card["splits"].get(split, 0),
        pieces=gzipped(pieces) if is_gzipped else pieces,
    )


def export_to_file(
    *, version: DatasetVersion, target: Path, context: ContextFile | None = None, **how: Any
) -> WrittenFile:
    """Write an export to a file, its card and SHA256SUMS beside it; whole or not at all.

    `context` is written first, beside it, where it is given. `how` are the further keywords of
    export_version. Raises what it raises, PictureGone, and Refused where a file cannot be written.
    """
    export = export_version(version=version, has_context=context is not None, **how)
    stem = _stem(target.name)
    place = target.with_name(f"{stem}{SUFFIX}")
    try:
        facts = context.write(lambda pieces: put_file(place, pieces, {})) if context else None
        beside = {f"{stem}.card.json": card_json(card_of(version, context=facts))}
        return put_file(target, export.pieces, beside)
    except OSError as error:
        raise Refused(f"Cannot write {target}: {error.strerror}.") from error


def _refuse_unknown(file_format: str, split: str) -> None:
    formats = tuple(EXPORT_FORMATS)
    for field, value, known in (("format", file_format, formats), ("split", split, SPLITS)):
        if value not in known:
            raise Refused.at(field, f"The {field} is one of {', '.join(known)}.")


def _pieces(
    version: DatasetVersion, file_format: str, split: str, progress: Progress | None
) -> Iterator[bytes]:
    """Give the bytes of an export; the stored file's digest is looked at now, before any leaves."""
    file = scoring_files.open_dataset(version.sha256)
    if file_format == CANONICAL:
        # The stored file holds these lines already.
        lines = followed(lines_of(file), version, progress)
        return (line for line in lines if split == ALL or split_of(line) == split)
    rows = followed(formats_rows.read(file), version, progress)
    wanted = (row for row in rows if split == ALL or row.split == split)
    return EXPORT_FORMATS[file_format].write(wanted)


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Give the lines of a file and close it."""
    with file:
        yield from file


def followed(
    rows: Iterator[Row], version: DatasetVersion, progress: Progress | None
) -> Iterator[Row]:
    """Give what comes of the rows of a version, and report how far it is."""
    for count, row in enumerate(rows, start=1):
        yield row
        if progress:
            progress(count / version.items)


@transaction.atomic
def record_export(
    version: DatasetVersion,
    file_format: str,
    split: str,
    is_gzipped: bool,
    user: User | None,
    *,
    has_context: bool = False,
) -> None:
    """Note in the audit trail that the texts leave; before they do, so that no way is around it."""
    audit_log.record(
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
            **({"context": True} if has_context else {}),
        },
    )
    notify_webhooks(version.dataset.campaign_id, "export", state="requested")


def _stem(name: str) -> str:
    """Return a file's name without the endings that exports have."""
    for ending in (".gz", *(f".{entry.suffix}" for entry in EXPORT_FORMATS.values())):
        name = name.removesuffix(ending) or name
    return name


RELEASE: Final = "release"


def write_release(
    *,
    version: DatasetVersion,
    directory: Path,
    exported_by: User | None = None,
    progress: Progress | None = None,
    context: ContextFile | None = None,
) -> list[WrittenFile]:
    """Write a file for each split that has rows, cards, README and SHA256SUMS into a directory.

    `context` is written with them where it is given. The directory has its name once everything is
    in it. Raises StoredFileDamaged, PictureGone, and Refused where something stands there already
    or it cannot be written.
    """
    stored = scoring_files.open_dataset(version.sha256)
    record_export(version, RELEASE, ALL, False, exported_by, has_context=context is not None)
    try:
        with new_directory(directory) as aside:
            lines = followed(lines_of(stored), version, progress)
            by_split = _write_splits(aside, base_of(version), lines)
            name = f"{base_of(version)}{SUFFIX}"
            facts = context.write(lambda pieces: _write(aside, name, pieces)) if context else None
            cards = card_files(version, context=facts)
            names = {split: file.name for split, file in by_split.items()}
            beside = {**cards, README: readme(cards[f"{base_of(version)}.card.md"], names)}
            files = [*by_split.values(), *([context.file] if context and context.file else [])]
            files += [_write(aside, name, [content]) for name, content in beside.items()]
            digests = {file.name: file.sha256 for file in files}
            return [*files, _write(aside, SUMS_NAME, [sums(digests)])]
    except OSError as error:
        raise Refused(f"Cannot write the release to {directory}: {error.strerror}.") from error


def _write_splits(directory: Path, base: str, lines: Iterator[bytes]) -> dict[str, WrittenFile]:
    """Deal the rows out to a file per split in one pass; a split without rows has no file."""
    with ExitStack() as stack:
        files: dict[str, HashedFile] = {}
        for line in lines:
            split = split_of(line)
            if split not in files:
                name = data_file_name(base, CANONICAL, split, is_gzipped=False)
                opened = stack.enter_context((directory / name).open("xb"))
                files[split] = HashedFile(opened, name)
            files[split].write(line)
        return {split: files[split].finish() for split in SPLIT_NAMES if split in files}


def _write(directory: Path, name: str, pieces: Iterable[bytes]) -> WrittenFile:
    with (directory / name).open("xb") as opened:
        file = HashedFile(opened, name)
        for piece in pieces:
            file.write(piece)
        return file.finish()
