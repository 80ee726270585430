# Models that are registered already are sealed as they stand: from here on a change shows.

from django.db import migrations, models


def seal(apps, schema_editor):
    from scoring.model_directories.seals import seal_of

    rows = apps.get_model("scoring", "ModelVersion").objects.using(schema_editor.connection.alias)
    for model in rows.only(
        "pk", "run_id", "criterion", "directory", "manifest_sha256", "dataset_sha256", "code_version"
    ):
        rows.filter(pk=model.pk).update(seal=seal_of(model))


class Migration(migrations.Migration):

    dependencies = [
        ("scoring", "0005_reports"),
    ]

    operations = [
        migrations.AddField(
            model_name="modelversion",
            name="seal",
            field=models.CharField(default="", max_length=64),
        ),
        migrations.RunPython(seal, migrations.RunPython.noop),
    ]
