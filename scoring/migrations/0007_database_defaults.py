"""Defaults of the database for columns that the release before does not name when it writes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scoring", "0006_explain_encoders")]

    operations = [
        migrations.AlterField(
            model_name="trainingrun",
            name="note",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AlterField(
            model_name="trainingrun",
            name="tags",
            field=models.CharField(blank=True, db_default="", default="", max_length=300),
        ),
    ]
