"""The list of contents of a backup: what made it, which tables and files are in it."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from annotator.backups.kept_files import KeptFile, is_of_a_kind
from annotator.formats.strict_json import StrictJsonError, loads
from annotator.refusals import Refused
from annotator.version import VERSION

FORMAT: Final = 1
# A site with ten thousand models stays below; parsed, it takes some ten times as much memory.
MOST_BYTES: Final = 16 * 1024 * 1024
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_TABLE: Final = re.compile(r"[a-z][a-z0-9_]{0,62}")
_MIGRATION: Final = re.compile(r"[A-Za-z0-9_]{1,200}")
_VERSION: Final = re.compile(r"[A-Za-z0-9.+-]{1,40}")


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
    """Return the manifest; raise Refused for one that is damaged or of another format.

    Whoever has the public key can write one: each value is of its type, each digest and size one
    that can be, each file of a kind that the rows may need, and no name is there twice.
    """
    try:
        document = loads(data, max_bytes=MOST_BYTES)
        version = _text(document["app_version"], _VERSION)
        if document["format"] != FORMAT:
            raise Refused(
                f"This backup was made by version {version} in format "
                f"{_number(document['format'])}; this is version {VERSION}, which reads format "
                f"{FORMAT}. Restore it with the version that made it."
            )
        return _manifest(document, version)
    except (StrictJsonError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise Refused("The list of contents of the backup is damaged.") from error


def _manifest(document: dict[str, Any], version: str) -> Manifest:
    datetime.fromisoformat(document["made_at"])
    found = Manifest(
        app_version=version,
        made_at=document["made_at"],
        database=_text(document["database"], _TABLE),
        migrations=[
            (_text(app, _MIGRATION), _text(name, _MIGRATION))
            for app, name in document["migrations"]
        ],
        tables=[_table(**table) for table in document["tables"]],
        files=[_file(**file) for file in document["files"]],
    )
    names: tuple[Sequence[object], ...] = (
        found.migrations,
        [table.name for table in found.tables],
        [file.name for file in found.files],
    )
    if any(len(set(given)) != len(given) for given in names):
        raise ValueError("a name twice")
    return found


def _table(**told: Any) -> Table:
    columns = [_text(column, _TABLE) for column in told["columns"]]
    counts = {name: _number(told[name]) for name in ("rows", "size", "packed_size")}
    digests = {name: _text(told[name], _SHA256) for name in ("sha256", "plain_sha256")}
    return Table(
        **(told | counts | digests | {"columns": columns, "name": _text(told["name"], _TABLE)})
    )


def _file(**told: Any) -> KeptFile:
    file = KeptFile(**told)
    _text(file.sha256, _SHA256)
    _number(file.size)
    if not is_of_a_kind(file):
        raise ValueError("a name that no backup has")
    return file


def _text(value: Any, pattern: re.Pattern[str]) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise ValueError("a text that no backup has")
    return value


def _number(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("a number that no backup has")
    return value
