import django.db.models.deletion
import django.db.models.functions.datetime
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True
    # The steps of before the first release: a database that made them all has this schema.
    replaces = [
        ("scoring", "0001_first"),
        ("scoring", "0002_lineage"),
        ("scoring", "0003_runs"),
        ("scoring", "0004_scoring_service"),
        ("scoring", "0005_reports"),
        ("scoring", "0006_model_seals"),
        ("scoring", "0007_erasures"),
        ("scoring", "0008_reports_without_admins"),
        ("scoring", "0009_jobs_by_the_databases_clock"),
        ("scoring", "0010_dataset_names_by_campaign"),
    ]

    dependencies = [
        ('annotator', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ModelVersion',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('criterion', models.CharField(max_length=30)),
                ('directory', models.CharField(max_length=80, unique=True)),
                ('manifest_sha256', models.CharField(max_length=64)),
                ('seal', models.CharField(default='', max_length=64)),
                ('dataset_sha256', models.CharField(max_length=64)),
                ('code_version', models.CharField(max_length=80)),
                ('card', models.JSONField()),
                ('retire_since', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='Dataset',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', models.SlugField(max_length=80)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotator.campaign')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('campaign', 'name'), name='dataset_once_in_campaign'),
                    models.UniqueConstraint(condition=models.Q(('campaign__isnull', True)), fields=('name',), name='dataset_once_without_campaign'),
                ],
            },
        ),
        migrations.CreateModel(
            name='DatasetVersion',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('items', models.PositiveIntegerField()),
                ('card', models.JSONField()),
                ('licence', models.CharField(blank=True, default='', max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='scoring.dataset')),
            ],
            options={
                'ordering': ['dataset__name', '-number'],
                'constraints': [
                    models.UniqueConstraint(fields=('dataset', 'number'), name='version_number_once'),
                    models.UniqueConstraint(fields=('dataset', 'sha256'), name='version_content_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='AgreementReport',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('succeeded', 'Succeeded'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], db_index=True, default='queued', max_length=9)),
                ('attempt', models.PositiveIntegerField(default=0)),
                ('owner', models.CharField(blank=True, default='', max_length=32)),
                ('lease_until', models.DateTimeField(null=True)),
                ('rung_at', models.DateTimeField(null=True)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('progress', models.FloatField(default=0.0)),
                ('message', models.TextField(blank=True, default='')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('criterion', models.CharField(max_length=30)),
                ('scorers', models.JSONField()),
                ('split', models.CharField(max_length=10)),
                ('tie_threshold', models.FloatField()),
                ('resamples', models.PositiveIntegerField(default=1000)),
                ('seed', models.PositiveBigIntegerField(default=0)),
                ('has_systems', models.BooleanField(default=False)),
                ('has_admins', models.BooleanField(default=False)),
                ('is_neural', models.BooleanField(default=False)),
                ('question_sha256', models.CharField(blank=True, default='', max_length=64)),
                ('stage', models.CharField(blank=True, default='', max_length=60)),
                ('done', models.PositiveIntegerField(default=0)),
                ('total', models.PositiveIntegerField(default=0)),
                ('result', models.JSONField(null=True)),
                ('requested_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('dataset_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='scoring.datasetversion')),
            ],
            options={
                'ordering': ['-created_at'],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('cancel_requested', False), ('status__in', ('queued', 'running', 'succeeded')), models.Q(('question_sha256', ''), _negated=True)), fields=('question_sha256',), name='question_answered_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Erasure',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('asked', 'Asked'), ('declined', 'Declined'), ('agreed', 'Agreed'), ('done', 'Done')], default='asked', max_length=8)),
                ('asked_at', models.DateTimeField()),
                ('reason', models.TextField()),
                ('answered_at', models.DateTimeField(null=True)),
                ('erased_at', models.DateTimeField(null=True)),
                ('done_at', models.DateTimeField(null=True)),
                ('mark', models.CharField(blank=True, default='', max_length=64)),
                ('result', models.JSONField(default=dict)),
                ('answered_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotator.campaign')),
                ('reference', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='erasures', to='annotator.reference')),
            ],
            options={
                'ordering': ['-asked_at'],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('status', 'declined'), _negated=True), fields=('reference',), name='reference_erased_once'),
                    models.CheckConstraint(condition=models.Q(('status__in', ('asked', 'declined')), models.Q(('answered_by', models.F('asked_by')), _negated=True), _connector='OR'), name='erasure_by_two_people'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Freeze',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('succeeded', 'Succeeded'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], db_index=True, default='queued', max_length=9)),
                ('attempt', models.PositiveIntegerField(default=0)),
                ('owner', models.CharField(blank=True, default='', max_length=32)),
                ('lease_until', models.DateTimeField(null=True)),
                ('rung_at', models.DateTimeField(null=True)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('progress', models.FloatField(default=0.0)),
                ('message', models.TextField(blank=True, default='')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('settings', models.JSONField()),
                ('is_new', models.BooleanField(null=True)),
                ('asked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='freezes', to='annotator.campaign')),
                ('version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='freezes', to='scoring.datasetversion')),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='MetricScore',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('scorer', models.CharField(max_length=200)),
                ('reference_sha256', models.CharField(max_length=64)),
                ('candidate_sha256', models.CharField(max_length=64)),
                ('draft_sha256', models.CharField(blank=True, default='', max_length=64)),
                ('value', models.FloatField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('scorer', 'reference_sha256', 'candidate_sha256', 'draft_sha256'), name='score_once')],
            },
        ),
        migrations.CreateModel(
            name='Promotion',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('act', models.CharField(choices=[('asked', 'Asked'), ('agreed', 'Agreed'), ('declined', 'Declined'), ('withdrawn', 'Withdrawn')], max_length=9)),
                ('criterion', models.CharField(max_length=30)),
                ('reason', models.TextField()),
                ('cautions', models.JSONField(default=list)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('answers', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='answer', to='scoring.promotion')),
                ('campaign', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotator.campaign')),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='promotions', to='scoring.modelversion')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='ScoreRequest',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('succeeded', 'Succeeded'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], db_index=True, default='queued', max_length=9)),
                ('attempt', models.PositiveIntegerField(default=0)),
                ('owner', models.CharField(blank=True, default='', max_length=32)),
                ('lease_until', models.DateTimeField(null=True)),
                ('rung_at', models.DateTimeField(null=True)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('progress', models.FloatField(default=0.0)),
                ('message', models.TextField(blank=True, default='')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('reference_text', models.TextField()),
                ('candidate_texts', models.JSONField()),
                ('models_by_criterion', models.JSONField()),
                ('scores', models.JSONField(null=True)),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at'],
                'indexes': [
                    models.Index(fields=['created_at'], name='score_request_age'),
                ],
            },
        ),
        migrations.CreateModel(
            name='TrainingRun',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('succeeded', 'Succeeded'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], db_index=True, default='queued', max_length=9)),
                ('attempt', models.PositiveIntegerField(default=0)),
                ('owner', models.CharField(blank=True, default='', max_length=32)),
                ('lease_until', models.DateTimeField(null=True)),
                ('rung_at', models.DateTimeField(null=True)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('progress', models.FloatField(default=0.0)),
                ('message', models.TextField(blank=True, default='')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('criterion', models.CharField(max_length=30)),
                ('settings', models.JSONField()),
                ('stage', models.CharField(blank=True, default='', max_length=40)),
                ('step', models.PositiveIntegerField(default=0)),
                ('steps', models.PositiveIntegerField(default=0)),
                ('epoch', models.PositiveIntegerField(default=0)),
                ('epochs', models.PositiveIntegerField(default=0)),
                ('loss', models.FloatField(null=True)),
                ('validation_tau', models.FloatField(null=True)),
                ('tokens_per_second', models.FloatField(null=True)),
                ('seconds_left', models.FloatField(null=True)),
                ('log', models.JSONField(default=list)),
                ('history', models.JSONField(default=list)),
                ('dataset_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='training_runs', to='scoring.datasetversion')),
                ('requested_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reused_model', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reusing_runs', to='scoring.modelversion')),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.AddField(
            model_name='modelversion',
            name='run',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='model_version', to='scoring.trainingrun'),
        ),
        migrations.CreateModel(
            name='UsedRating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rating', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotator.rating')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='used_ratings', to='scoring.datasetversion')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('version', 'rating'), name='rating_used_once'),
                ],
            },
        ),
    ]
