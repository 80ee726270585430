"""Making a backup and restoring it, each complete or not there, and what the serving role may do.

Who owns a table may drop its triggers: only a role that owns nothing cannot get around the guards
of the audit trail. Whoever migrates grants anew each time, as there may be new tables.
"""

import gzip
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Final

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model

from annotator import audit_log
from annotator.models import AuditEvent, AuditSeal, Backup
from annotator.operations.backups.archives import (
    BLOCK,
    LONGEST_LINE,
    CheckedArchive,
    Manifest,
    StoredFile,
    Table,
    archive,
    check_archive,
    read_manifest,
    stored_files,
    stored_folders,
)
from annotator.operations.backups.erasure_record import (
    ErasedReference,
    erased_references,
    record_path,
    recorded_erasures,
    remember_erasures,
)
from annotator.operations.backups.sealing import Key, Seal, open_sealed, write_sealed
from annotator.operations.backups.tables import (
    BYTES_AT_ONCE,
    LEFT_OUT,
    MADE_BY_ITSELF,
    MADE_BY_TRIGGERS,
    ROWS_AT_ONCE,
    PlainDigest,
    applied_migrations,
    columns_of,
    go_on_counting,
    known_migrations,
    last_of,
    lines_of,
    load_lines,
    models_after,
    plain_digest_of,
    values_in,
)
from core import storage
from core.clock import database_now
from core.configuration import make_private
from core.database import one_moment
from core.errors import Refused
from patclaimeval.files import TEMPORARY_PREFIX, atomic_write, open_atomic
from patclaimeval.version import VERSION

# Rows of it show which migrations ran: nothing that serves writes them.
MIGRATIONS_TABLE: Final = "django_migrations"


def grant_serving_rights() -> bool:
    """Give DATABASE_SERVING_ROLE what serving needs and take the rest; return whether it is set.

    Raises Refused where the one who asks is that role, or where there is none of the name.
    """
    role = settings.DATABASE_SERVING_ROLE
    if not role or connection.vendor != "postgresql":
        return False
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_user, current_schema(), EXISTS ("
            "SELECT 1 FROM pg_roles WHERE rolname = %s AND NOT rolsuper)",
            [role],
        )
        own, schema, is_there = cursor.fetchone()
        if own == role or not is_there:
            raise Refused(
                f"DATABASE_SERVING_ROLE names {role}, which must be a role of the database that is "
                "no superuser and not the one that migrates; see deploy/roles.sql."
            )
        quote = connection.ops.quote_name
        for statement in _statements(quote(role), quote(schema)):
            cursor.execute(statement)
    return True


def _statements(role: str, schema: str) -> Iterator[str]:
    tables, sequences = (f"ALL {kind} IN SCHEMA {schema}" for kind in ("TABLES", "SEQUENCES"))
    quote = connection.ops.quote_name
    yield f"REVOKE ALL ON {tables} FROM {role}"
    yield f"REVOKE ALL ON {sequences} FROM {role}"
    yield f"REVOKE CREATE ON SCHEMA {schema} FROM {role}, PUBLIC"
    yield f"GRANT USAGE ON SCHEMA {schema} TO {role}"
    yield f"GRANT SELECT, INSERT, UPDATE, DELETE ON {tables} TO {role}"
    yield f"GRANT USAGE, SELECT ON {sequences} TO {role}"
    # Entries are added and their seals are written by the trigger, which has its owner's rights.
    yield f"REVOKE UPDATE, DELETE ON {quote(AuditEvent._meta.db_table)} FROM {role}"
    for table in (AuditSeal._meta.db_table, MIGRATIONS_TABLE):
        yield f"REVOKE INSERT, UPDATE, DELETE ON {quote(table)} FROM {role}"


Log = Callable[[str], None]


def make_backup(
    *, target: Path, seal: Seal, log: Log = lambda text: None
) -> tuple[Backup, Manifest]:
    """Write everything that is stored to one encrypted file; return its row and what is in it.

    Others go on writing meanwhile; what they do after the first look is not in it. Raises Refused
    where the file is there already, the database is behind the code, or a stored file is damaged.
    """
    _refuse_target(target)
    make_private(Path(settings.DATA_DIR))
    with tempfile.TemporaryFile(dir=settings.DATA_DIR, buffering=BLOCK) as packed:
        # Read as a restore reads it: what it refuses is no backup.
        manifest = read_manifest(_snapshot(packed, log).as_bytes())
        log(f"sealing {len(manifest.files):,} files and {manifest.rows:,} rows")
        try:
            with open_atomic(target) as file:
                write_sealed(archive(manifest, packed, Path(settings.DATA_DIR)), file, seal)
        except OSError as error:
            raise Refused(
                f"Cannot write {target}: {error.strerror}; no backup was written."
            ) from error
    # Also those from before there was a record.
    remember_erasures(erased_references())
    return _remember(target, manifest), manifest


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


def _snapshot(packed: IO[bytes], log: Log) -> Manifest:
    """Pack all tables into the file, one behind the other; return what is in it and beside it."""
    migrations = applied_migrations()
    with one_moment():
        made_at = database_now().isoformat()
        tables = []
        for model in models_after(migrations):
            tables.append(_pack(model, packed))
            if tables[-1].rows:
                log(f"read {tables[-1].name}: {tables[-1].rows:,} rows")
        files = stored_files()
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
    audit_log.record_on(row, "backup.made", None, rows=manifest.rows, files=len(manifest.files))
    return row


REFERENCES = "annotator_reference"
# Of SQLite's rows: the database and its log hold them both for a moment, with indexes.
TIMES_OF_ROWS = 3
MOST_NAMED = 20


def restore_backup(
    *,
    source: Path,
    key: Key,
    erasures: Path | None = None,
    brings_back_erased: bool = False,
    log: Log = lambda text: None,
) -> tuple[Manifest, list[ErasedReference]]:
    """Bring back rows and files of a backup; nothing is visible before all of it is proven.

    Output: what was in it, and the erased references that came back.
    `erasures` is a record of erasures from elsewhere; that of this DATA_DIR counts in any case.
    Raises Refused where the backup does not open, is damaged, too large for the disk or of a newer
    version, where this host has data already, and where the backup has a reference that is known to
    be erased, unless `brings_back_erased`. Sessions are not in a backup: everybody signs in again.
    """
    make_private(Path(settings.DATA_DIR))
    with tempfile.TemporaryFile(dir=settings.DATA_DIR, buffering=BLOCK) as spool:
        log("opening")
        _open(source, spool, key)
        log("checking")
        found = check_archive(spool)
        _refuse_newer(found.manifest)
        _refuse_unknown_tables(found.manifest)
        brought_back = _brought_back(found, _known_erasures(erasures))
        _refuse_data(found.manifest, brought_back)
        if brought_back and not brings_back_erased:
            raise Refused(
                f"{_described(brought_back)} Nothing was restored. Restore a later backup, or say "
                "--bring-back-erased and erase them again right after."
            )
        _refuse_large(found.manifest)
        _prepare_tables(found.manifest)
        with _files_placed(found, log), transaction.atomic():
            _load(found, log)
    if set(found.manifest.migrations) != known_migrations():
        log("migrating")
        call_command("migrate", verbosity=0, interactive=False)
    grant_serving_rights()
    manifest = found.manifest
    if erasures is not None:
        remember_erasures(recorded_erasures(erasures).values())
    audit_log.record(
        action="backup.restored",
        object_type="backup",
        object_id=manifest.made_at,
        details={
            "rows": manifest.rows,
            "files": len(manifest.files),
            "erased_brought_back": len(brought_back),
        },
    )
    return manifest, brought_back


def _open(source: Path, spool: IO[bytes], key: Key) -> None:
    try:
        if not source.is_file() and source.exists():
            raise Refused(f"Cannot restore {source}: it is no plain file.")
        _refuse_full(source.stat().st_size, "Its contents take")
        with source.open("rb") as sealed:
            open_sealed(sealed, spool, key)
    except OSError as error:
        raise Refused(f"Cannot restore {source}: {error.strerror}.") from error


def _refuse_large(manifest: Manifest) -> None:
    """Raise Refused where files and rows as they are stated would fill the disk."""
    size = sum(file.size for file in manifest.files)
    if connection.vendor == "sqlite":
        size += TIMES_OF_ROWS * sum(table.size for table in manifest.tables)
    _refuse_full(size, "What is in the backup takes up to")


def _refuse_full(size: int, what: str) -> None:
    free = shutil.disk_usage(settings.DATA_DIR).free
    if size > free:
        raise Refused(
            f"{what} {size:,} bytes, and {free:,} are free where {settings.DATA_DIR} lies. Nothing "
            "was restored. Make room, or look where this backup comes from."
        )


def _refuse_unknown_tables(manifest: Manifest) -> None:
    """Raise Refused where there are rows of tables or columns that the version did not have."""
    models = {model._meta.db_table: model for model in models_after(manifest.migrations)}
    for table in manifest.tables:
        if table.name not in models or sorted(columns_of(models[table.name])) != sorted(
            table.columns
        ):
            raise Refused(
                f"The backup has a table {table.name} with columns that version "
                f"{manifest.app_version} did not have; nothing was restored."
            )


def _known_erasures(given: Path | None) -> dict[str, ErasedReference]:
    """Return the erasures that are on record here or in the given file, or known to the database.

    What the database knows is put on record: whoever restores may be about to empty it.
    """
    remember_erasures(erased_references())
    paths = [path for path in (record_path(), given) if path and (path is given or path.exists())]
    known: dict[str, ErasedReference] = {}
    for path in paths:
        known |= recorded_erasures(path)
    return known


def _brought_back(
    found: CheckedArchive, known: dict[str, ErasedReference]
) -> list[ErasedReference]:
    """Return the references that are known to be erased, and of which the backup has the texts."""
    tables = {table.name: table for table in found.manifest.tables}
    if not known or REFERENCES not in tables:
        return []
    columns = tables[REFERENCES].columns
    # A version that knew no erasures has no such column.
    names = [name for name in ("id", "erased_at") if name in columns]
    with _refused_rows():
        rows = values_in(found.lines(tables[REFERENCES]), columns, *names)
        return [known[key] for key, *erased in rows if key in known and not any(erased)]


def _described(erased: list[ErasedReference]) -> str:
    """Return which references come back, by their keys: their texts and names are nobody's here."""
    named = ", ".join(
        f"{one.reference} (erased {one.erased_at[:10]})" for one in erased[:MOST_NAMED]
    )
    more = f" and {len(erased) - MOST_NAMED:,} more" if len(erased) > MOST_NAMED else ""
    count = "a reference that was" if len(erased) == 1 else f"{len(erased):,} references that were"
    return f"The backup would bring back {count} erased after it was made: {named}{more}."


@contextmanager
def _refused_rows() -> Iterator[None]:
    """Turn whatever comes of rows that are none into a sentence."""
    try:
        yield
    except Refused:
        raise
    # Each value may be wrong in its own way: type, range, depth, what the database makes of it.
    except Exception as error:
        raise Refused(
            f"The rows do not fit the tables ({type(error).__name__}); nothing was restored."
        ) from error


def _refuse_newer(manifest: Manifest) -> None:
    unknown = sorted(set(manifest.migrations) - known_migrations())
    if unknown:
        app, name = unknown[0]
        raise Refused(
            f"The backup was made by version {manifest.app_version}, this is version {VERSION}: "
            f"it does not know {app}.{name}. Restore with the version that made it, or a newer one."
        )


def _refuse_data(manifest: Manifest, brought_back: list[ErasedReference]) -> None:
    """Raise Refused unless this host is empty; files of the same backup may lie here already."""
    stored = {file.name: file for file in manifest.files}
    directory = Path(settings.DATA_DIR)
    for folder in stored_folders():
        for path in (directory / folder).rglob("*"):
            name = path.relative_to(directory).as_posix()
            if (path.is_dir() and not path.is_symlink()) or path.name.startswith(TEMPORARY_PREFIX):
                continue
            if name not in stored or not _is_same(path, stored[name]):
                raise Refused(
                    f"{directory} holds data already ({name}); restore into an empty DATA_DIR. "
                    "Nothing was changed."
                )
    for table in connection.introspection.table_names():
        if table not in (*LEFT_OUT, *MADE_BY_ITSELF, MIGRATIONS_TABLE) and _has_rows(table):
            erased = (
                f" {_described(brought_back)} Keep {record_path()}: it is what tells so once the "
                "database is empty."
            )
            raise Refused(
                f"The database holds data already ({table}); restore into an empty one. "
                f"Nothing was changed.{erased if brought_back else ''}"
            )


def _is_same(path: Path, file: StoredFile) -> bool:
    if path.is_symlink() or not path.is_file() or path.stat().st_size != file.size:
        return False
    with path.open("rb") as there:
        return hashlib.file_digest(there, "sha256").hexdigest() == file.sha256


def _has_rows(table: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(table)} LIMIT 1")  # noqa: S608
        return cursor.fetchone() is not None


def _prepare_tables(manifest: Manifest) -> None:
    """Give the database the tables as they were when the backup was made."""
    there = set(applied_migrations())
    wanted = set(manifest.migrations)
    if there - wanted:
        raise Refused(
            f"The backup is of version {manifest.app_version}; the database was migrated past it "
            f"by version {VERSION}. Restore into a database without tables; it is migrated then."
        )
    executor = MigrationExecutor(connection)
    executor.migrate(last_of(wanted, executor.loader))


@contextmanager
def _files_placed(found: CheckedArchive, log: Log) -> Iterator[None]:
    """Write the files under their names; whatever goes wrong afterwards takes them away.

    A file that lies there already is the same one, and stays.
    """
    placed: list[Path] = []
    try:
        for file in found.manifest.files:
            path = Path(settings.DATA_DIR) / file.name
            if path.exists():
                continue
            log(f"writing {file.name}")
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            placed.append(path)
            atomic_write(path, found.file(file))
        for file in found.manifest.files:
            if not file.name.endswith(".erased"):
                storage.put(file.name)
        yield
    except BaseException as error:
        for path in placed:
            path.unlink(missing_ok=True)
            with suppress(OSError):  # other files lie in it
                path.parent.rmdir()
        if isinstance(error, OSError):
            raise Refused(
                f"The files cannot be written: {error.strerror}; nothing was restored."
            ) from error
        raise


def _load(found: CheckedArchive, log: Log) -> None:
    """Insert all rows, read them again, and raise Refused unless they are what they were."""
    manifest = found.manifest
    models = {model._meta.db_table: model for model in models_after(manifest.migrations)}
    longest: dict[str, int] = {}
    with _refused_rows():
        for name in MADE_BY_ITSELF:
            models[name]._base_manager.all().delete()
        for table in manifest.tables:
            if table.name not in MADE_BY_TRIGGERS:
                if table.rows:
                    log(f"loading {table.name}: {table.rows:,} rows")
                lines = found.lines(table)
                longest[table.name] = load_lines(models[table.name], table.columns, lines)
        log("comparing")
        # PostgreSQL seals the audit trail now and not at the commit.
        connection.check_constraints()
        for table in manifest.tables:
            # Each database seals the texts that it has: the chain is the same on the same kind.
            is_resealed = table.name in MADE_BY_TRIGGERS and manifest.database != connection.vendor
            at_once = BYTES_AT_ONCE // max(1, longest.get(table.name, 1))
            digest = plain_digest_of(
                models[table.name], rows_at_once=min(max(at_once, 1), ROWS_AT_ONCE)
            )
            if not is_resealed and digest != table.plain_sha256:
                raise Refused(
                    f"The table {table.name} does not read as it was written; nothing was restored."
                )
        go_on_counting(list(models.values()))
