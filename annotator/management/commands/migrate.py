"""Django's `migrate`, one at a time: several services of one installation may start together."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from annotator.migrating import migrating_alone


class Command(migrate.Command):
    """Wait for a migration that runs, then see what is left to do."""

    def handle(self, *args: Any, **options: Any) -> str | None:
        with migrating_alone(connections[options["database"]]):
            return super().handle(*args, **options)
