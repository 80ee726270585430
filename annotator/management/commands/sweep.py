"""`manage.py sweep`: ring waiting jobs again, end stranded ones, free what leases held too long."""

import logging
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, close_old_connections

from annotator.jobs.registry import sweep
from annotator.services.places import lapse_leases_everywhere

SECONDS_BETWEEN_SWEEPS = 2
logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Ring jobs that wait unheard and free run-out leases; with --forever every two seconds."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--forever", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["forever"]:
            rung, lapsed = sweep(), lapse_leases_everywhere()
            self.stderr.write(f"{rung} jobs rung, {lapsed} leases lapsed")
            return
        while True:
            try:
                close_old_connections()
                sweep()
                lapse_leases_everywhere()
            except DatabaseError as error:
                logger.warning("sweep skipped: %s", type(error).__name__)
            time.sleep(SECONDS_BETWEEN_SWEEPS)
