"""Restoring a backup on an empty host: everything is checked first, then there at once or not."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from annotator.backups.archives import BLOCK, CheckedArchive, check_archive
from annotator.backups.kept_files import kept_folders
from annotator.backups.manifest import Manifest
from annotator.backups.sealing import Key, open_sealed
from annotator.backups.tables import (
    LEFT_OUT,
    MADE_BY_ITSELF,
    MADE_BY_TRIGGERS,
    Node,
    applied_migrations,
    go_on_counting,
    known_migrations,
    load_lines,
    models_after,
    plain_digest_of,
)
from annotator.configuration.production import make_private
from annotator.files.whole import ASIDE, write_whole
from annotator.refusals import Refused
from annotator.services.audit import record
from annotator.version import VERSION

Say = Callable[[str], None]
MIGRATIONS_TABLE = "django_migrations"


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored, and from when it is."""

    made_at: str
    app_version: str
    rows: int
    files: int


def restore_backup(*, source: Path, key: Key, say: Say = lambda words: None) -> Restored:
    """Bring back rows and files of a backup; nothing is visible before all of it is proven.

    Raises Refused where the backup does not open, is damaged or of a newer version, and where this
    host has data already. Sessions are not in a backup: everybody signs in again.
    """
    make_private(Path(settings.DATA_DIR))
    with tempfile.TemporaryFile(dir=settings.DATA_DIR, buffering=BLOCK) as spool:
        say("opening")
        _open(source, spool, key)
        say("checking")
        found = check_archive(spool)
        _refuse_newer(found.manifest)
        _refuse_data(found.manifest)
        _prepare_tables(found.manifest)
        with _files_placed(found, say), transaction.atomic():
            _load(found, say)
    if set(found.manifest.migrations) != known_migrations():
        say("migrating")
        call_command("migrate", verbosity=0, interactive=False)
    manifest = found.manifest
    record(
        action="backup.restored",
        object_type="backup",
        object_id=manifest.made_at,
        details={"rows": manifest.rows, "files": len(manifest.files)},
    )
    return Restored(manifest.made_at, manifest.app_version, manifest.rows, len(manifest.files))


def _open(source: Path, spool: IO[bytes], key: Key) -> None:
    try:
        with source.open("rb") as sealed:
            open_sealed(sealed, spool, key)
    except OSError as error:
        raise Refused(f"Cannot restore {source}: {error.strerror}.") from error


def _refuse_newer(manifest: Manifest) -> None:
    unknown = sorted(set(manifest.migrations) - known_migrations())
    if unknown:
        app, name = unknown[0]
        raise Refused(
            f"The backup was made by version {manifest.app_version}, this is version {VERSION}: "
            f"it does not know {app}.{name}. Restore with the version that made it, or a newer one."
        )


def _refuse_data(manifest: Manifest) -> None:
    """Raise Refused unless this host is empty; files of the same backup may lie here already."""
    told = {file.name for file in manifest.files}
    directory = Path(settings.DATA_DIR)
    for folder in kept_folders():
        for path in (directory / folder).rglob("*"):
            name = path.relative_to(directory).as_posix()
            if path.is_file() and name not in told and not path.name.startswith(ASIDE):
                raise Refused(
                    f"{directory} holds data already ({name}); restore into an empty DATA_DIR."
                )
    for table in connection.introspection.table_names():
        if table not in (*LEFT_OUT, *MADE_BY_ITSELF, MIGRATIONS_TABLE) and _has_rows(table):
            raise Refused(
                f"The database holds data already ({table}); restore into an empty one. "
                "Nothing was changed."
            )


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
    executor.migrate(_last(wanted, executor))


def _last(wanted: set[Node], executor: MigrationExecutor) -> list[Node]:
    nodes = executor.loader.graph.node_map
    return sorted(n for n in wanted if not any(c in wanted for c in nodes[n].children))


@contextmanager
def _files_placed(found: CheckedArchive, say: Say) -> Iterator[None]:
    """Write the files under their names; whatever goes wrong afterwards takes them away."""
    placed: list[Path] = []
    try:
        for file in found.manifest.files:
            say(f"writing {file.name}")
            path = Path(settings.DATA_DIR) / file.name
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            placed.append(path)
            write_whole(path, found.file(file))
        yield
    except BaseException:
        for path in placed:
            path.unlink(missing_ok=True)
        raise


def _load(found: CheckedArchive, say: Say) -> None:
    """Insert all rows, read them again, and raise Refused unless they are what they were."""
    manifest = found.manifest
    models = {model._meta.db_table: model for model in models_after(manifest.migrations)}
    try:
        for name in MADE_BY_ITSELF:
            models[name]._base_manager.all().delete()
        for table in manifest.tables:
            if table.name not in MADE_BY_TRIGGERS:
                if table.rows:
                    say(f"loading {table.name}: {table.rows:,} rows")
                load_lines(models[table.name], table.columns, found.lines(table))
        say("comparing")
        # PostgreSQL seals the audit trail now and not at the commit.
        connection.check_constraints()
        for table in manifest.tables:
            # Each database seals the texts that it has: the chain is the same on the same kind.
            is_resealed = table.name in MADE_BY_TRIGGERS and manifest.database != connection.vendor
            if not is_resealed and plain_digest_of(models[table.name]) != table.plain_sha256:
                raise Refused(
                    f"The table {table.name} does not read as it was written; nothing was restored."
                )
    except (DatabaseError, KeyError, TypeError, ValueError) as error:
        raise Refused(
            f"The rows do not fit the tables ({type(error).__name__}); nothing was restored."
        ) from error
    go_on_counting(list(models.values()))
