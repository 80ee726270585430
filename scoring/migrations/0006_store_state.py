from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('scoring', '0005_choose_orders'),
    ]

    operations = [
        migrations.AddField(
            model_name='trainingrun',
            name='state_sha256',
            field=models.CharField(blank=True, db_default='', default='', max_length=64),
        ),
    ]
