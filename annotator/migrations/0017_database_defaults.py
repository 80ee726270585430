"""Defaults of the database for columns that the release before does not name when it writes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotator", "0016_passkeys")]

    operations = [
        migrations.AlterField(
            model_name="browsersession",
            name="provider_session_sha256",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
        migrations.AlterField(
            model_name="reference",
            name="has_context",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
