"""Django's `migrate`, one at a time; it warns of a database that forgets what it acknowledged."""

from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS, connections

from annotator.management.base import migrating_alone
from annotator.operations.backups.services import grant_serving_rights
from annotator.operations.health.database import Level, look_at_settings
from core.errors import Refused


class Command(migrate.Command):
    """Wait for a migration that runs, then see what is left to do.

    Every start of the services comes by here, so what `doctor` finds in the database is shown, too.
    """

    def handle(self, *args: Any, **options: Any) -> None:
        with migrating_alone(connections[options["database"]]):
            super().handle(*args, **options)
            if options["database"] == DEFAULT_DB_ALIAS:
                try:
                    grant_serving_rights()
                except Refused as refusal:
                    raise CommandError(str(refusal)) from refusal
        if options["database"] == DEFAULT_DB_ALIAS and options["verbosity"]:
            for finding in look_at_settings():
                if finding.level != Level.OK:
                    self.stderr.write(self.style.WARNING(f"{finding.found} {finding.mend}"))
