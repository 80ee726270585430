"""Making a backup: rows and files as of one moment, sealed, whole or not there."""

import gzip
import hashlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Model

from annotator.backups.archives import BLOCK, LONGEST_LINE, archive
from annotator.backups.erasure_record import remember_erasures
from annotator.backups.kept_files import kept_files
from annotator.backups.manifest import Manifest, Table, read_manifest
from annotator.backups.sealing import Seal, write_sealed
from annotator.backups.tables import (
    PlainDigest,
    applied_migrations,
    columns_of,
    known_migrations,
    lines_of,
    models_after,
)
from annotator.clock import database_now
from annotator.configuration.production import make_private
from annotator.files.whole import written_aside
from annotator.models import Backup
from annotator.queries.erased_matters import erased_matters
from annotator.queries.one_moment import one_moment
from annotator.refusals import Refused
from annotator.services.audit import record
from annotator.version import VERSION

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that is whole on disk."""

    row: Backup
    manifest: Manifest


def make_backup(*, target: Path, seal: Seal, say: Say = lambda words: None) -> Made:
    """Write everything that is stored to one encrypted file, and remember that it was made.

    Others go on writing meanwhile; what they do after the first look is not in it. Raises Refused
    where the file is there already, the database is behind the code, or a stored file is damaged.
    """
    _refuse_target(target)
    make_private(Path(settings.DATA_DIR))
    with tempfile.TemporaryFile(dir=settings.DATA_DIR, buffering=BLOCK) as packed:
        # Read as a restore reads it: what it refuses is no backup.
        manifest = read_manifest(_snapshot(packed, say).as_bytes())
        say(f"sealing {len(manifest.files):,} files and {manifest.rows:,} rows")
        try:
            with written_aside(target) as file:
                write_sealed(archive(manifest, packed, Path(settings.DATA_DIR)), file, seal)
        except OSError as error:
            raise Refused(
                f"Cannot write {target}: {error.strerror}; no backup was written."
            ) from error
    # Also those from before there was a record.
    remember_erasures(erased_matters())
    return Made(_remember(target, manifest), manifest)


def _refuse_target(target: Path) -> None:
    if target.exists():
        raise Refused(f"{target} is there already; a backup never replaces another file.")
    if not target.parent.is_dir():
        raise Refused(f"There is no folder {target.parent}; make it first.")
    if not os.access(target.parent, os.W_OK):
        raise Refused(f"Nothing may be written to {target.parent}.")
    if behind := known_migrations() - set(applied_migrations()):
        names = ", ".join(sorted(f"{app}.{name}" for app, name in behind)[:3])
        raise Refused(f"The database lacks migrations ({names}); run manage.py migrate first.")


def _snapshot(packed: IO[bytes], say: Say) -> Manifest:
    """Pack all tables into the file, one behind the other; return what is in it and beside it."""
    migrations = applied_migrations()
    with one_moment():
        made_at = database_now().isoformat()
        tables = []
        for model in models_after(migrations):
            tables.append(_pack(model, packed))
            if tables[-1].rows:
                say(f"read {tables[-1].name}: {tables[-1].rows:,} rows")
        files = kept_files()
    return Manifest(VERSION, made_at, connection.vendor, migrations, tables, files)


def _pack(model: type[Model], packed: IO[bytes]) -> Table:
    columns, rows, size, begin = columns_of(model), 0, 0, packed.tell()
    digest, plain = hashlib.sha256(), PlainDigest(len(columns))
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=3, mtime=0, filename="") as file:
        for line in lines_of(model):
            if len(line) > LONGEST_LINE:
                raise Refused(
                    f"A row of {model._meta.db_table} has more than {LONGEST_LINE:,} bytes, which "
                    "no restore reads; no backup was written."
                )
            file.write(line)
            digest.update(line)
            plain.update(line)
            rows, size = rows + 1, size + len(line)
    return Table(
        name=model._meta.db_table,
        columns=columns,
        rows=rows,
        sha256=digest.hexdigest(),
        plain_sha256=plain.hexdigest(),
        size=size,
        packed_size=packed.tell() - begin,
    )


@transaction.atomic
def _remember(target: Path, manifest: Manifest) -> Backup:
    made_at = datetime.fromisoformat(manifest.made_at)
    with target.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    row = Backup.objects.create(
        made_at=made_at,
        delete_by=(made_at + timedelta(days=settings.BACKUP_KEEP_DAYS)).date(),
        file_sha256=digest,
        file_bytes=target.stat().st_size,
    )
    record(
        action="backup.made",
        object_type="backup",
        object_id=row.pk,
        details={"rows": manifest.rows, "files": len(manifest.files)},
    )
    return row
