"""The record of erasures: a file beside the database, with which an older backup is compared.

The database that knows of an erasure is the one that is lost when a backup from before is restored.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import connection

from annotator.models import Reference
from annotator.operations.backups.tables import applied_migrations, known_migrations
from core.errors import Refused
from patclaimeval.files import atomic_write
from patclaimeval.text_io.strict_json import loads

NAME: Final = "erasures.jsonl"
MOST_BYTES: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class ErasedReference:
    """A reference that was erased: its key of and that of its campaign, and when."""

    reference: str
    campaign: str
    erased_at: str


def record_path() -> Path:
    return Path(settings.DATA_DIR) / NAME


def remember_erasures(references: Iterable[ErasedReference]) -> None:
    """Add references to the record; those that it has stay as they are, and nothing is removed."""
    path = record_path()
    before = path.read_bytes().splitlines() if path.is_file() else []
    wanted = [json.dumps(asdict(one)).encode() for one in references]
    lines = list(dict.fromkeys([*before, *wanted]))
    if lines != before:
        atomic_write(path, (line + b"\n" for line in lines))


def recorded_erasures(path: Path) -> dict[str, ErasedReference]:
    """Return the references of a record by their keys.

    Raises Refused where it cannot be read to its end: then nobody knows what else was erased.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Refused(f"Cannot read the record of erasures {path}: {error.strerror}.") from error
    found = {}
    try:
        if len(data) > MOST_BYTES:
            raise ValueError("too long")
        for line in data.splitlines():
            one = ErasedReference(**loads(line))
            datetime.fromisoformat(one.erased_at)
            found[str(UUID(one.reference))] = one
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        raise Refused(
            f"The record of erasures {path} is damaged in line {len(found) + 1}. Nothing was "
            "changed. Copy it again from where it comes, or take out the line."
        ) from error
    return found


def erased_references() -> list[ErasedReference]:
    """Return the erased references of all campaigns; none where the tables are not there yet."""
    if Reference._meta.db_table not in connection.introspection.table_names():
        return []
    if set(applied_migrations()) != known_migrations():
        return []
    rows = Reference.objects.exclude(erased_at=None).order_by("erased_at", "pk")
    return [
        ErasedReference(str(pk), str(campaign), at.isoformat())
        for pk, campaign, at in rows.values_list("pk", "campaign_id", "erased_at")
        if at is not None
    ]
