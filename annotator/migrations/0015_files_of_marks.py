"""Whether annotators of a campaign may take their own marks as Word files."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotator", "0014_entry")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="has_mark_files",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
