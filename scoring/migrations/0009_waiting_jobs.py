"""When a job may be begun, and since when it waits for what cannot be reached."""

from django.db import migrations, models
from django.db.models.functions import Now

JOBS = ("agreementreport", "freeze", "queueorder", "scorerequest", "trainingrun")


class Migration(migrations.Migration):
    dependencies = [("scoring", "0008_state_of_run")]

    operations = [
        *(
            migrations.AddField(
                model_name=name, name="due_at", field=models.DateTimeField(db_default=Now())
            )
            for name in JOBS
        ),
        *(
            migrations.AddField(
                model_name=name, name="unreached_at", field=models.DateTimeField(null=True)
            )
            for name in JOBS
        ),
    ]
