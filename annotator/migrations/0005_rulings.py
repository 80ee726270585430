"""Turns, adjudications with their signatures, and rulings."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotator", "0004_places_known"),
    ]

    operations = [
        migrations.AlterField(
            model_name="conflict",
            name="status",
            field=models.CharField(
                choices=[("open", "Open"), ("lapsed", "Lapsed"), ("ruled", "Ruled")],
                default="open",
                max_length=6,
            ),
        ),
        migrations.CreateModel(
            name="Adjudication",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "decision",
                    models.CharField(
                        choices=[
                            ("take", "one annotator's rating is taken"),
                            ("mean", "the mean of the ratings"),
                            ("scores", "new scores"),
                        ],
                        max_length=6,
                    ),
                ),
                (
                    "reason_code",
                    models.CharField(
                        choices=[
                            ("follows-rubric", "one rating follows the rubric more closely"),
                            ("overlooked", "something in the claims was overlooked"),
                            ("read-differently", "the bands were read differently"),
                            ("both-defensible", "the ratings can both be defended"),
                            ("slip", "a slip: a wrong key, or the wrong text"),
                            ("other", "another reason"),
                        ],
                        max_length=20,
                    ),
                ),
                ("reason", models.TextField()),
                ("has_guideline_gap", models.BooleanField(default=False)),
                ("ratings_seen", models.JSONField()),
                ("made_at", models.DateTimeField()),
                ("signed_as", models.CharField(max_length=150)),
                ("meaning", models.TextField()),
                ("record_sha256", models.CharField(max_length=64)),
                ("voided_at", models.DateTimeField(blank=True, null=True)),
                ("voided_because", models.TextField(blank=True, default="")),
                (
                    "adjudicator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="adjudications",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "conflict",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="adjudications",
                        to="annotator.conflict",
                    ),
                ),
                (
                    "voided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["made_at"],
            },
        ),
        migrations.CreateModel(
            name="Turn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("taken_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                (
                    "adjudicator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="turns",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "candidate",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="turn",
                        to="annotator.candidate",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Ruling",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("scores", models.JSONField()),
                ("is_valid", models.BooleanField(default=True)),
                (
                    "adjudication",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rulings",
                        to="annotator.adjudication",
                    ),
                ),
                (
                    "candidate",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rulings",
                        to="annotator.candidate",
                    ),
                ),
                (
                    "rating",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotator.rating",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("is_valid", True)),
                        fields=("candidate",),
                        name="one_valid_ruling_each",
                    )
                ],
            },
        ),
    ]
