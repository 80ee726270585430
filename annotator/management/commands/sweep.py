"""`sweep`: enqueue and end jobs, free run-out leases, give hidden repeats, tidy uploads."""

import logging
import sys
import time
from itertools import count
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, close_old_connections

from annotator.assignments.services import lapse_leases_everywhere
from annotator.imports.sweeping import sweep_imports
from annotator.mail.reminders import remind_everybody
from annotator.management.base import refusing_without_tables
from annotator.models import SWEEPER
from annotator.operations.presences import own_name, report_presence, show_life
from annotator.planning.sentinels import repeat_everywhere
from annotator.webhooks.events import announce_settled
from core.errors import Refused, Unreachable
from core.jobs.registry import sweep, tidy

SECONDS_BETWEEN_SWEEPS = 2
SWEEPS_BETWEEN_REPORTS = 5
SWEEPS_BETWEEN_REPEATS = 10
SWEEPS_BETWEEN_UPLOADS = 30
logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = (
        "Enqueue jobs that wait unclaimed, free run-out leases, give repeats that are due, delete "
        "uploads that nobody needs and rows and folders whose time is over; "
        "with --forever every two seconds."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--forever", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["forever"]:
            self._sweep_once()
            return
        name = own_name(SWEEPER)
        for number in count():
            try:
                close_old_connections()
                if number % SWEEPS_BETWEEN_REPORTS == 0:
                    report_presence(name=name, works=[SWEEPER])
                    show_life()
                sweep()
                lapse_leases_everywhere()
                # Nobody waits for one, and asking counts all assignments.
                if number % SWEEPS_BETWEEN_REPEATS == 0:
                    repeat_everywhere()
                if number % SWEEPS_BETWEEN_UPLOADS == 0:
                    announce_settled()
                    remind_everybody()
                    tidy()
                    # Last: of all these it alone may need what cannot be reached now.
                    sweep_imports()
            except (DatabaseError, OSError, Unreachable) as error:
                logger.warning("sweep skipped: %s", type(error).__name__)
            time.sleep(SECONDS_BETWEEN_SWEEPS)

    def _sweep_once(self) -> None:
        """Do all of it once and say what was done; exit 1 where there are no tables yet."""
        try:
            with refusing_without_tables():
                enqueued, lapsed, repeated = sweep(), lapse_leases_everywhere(), repeat_everywhere()
                dropped, announced, mailed, tidied = (
                    sweep_imports(),
                    announce_settled(),
                    remind_everybody(),
                    tidy(),
                )
        except Refused as refusal:
            self.stderr.write(refusal.sentence)
            sys.exit(1)
        self.stderr.write(
            f"{enqueued} jobs enqueued, {lapsed} leases lapsed, {repeated} repeats given, "
            f"{announced} settled candidates announced, "
            f"{mailed} mails queued, {dropped} uploads deleted and "
            f"{tidied} rows or folders tidied"
        )
