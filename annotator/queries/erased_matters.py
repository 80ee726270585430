"""Which matters the database knows to be erased: keys and times, for the record of erasures."""

from django.db import connection

from annotator.backups.erasure_record import ErasedMatter
from annotator.backups.tables import applied_migrations, known_migrations
from annotator.models import Reference


def erased_matters() -> list[ErasedMatter]:
    """Return the erased matters of all campaigns; none where the tables are not there yet."""
    if Reference._meta.db_table not in connection.introspection.table_names():
        return []
    if set(applied_migrations()) != known_migrations():
        return []
    rows = Reference.objects.exclude(erased_at=None).order_by("erased_at", "pk")
    return [
        ErasedMatter(str(pk), str(campaign), at.isoformat())
        for pk, campaign, at in rows.values_list("pk", "campaign_id", "erased_at")
        if at is not None
    ]
