from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import migrations


def move_uploads(apps, schema_editor):
    """Move files that wait to be imported to where the files of all imports lie now."""
    sources = Path(settings.DATA_DIR) / "sources"
    for path in (Path(settings.DATA_DIR) / "uploads").glob("*-*"):
        try:
            UUID(path.name)
        except ValueError:
            continue
        sources.mkdir(mode=0o700, exist_ok=True)
        path.rename(sources / path.name)


class Migration(migrations.Migration):
    dependencies = [("annotator", "0023_remove_waiting_for_files")]

    operations = [migrations.RunPython(move_uploads, migrations.RunPython.noop)]
