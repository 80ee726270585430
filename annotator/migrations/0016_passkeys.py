"""Passkeys, and since when a sign-in at a provider is linked to an account."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotator', '0015_files_of_marks'),
    ]

    operations = [
        migrations.AddField(
            model_name='identity',
            name='linked_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.CreateModel(
            name='Passkey',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=60)),
                ('rp_id', models.CharField(max_length=253)),
                ('credential_sha256', models.CharField(max_length=64, unique=True)),
                ('credential', models.TextField()),
                ('sign_count', models.BigIntegerField()),
                ('is_backup_eligible', models.BooleanField()),
                ('is_backed_up', models.BooleanField()),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('used_at', models.DateTimeField(null=True)),
                ('asked_at', models.DateTimeField()),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='passkeys', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'abstract': False,
            },
        ),
    ]
