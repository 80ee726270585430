"""Seals the secrets of second factors, so that whoever reads the database makes no codes of them."""

from django.db import migrations, models

from annotator.sign_in.kept_secrets import seal, unseal


def seal_all(apps, schema_editor):
    rows = apps.get_model("annotator", "SecondFactor").objects
    for pk, secret in rows.values_list("pk", "secret"):
        rows.filter(pk=pk).update(secret=seal(secret, owner=str(pk)))


def unseal_all(apps, schema_editor):
    rows = apps.get_model("annotator", "SecondFactor").objects
    for pk, sealed in rows.values_list("pk", "secret"):
        rows.filter(pk=pk).update(secret=unseal(sealed, owner=str(pk)))


class Migration(migrations.Migration):
    dependencies = [("annotator", "0022_invitations")]

    operations = [
        migrations.AlterField("secondfactor", "secret", models.CharField(max_length=255)),
        migrations.RunPython(seal_all, unseal_all),
    ]
