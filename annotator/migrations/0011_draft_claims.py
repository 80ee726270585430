import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("annotator", "0010_context"),
    ]

    operations = [
        migrations.CreateModel(
            name="DraftClaimsEdit",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("number", models.PositiveIntegerField()),
                ("earlier", models.TextField(blank=True, default="")),
                ("reason", models.TextField(blank=True, default="")),
                ("edited_at", models.DateTimeField()),
                (
                    "edited_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "reference",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="draft_claims_edits",
                        to="annotator.reference",
                    ),
                ),
            ],
            options={"ordering": ["number"]},
        ),
        migrations.AddConstraint(
            model_name="draftclaimsedit",
            constraint=models.UniqueConstraint(
                fields=("reference", "number"), name="draft_claims_edit_number_once"
            ),
        ),
    ]
