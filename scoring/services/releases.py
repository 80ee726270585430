"""Releases: a directory with everything that a reader of a dataset version needs."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from annotator.models import User
from annotator.refusals import Refused
from scoring import storage
from scoring.cards.readme import README, readme
from scoring.checksums import SUMS_NAME, sums
from scoring.export_files import HashedFile, WrittenFile, new_directory
from scoring.formats.export_formats import ALL, CANONICAL, data_file_name
from scoring.formats.patent_ce_jsonl import split_of
from scoring.models import DatasetVersion
from scoring.queries.data_cards import base_of, card_files
from scoring.services.exports import Progress, followed, lines_of, record_export
from scoring.splits import SPLIT_NAMES

RELEASE: Final = "release"


def write_release(
    *,
    version: DatasetVersion,
    directory: Path,
    exported_by: User | None = None,
    progress: Progress | None = None,
) -> list[WrittenFile]:
    """Write a file for each split that has rows, cards, README and SHA256SUMS into a directory.

    The directory has its name once everything is in it. Raises StoredFileDamaged, and Refused
    where something stands there already or it cannot be written.
    """
    stored = storage.open_dataset(version.sha256)
    record_export(version, RELEASE, ALL, False, exported_by)
    try:
        with new_directory(directory) as aside:
            lines = followed(lines_of(stored), version, progress)
            by_split = _write_splits(aside, base_of(version), lines)
            beside = _beside(version, by_split)
            files = [*by_split.values(), *(_write(aside, *entry) for entry in beside.items())]
            digests = {file.name: file.sha256 for file in files}
            return [*files, _write(aside, SUMS_NAME, sums(digests))]
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


def _beside(version: DatasetVersion, by_split: Mapping[str, WrittenFile]) -> dict[str, bytes]:
    """Return the small files of a release by name."""
    cards = card_files(version)
    names = {split: file.name for split, file in by_split.items()}
    return {**cards, README: readme(cards[f"{base_of(version)}.card.md"], names)}


def _write(directory: Path, name: str, content: bytes) -> WrittenFile:
    with (directory / name).open("xb") as opened:
        file = HashedFile(opened, name)
        file.write(content)
        return file.finish()
