"""Makes room for the seals of the audit trail, and takes its times from the database's clock."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("annotator", "0013_paces")]

    operations = [
        migrations.AlterField(
            model_name="auditevent",
            name="at",
            field=models.DateTimeField(db_default=Now(), editable=False),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["action", "at"], name="annotator_a_action_9d107b_idx"),
        ),
        migrations.CreateModel(
            name="AuditSeal",
            fields=[
                ("sequence", models.BigIntegerField(primary_key=True, serialize=False)),
                (
                    "event",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="seal",
                        to="annotator.auditevent",
                    ),
                ),
                ("sha256", models.CharField(max_length=64)),
            ],
            options={"ordering": ["sequence"]},
        ),
    ]
