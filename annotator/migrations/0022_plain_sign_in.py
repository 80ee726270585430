"""Remove what the refreshing of sign-ins at a provider stored.

Accounts that their provider had closed get an unusable password, so that they stay closed until
their owner signs in at the provider again or a site admin sets a password.
"""

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import migrations


def shut_closed_accounts(apps, schema_editor):
    users = apps.get_model("annotator", "User").objects.using(schema_editor.connection.alias)
    closed = users.filter(identities__ended_at__isnull=False)
    for pk in closed.exclude(username=settings.EMERGENCY_ACCOUNT or "").values_list("pk", flat=True):
        users.filter(pk=pk).update(password=make_password(None))


class Migration(migrations.Migration):
    dependencies = [("annotator", "0021_drop_chosen_order")]

    operations = [
        migrations.RunPython(shut_closed_accounts, migrations.RunPython.noop, elidable=True),
        migrations.RemoveField("browsersession", "ends_by"),
        migrations.RemoveField("identity", "ended_at"),
        migrations.RemoveField("identity", "linked_at"),
        migrations.RemoveField("identity", "refresh_at"),
        migrations.RemoveField("identity", "refresh_token"),
        # Events that were not queued because 500 waited; there is no such limit any more.
        migrations.RemoveField("webhook", "dropped"),
    ]
