"""Drops two indexes that unique constraints have already, as their first columns."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotator", "0009_imports"),
    ]

    operations = [
        migrations.AlterField(
            model_name="candidate",
            name="reference",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="candidates",
                to="annotator.reference",
            ),
        ),
        migrations.AlterField(
            model_name="reference",
            name="campaign",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="references",
                to="annotator.campaign",
            ),
        ),
    ]
