"""Schedules and orders of a queue are gone; the jobs, models and requests that they made stay."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("scoring", "0010_occluded_scores")]

    operations = [
        migrations.DeleteModel("ChainStep"),
        migrations.DeleteModel("Chain"),
        migrations.DeleteModel("Schedule"),
        migrations.DeleteModel("QueueOrder"),
    ]
