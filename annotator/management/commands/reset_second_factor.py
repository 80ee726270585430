"""`manage.py reset_second_factor`: for who has lost phone and recovery codes."""

from typing import Any

from django.core.management.base import CommandParser

from annotator.accounts.second_factor import reset_factor
from annotator.management.base import WorkbenchCommand, find_user


class Command(WorkbenchCommand):
    help = "Take away a user's second factor and end their sessions and tokens."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        user = find_user(options["username"])
        ended = reset_factor(user=user, by=None)
        return {
            "user": user.username,
            "reset": True,
            "sessions_ended": ended.sessions,
            "tokens_revoked": ended.tokens,
        }
