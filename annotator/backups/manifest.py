"""The list of contents of a backup: what made it, which tables and files are in it."""

import json
import re
from dataclasses import asdict, dataclass
from typing import Any, Final

from annotator.backups.kept_files import KeptFile
from annotator.formats.strict_json import StrictJsonError, loads
from annotator.refusals import Refused
from annotator.version import VERSION

FORMAT: Final = 1
MOST_BYTES: Final = 256 * 1024 * 1024
# Letters, digits and what digests, tables and model files are named with: no way out of a folder.
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,120}")


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one table: their columns, how many, and the sha256 of their lines.

    `plain_sha256` is that of the rows as both databases tell them alike.
    """

    name: str
    columns: list[str]
    rows: int
    sha256: str
    plain_sha256: str
    size: int
    packed_size: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds, as of one moment."""

    app_version: str
    made_at: str
    database: str
    migrations: list[tuple[str, str]]
    tables: list[Table]
    files: list[KeptFile]

    def as_bytes(self) -> bytes:
        document = {"format": FORMAT, **asdict(self)}
        return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True).encode()

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


def read_manifest(data: bytes) -> Manifest:
    """Return the manifest; raise Refused for one that is damaged or of another format."""
    try:
        document = loads(data, max_bytes=MOST_BYTES)
        if document["format"] != FORMAT:
            raise Refused(
                f"This backup was made by version {document.get('app_version', 'unknown')} in "
                f"format {document['format']}; this is version {VERSION}, which reads format "
                f"{FORMAT}. Restore it with the version that made it."
            )
        return _manifest(document)
    except (StrictJsonError, KeyError, TypeError, ValueError) as error:
        raise Refused("The list of contents of the backup is damaged.") from error


def _manifest(document: dict[str, Any]) -> Manifest:
    found = Manifest(
        app_version=str(document["app_version"]),
        made_at=str(document["made_at"]),
        database=str(document["database"]),
        migrations=[(str(app), str(name)) for app, name in document["migrations"]],
        tables=[Table(**table) for table in document["tables"]],
        files=[KeptFile(**file) for file in document["files"]],
    )
    names = [table.name for table in found.tables] + [file.name for file in found.files]
    parts = [part for name in names for part in name.split("/")]
    if len(set(names)) != len(names) or not all(_NAME.fullmatch(part) for part in parts):
        raise ValueError("a name that no backup has")
    return found
