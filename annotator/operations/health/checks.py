"""All checks of an installation, one after the other; none of them stops the others."""

import os
import shutil
import stat
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from celery import current_app
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db.utils import DatabaseError
from kombu.exceptions import OperationalError

from annotator.models import SWEEPER, Reference
from annotator.operations.backups.erasure_record import record_path, recorded_erasures
from annotator.operations.health import database
from annotator.operations.health.database import (
    Finding,
    Level,
    Look,
    missing,
    ok,
    registered_looks,
    warning,
)
from annotator.operations.health.sealed_secrets import look_at_sealed
from annotator.operations.presences import alive
from core import storage
from core.clock import database_now
from core.configuration import is_loopback
from core.errors import Refused, Unreachable
from core.jobs.queues import Queues
from core.jobs.registry import kinds_of_jobs
from core.jobs.rows import JobStatus


def look_at_choices() -> Iterator[Finding]:
    """Return which mode holds, and which choices weaken it."""
    if settings.IS_LOCAL:
        yield warning(
            "settings",
            "Local mode: loopback only, demo logins, plain HTTP.",
            "For a firm set SECRET_KEY, ALLOWED_HOSTS and DATABASE_URL (docs/install.md).",
        )
    else:
        yield ok("settings", "Production checks hold.")
    if settings.DEBUG:
        yield warning("settings", "DEBUG=1: error pages show claims.", "Remove DEBUG.")
    if settings.INSECURE_HTTP and not settings.IS_LOCAL:
        yield warning(
            "settings",
            "ALLOW_INSECURE_HTTP=1: passwords and claims travel readable on this machine.",
            "Remove it, and put TLS in front (deploy/).",
        )
    broker = urlsplit(settings.CELERY_BROKER_URL)
    if broker.scheme == "redis" and not is_loopback(broker.hostname or ""):
        yield warning(
            "settings",
            "The way to the broker is plain text.",
            "Use rediss://, unless both ends lie on one machine's own network.",
        )
    if settings.METRIC_ENDPOINT_URL:
        yield warning(
            "settings",
            "METRIC_ENDPOINT_URL is set: claims leave for a language model when a report asks it.",
            "Remove it, if nothing is to leave (docs/adr/0015).",
        )


PART: Final = "erasures"
BUCKET: Final = "bucket"
MOST_NAMED: Final = 20


def look_at_erasures() -> Iterator[Finding]:
    """Compare the record of erasures with the database."""
    if not record_path().exists():
        yield ok(PART, "None is on record.")
        return
    try:
        recorded = recorded_erasures(record_path())
    except Refused as refusal:
        yield warning(PART, refusal.sentence, "A restore of an older backup is refused until then.")
        return
    rows = Reference.objects.filter(pk__in=list(recorded), erased_at=None).order_by("pk")
    back = [str(pk) for pk in rows.values_list("pk", flat=True)]
    if back:
        more = f" and {len(back) - MOST_NAMED:,} more" if len(back) > MOST_NAMED else ""
        yield missing(
            PART,
            f"{len(back)} that were erased are back: {', '.join(back[:MOST_NAMED])}{more}.",
            "Erase them again: an admin of the campaign asks on the page of the reference, a site "
            "admin agrees on Erasures.",
        )
    else:
        yield ok(PART, f"{len(recorded)} are on record; none of them is back.")


OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
SECRETS: Final = ("secret_key", "demo_password", "db.sqlite3")
LEAST_FREE: Final = 1 << 30
LEAST_SHARE: Final = 0.05


def look_at_files() -> Iterator[Finding]:
    """Look at the data directory, its disk and the static files."""
    yield _modes(Path(settings.DATA_DIR))
    yield _free_space(Path(settings.DATA_DIR))
    yield from _static()


def _modes(directory: Path) -> Finding:
    """Return whether others can read what is stored; what lies in a private folder is private."""
    if not os.access(directory, os.W_OK | os.X_OK):
        return missing(
            "file modes",
            "The data directory cannot be written to by this user.",
            f"Give it to the user that the programs run as: `chown -R USER {directory}`.",
        )
    # What lies in a folder that only its owner enters is out of the others' reach, whatever its
    # own mode: a copy, though, retains the mode and loses the folder.
    private = [directory / name for name in SECRETS if (directory / name).is_file()]
    exposed = [path for path in private if path.stat().st_mode & OTHERS]
    if directory.stat().st_mode & OTHERS:
        return missing(
            "file modes",
            "Other users of this machine can enter the data directory.",
            f"Close it: `chmod 0700 {directory}`.",
        )
    if exposed:
        names = ", ".join(sorted(path.name for path in exposed))
        return warning(
            "file modes",
            f"Others could read these, were they copied as they are: {names}.",
            f"Close them: `chmod go= {' '.join(str(path) for path in sorted(exposed))}`.",
        )
    return ok("file modes", "Only the owner reads the data directory.")


def _free_space(directory: Path) -> Finding:
    disk = shutil.disk_usage(directory)
    free = f"{disk.free / (1 << 30):.1f} GiB of the disk are free."
    if disk.free < LEAST_FREE or disk.free < LEAST_SHARE * disk.total:
        return warning(
            "disk", free, "Make room, or move DATA_DIR: a full disk refuses ratings and trainings."
        )
    return ok("disk", free)


def _static() -> Iterator[Finding]:
    if settings.WHITENOISE_USE_FINDERS:
        yield ok("static files", "Served from the source, as local mode does.")
    elif getattr(staticfiles_storage, "hashed_files", None):
        yield ok("static files", "Collected.")
    else:
        yield missing(
            "static files",
            "They are not collected: pages come without style or not at all.",
            "Run `manage.py collectstatic --noinput`, then restart the web server.",
        )


PURPOSES: Final = {
    Queues.WEB: "imports, reports, freezes and scores of linear models wait",
    Queues.GPU: "trainings and scores of encoders wait",
}
LONGEST_WAIT_MINUTES: Final = 10


def queues_without_worker() -> list[str]:
    """Return the queues that no living worker serves."""
    works = alive()
    return [queue.value for queue in Queues if not works[queue.value]]


def look_at_programs() -> Iterator[Finding]:
    """Return whether each queue has a worker, and whether the sweeper runs."""
    works = alive()
    for queue in Queues:
        part = f"worker of queue {queue.value}"
        if works[queue.value]:
            yield ok(part, f"{works[queue.value]} alive.")
        else:
            yield missing(
                part,
                f"None is alive: {PURPOSES[queue]}.",
                f"Start one: `celery -A config.celery worker -Q {queue.value} "
                f"-n {queue.value}@%h --concurrency 1`, or `make run` for all programs.",
            )
    if works[SWEEPER]:
        yield ok(SWEEPER, "Alive.")
    else:
        yield missing(
            SWEEPER,
            "It is not alive: leases do not lapse, and jobs of dead workers are not taken up.",
            "Start it: `manage.py sweep --forever`, or `make run` for all programs.",
        )


def look_at_broker() -> Iterator[Finding]:
    """Return whether messages can be sent."""
    kind = settings.CELERY_BROKER_URL.partition(":")[0]
    try:
        with current_app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=3)
    except (OperationalError, OSError):
        yield missing(
            "broker",
            f"The broker ({kind}) is not reached. Rating goes on; jobs wait until it is back.",
            "Start it, and compare CELERY_BROKER_URL with its address and password.",
        )
    else:
        yield ok("broker", f"The broker ({kind}) is reached.")


def look_at_jobs() -> Iterator[Finding]:
    """Return how many jobs of each kind wait for longer than a free worker would let them."""
    since = database_now() - timedelta(minutes=LONGEST_WAIT_MINUTES)
    late = {"status": JobStatus.QUEUED, "due_at__lt": since}
    counts = {
        model.kind(): model._default_manager.filter(**late).count() for model in kinds_of_jobs()
    }
    waiting = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    if waiting:
        yield warning(
            "jobs",
            f"Jobs have waited for more than {LONGEST_WAIT_MINUTES} minutes: {waiting}.",
            "A long training is before them, or their worker is missing or takes nothing: look "
            "into its log, and start it again.",
        )
    else:
        yield ok("jobs", "None waits long for a worker.")


def look_at_bucket() -> Iterator[Finding]:
    """Return whether the storage bucket answers; nothing without one."""
    if not storage.is_shared():
        return
    try:
        storage.probe()
    except Unreachable as error:
        yield _unreachable(error)
    else:
        yield ok(BUCKET, f"The bucket {settings.STORAGE_BUCKET} answers.")


def _unreachable(error: Unreachable) -> Finding:
    return missing(
        BUCKET,
        error.sentence,
        "Rating goes on; jobs that need a file are tried again. Compare STORAGE_BUCKET, "
        "STORAGE_ENDPOINT and the AWS credentials with the server's.",
    )


WITHOUT_DATABASE: Final[tuple[Look, ...]] = (
    look_at_choices,
    look_at_files,
    look_at_broker,
)
WITH_DATABASE: Final[tuple[Look, ...]] = (
    database.look_at_settings,
    look_at_programs,
    look_at_jobs,
    look_at_sealed,
    look_at_erasures,
    look_at_bucket,
)


def examine() -> Iterator[Finding]:
    """Yield what every look finds; those that need the database only where it is ready."""
    schema = database.look_at_schema()
    yield schema
    for look in WITHOUT_DATABASE:
        yield from look()
    if schema.level is not Level.OK:
        return
    for look in (*WITH_DATABASE, *registered_looks()):
        try:
            yield from look()
        except DatabaseError as error:
            yield missing(
                "database",
                f"It failed while it was looked at ({type(error).__name__}).",
                "Look into its own log, then run this again.",
            )
        except Unreachable as error:
            yield _unreachable(error)
