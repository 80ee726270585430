"""Roles given from outside a campaign, which wait for one of its admins."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotator", "0018_waiting_jobs")]

    operations = [
        migrations.CreateModel(
            name="PendingRole",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("role", models.CharField(choices=[("annotator", "Annotator"), ("adjudicator", "Adjudicator"), ("researcher", "Researcher"), ("admin", "Admin"), ("reader", "Reader")], max_length=11)),
                ("given_at", models.DateTimeField(auto_now_add=True)),
                ("campaign", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="pending_roles", to="annotator.campaign")),
                ("given_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="pending_roles", to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddConstraint(
            model_name="pendingrole",
            constraint=models.UniqueConstraint(fields=("user", "campaign", "role"), name="one_pending_role_once"),
        ),
        migrations.AddField(
            model_name="grouprole",
            name="agreed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="grouprole",
            name="agreed_by",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
    ]
