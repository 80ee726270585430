"""Campaigns no longer choose which references come first: all are dealt as they were imported."""

from typing import Any

from django.db import migrations
from django.db.models import OuterRef, Subquery


def restore_order(apps: Any, schema_editor: Any) -> None:
    """Give the candidates of a campaign that chose its order back their place in the import."""
    references = apps.get_model("annotator", "Reference").objects.filter(pk=OuterRef("reference"))
    candidates = apps.get_model("annotator", "Candidate").objects
    candidates.filter(campaign__choosing_since__isnull=False).update(
        queue_position=Subquery(references.values("position")[:1])
    )


class Migration(migrations.Migration):
    dependencies = [("annotator", "0020_drafts_of_comparisons")]

    operations = [
        migrations.RunPython(restore_order, migrations.RunPython.noop),
        migrations.RemoveField("campaign", "choosing_since"),
        migrations.RemoveField("campaign", "control_percent"),
        migrations.RemoveField("reference", "is_control"),
    ]
