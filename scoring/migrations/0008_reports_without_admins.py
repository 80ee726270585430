"""Has a report say whether it counts ratings of admins of its campaign; those of before did."""

from django.db import migrations, models


def say_what_was_counted(apps, schema_editor):
    apps.get_model("scoring", "AgreementReport").objects.update(has_admins=True)


class Migration(migrations.Migration):
    dependencies = [("scoring", "0007_erasures")]

    operations = [
        migrations.AddField(
            "agreementreport", "has_admins", models.BooleanField(default=False)
        ),
        migrations.RunPython(say_what_was_counted, migrations.RunPython.noop),
    ]
