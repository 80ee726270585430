import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("annotator", "0007_prepared_rulings"),
    ]

    operations = [
        migrations.AddField(
            model_name='claimimport',
            name='choices',
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name='claimimport',
            name='has_source',
            field=models.BooleanField(default=False),
        ),
        migrations.CreateModel(
            name='ReadClaimSet',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField()),
                ('reference_id', models.CharField(blank=True, default='', max_length=200)),
                ('candidate_id', models.CharField(blank=True, default='', max_length=200)),
                ('system', models.CharField(blank=True, default='', max_length=200)),
                ('file_name', models.CharField(blank=True, default='', max_length=500)),
                ('file_sha256', models.CharField(max_length=64)),
                ('format', models.CharField(max_length=20)),
                ('claims', models.TextField(blank=True, default='')),
                ('draft_claims', models.TextField(blank=True, default='')),
                ('read_sha256', models.CharField(max_length=64)),
                ('stored_sha256', models.CharField(blank=True, default='', max_length=64)),
                ('edited_at', models.DateTimeField(null=True)),
                ('found', models.JSONField(blank=True, default=dict)),
                ('belongs_to', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='read_claim_sets', to='annotator.reference')),
                ('claim_import', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='claim_sets', to='annotator.claimimport')),
                ('edited_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['number'],
                'constraints': [models.UniqueConstraint(fields=('claim_import', 'number'), name='read_claim_set_once_per_import')],
            },
        ),
    ]
