"""`manage.py changepassword`: for who has lost their password; in the place of Django's own.

Django's would change the password and leave tokens as they are. This one is found first because our
app stands before Django's in INSTALLED_APPS.
"""

from typing import Any

from django.core.management.base import CommandParser

from annotator.accounts.services import replace_password
from annotator.management.base import WorkbenchCommand, asked_password, find_user


class Command(WorkbenchCommand):
    help = "Give a user a new password, which ends their sessions and tokens."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        user = find_user(options["username"])
        ended = replace_password(user=user, new=asked_password(), by=None)
        return {
            "user": user.username,
            "changed": True,
            "sessions_ended": ended.sessions,
            "tokens_revoked": ended.tokens,
        }
