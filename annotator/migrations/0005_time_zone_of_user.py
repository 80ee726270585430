from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotator', '0004_reading_changes'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='time_zone',
            field=models.CharField(default='UTC', max_length=64),
        ),
    ]
