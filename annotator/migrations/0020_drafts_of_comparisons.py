"""Drafts of the compare page."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotator", "0019_pending_roles")]

    operations = [
        migrations.CreateModel(
            name="ComparisonDraft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1)),
                ("typed", models.JSONField(default=dict)),
                ("saved_at", models.DateTimeField()),
                ("preference_version", models.PositiveIntegerField(default=0)),
                (
                    "comparison",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="draft",
                        to="annotator.comparison",
                    ),
                ),
            ],
            options={"abstract": False},
        ),
    ]
