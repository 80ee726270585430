"""All looks at an installation, one after the other; none of them stops the others."""

from collections.abc import Iterator
from typing import Final

from django.db.utils import DatabaseError

from annotator.health import choices, database, erasures, files, processes, second_factors
from annotator.health.findings import Finding, Level, Look, missing, registered_looks

WITHOUT_DATABASE: Final[tuple[Look, ...]] = (
    choices.look_at_choices,
    files.look_at_files,
    processes.look_at_broker,
)
WITH_DATABASE: Final[tuple[Look, ...]] = (
    database.look_at_settings,
    processes.look_at_programs,
    processes.look_at_jobs,
    second_factors.look_at_second_factors,
    erasures.look_at_erasures,
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
