"""Files that hosts share: which of them the annotator's rows name, and how a site begins to."""

from collections.abc import Callable, Collection, Iterator
from typing import Final

from annotator.context.files import FOLDER
from annotator.imports import files as import_files
from annotator.imports.services import NEEDS_UPLOAD
from annotator.models import ClaimImport, Drawing
from annotator.operations.backups.archives import share_stored, stored_files
from core.artefacts.installed import share_installed
from core.artefacts.kinds import Kind
from core.artefacts.store import put
from core.database import batches


def _imports() -> Iterator[tuple[str, str]]:
    rows = ClaimImport.objects.filter(NEEDS_UPLOAD).values_list("pk", "file_sha256")
    for pk, sha256 in rows.iterator():
        yield str(pk), sha256


def _needed_imports(owners: Collection[str]) -> set[str]:
    rows = ClaimImport.objects.filter(NEEDS_UPLOAD)
    return {
        str(pk)
        for some in batches(owners)
        for pk in rows.filter(pk__in=some).values_list("pk", flat=True)
    }


def _drawings() -> Iterator[tuple[str, str]]:
    for pk, sha256 in Drawing.objects.values_list("pk", "png_sha256").iterator():
        yield str(pk), sha256


def _needed_drawings(owners: Collection[str]) -> set[str]:
    return {
        str(pk)
        for some in batches(owners)
        for pk in Drawing.objects.filter(pk__in=some).values_list("pk", flat=True)
    }


SOURCES: Final = Kind(
    import_files.KIND, _imports, _needed_imports, folders=(import_files.KIND, "uploads")
)
DRAWINGS: Final = Kind(FOLDER, _drawings, _needed_drawings, folders=(FOLDER,))


def share_files(log: Callable[[str], None] = lambda text: None) -> int:
    """Have the store hold every file that the rows name and each directory installed by hand.

    Returns how many there are. For a site that had its data directory alone. Raises what
    `stored_files` raises where one is missing or damaged here, and Unreachable.
    """
    count = 0
    for file in stored_files():
        if share_stored(file):
            log(file.name)
            count += 1
    for pk, sha256 in _imports():
        path = import_files.uploads_directory() / pk
        if path.is_file():
            put(import_files.KIND, pk, sha256, path)
            count += 1
    return count + share_installed()
