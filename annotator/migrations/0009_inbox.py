import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("annotator", "0008_documents"),
    ]

    operations = [
        migrations.AddField(
            model_name="user", name="visit_at", field=models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            model_name="user", name="earlier_visit_at", field=models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            model_name="flag", name="answer", field=models.TextField(blank=True, default="")
        ),
        migrations.AddField(
            model_name="flag",
            name="answered_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="flag", name="answered_at", field=models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            model_name="flag",
            name="closed_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="flag", name="closed_at", field=models.DateTimeField(blank=True, null=True)
        ),
    ]
