"""When a job may be begun, since when it waits for what cannot be reached; what a program reaches."""

from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("annotator", "0017_database_defaults")]

    operations = [
        *(
            migrations.AddField(
                model_name=name, name="due_at", field=models.DateTimeField(db_default=Now())
            )
            for name in ("claimimport", "reliabilityreport")  # a delivery has it
        ),
        *(
            migrations.AddField(
                model_name=name, name="unreached_at", field=models.DateTimeField(null=True)
            )
            for name in ("claimimport", "delivery", "reliabilityreport")
        ),
        migrations.AddField(
            model_name="presence",
            name="data_directory",
            field=models.CharField(blank=True, db_default="", default="", max_length=32),
        ),
        migrations.AddField(
            model_name="presence",
            name="unreached",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
    ]
