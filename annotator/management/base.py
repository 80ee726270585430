"""What commands have in common: refusals in one line, progress, passwords, a migration lock."""

import fcntl
import getpass
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, OperationalError, ProgrammingError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from annotator.management.plain_text import document_lines
from annotator.models import Campaign, User
from core.errors import Refused


def asked_secret(variable: str, prompt: str, *, absent: str, differ: str = "") -> str:
    """Return what the variable holds, or what is typed; with a sentence `differ` typed twice.

    Raises Refused: `absent` where nobody can be asked, `differ` where the two are not the same.
    """
    given = os.environ.get(variable)
    if given is not None:
        return given
    if not sys.stdin.isatty():
        raise Refused(absent)
    typed = getpass.getpass(f"{prompt}: ")
    if differ and typed != getpass.getpass("Once more: "):
        raise Refused(differ)
    return typed


def asked_password() -> str:
    """Return what NEW_USER_PASSWORD holds, or what is typed twice."""
    return asked_secret(
        "NEW_USER_PASSWORD",
        "Password",
        absent="Set NEW_USER_PASSWORD, or run this on a terminal to be asked for it.",
        differ="The two are not the same; nothing was changed.",
    )


class WorkbenchCommand(BaseCommand):
    """Exit 0 done, 1 refused with a reason on stderr, 2 wrong usage."""

    _has_open_line = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document to stdout")
        self.add_own_arguments(parser)

    def add_own_arguments(self, parser: CommandParser) -> None:
        """Declare what this command takes besides --json."""

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any] | None:
        """Do the work and return what --json prints; raise Refused with the reason."""
        raise NotImplementedError

    def is_bad(self, document: dict[str, Any]) -> bool:
        """Return whether what was found ends the command with 1, although it did its work."""
        return False

    def sentence(self, document: dict[str, Any]) -> str:
        """Print the document as text for a reader without --json."""
        return "\n".join(document_lines(document))

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with refusing_without_tables():
                document = self.carry_out(options)
        except Refused as refusal:
            self._end_line()
            self.stderr.write(refusal.sentence)
            sys.exit(1)
        self._end_line()
        if document is None:
            return
        if options["json"]:
            self.stdout.write(json.dumps(document, ensure_ascii=False))
        else:
            self.stdout.write(self.sentence(document))
        if self.is_bad(document):
            sys.exit(1)

    def log(self, text: str) -> None:
        """Report progress on stderr, over the same line on a terminal."""
        is_terminal = self.stderr.isatty()
        self.stderr.write(
            f"\r\x1b[K{text}" if is_terminal else text,
            ending="" if is_terminal else "\n",
        )
        self._has_open_line = is_terminal

    def _end_line(self) -> None:
        """End the line that progress was shown on, so that what follows has one of its own."""
        if self._has_open_line:
            self.stderr.write("")
            self._has_open_line = False


@contextmanager
def refusing_without_tables() -> Iterator[None]:
    """Turn an error of a database that lacks tables or columns into one line that says so."""
    try:
        yield
    except (OperationalError, ProgrammingError):
        try:
            migrations = MigrationExecutor(connection)
            is_behind = bool(migrations.migration_plan(migrations.loader.graph.leaf_nodes()))
        except DatabaseError:
            is_behind = False
        if not is_behind:
            raise
        place = connection.settings_dict["NAME"]
        raise Refused(
            f"The database {place} lacks tables of this release. If DATA_DIR and DATABASE_URL are "
            "the right ones, run `manage.py migrate`."
        ) from None


def find_user(username: str) -> User:
    """Return the user or refuse in one line."""
    user = User.objects.filter(username=username).first()
    if user is None:
        raise Refused(f"There is no user {username!r}.")
    return user


def find_campaign(slug: str) -> Campaign:
    """Return the campaign or refuse in one line."""
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign is None:
        known = ", ".join(Campaign.objects.values_list("slug", flat=True)[:20]) or "none yet"
        raise Refused(f"There is no campaign {slug!r}. Campaigns: {known}.")
    return campaign


def refuse_unwritable(target: Path) -> None:
    """Refuse a place where no file can be, before anything is put on record."""
    if target.is_dir():
        raise Refused(f"{target} is a folder; name a file in it.")
    if not target.parent.is_dir():
        raise Refused(f"There is no folder {target.parent}; make it first.")


BAR: Final = 24
# Seconds between two lines.
ON_TERMINAL: Final = 0.2
IN_A_LOG: Final = 10.0


class ReadingProgress:
    """Called with the number of records read; prints it when it is time."""

    def __init__(
        self, verb: str, file: BinaryIO, size: int, log: Callable[[str], None], *, is_terminal: bool
    ) -> None:
        self.verb = verb
        self.file = file
        self.size = max(1, size)
        self.log = log
        self.pause = ON_TERMINAL if is_terminal else IN_A_LOG
        self.last = time.monotonic()
        self.is_shown = False

    def __call__(self, records: int) -> None:
        now = time.monotonic()
        if now - self.last < self.pause:
            return
        self.last = now
        share = min(1.0, self.file.tell() / self.size)
        done = round(BAR * share)
        bar = "#" * done + "-" * (BAR - done)
        self.log(f"{self.verb} [{bar}] {share:.0%}, {records:,} records")
        self.is_shown = True

    def finish(self) -> None:
        """Fill the bar where one was shown: the last records may have come too fast to be told."""
        if self.is_shown:
            self.log(f"{self.verb} [{'#' * BAR}] 100%")


# What PostgreSQL's advisory lock is known by: "migrate" in ASCII.
_LOCK: Final = 0x6D696772617465


@contextmanager
def migrating_alone(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Hold the right to migrate a database; both locks end with the process that holds them."""
    if connection.vendor == "postgresql":
        # A connection of its own: that of the migrations may be closed on the way.
        holder = connection.copy()
        try:
            with holder.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
            yield
        finally:
            holder.close()
    else:
        # The folder itself, so that no file is left lying about.
        folder = os.open(Path(str(connection.settings_dict["NAME"])).parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)
