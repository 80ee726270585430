import django.db.models.deletion
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("annotator", "0009_inbox"),
    ]

    operations = [
        migrations.AddField(
            model_name="reference", name="has_context", field=models.BooleanField(default=False)
        ),
        migrations.CreateModel(
            name="ReferenceContext",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("paragraphs", models.JSONField(blank=True, default=list)),
                (
                    "reference",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="context",
                        to="annotator.reference",
                    ),
                ),
                (
                    "read_claim_set",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="context",
                        to="annotator.readclaimset",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Drawing",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("number", models.PositiveIntegerField()),
                ("name", models.CharField(max_length=200)),
                ("png_sha256", models.CharField(max_length=64)),
                ("png_bytes", models.PositiveIntegerField()),
                ("width", models.PositiveIntegerField()),
                ("height", models.PositiveIntegerField()),
                (
                    "context",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drawings",
                        to="annotator.referencecontext",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("context", "number"), name="drawing_once_per_context")
                ],
            },
        ),
    ]
