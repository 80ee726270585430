"""Every candidate has a campaign from here on."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotator", "0003_fill_places")]
    operations = [
        migrations.AlterField(
            model_name="candidate",
            name="campaign",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="candidates",
                to="annotator.campaign",
            ),
        ),
    ]
