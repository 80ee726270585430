"""`manage.py create_token`: an API token, shown once."""

from typing import Any

from django.core.management.base import CommandParser

from annotator.accounts.sessions import LONGEST_TOKEN_DAYS, create_token
from annotator.management.base import WorkbenchCommand, find_campaign, find_user
from annotator.models import TokenScope


class Command(WorkbenchCommand):
    help = "Make an API token for a user; it is shown once and kept as a digest."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--scope", choices=TokenScope.values, default=TokenScope.WRITE)
        parser.add_argument("--campaign", metavar="SLUG", help="reach this campaign only")
        parser.add_argument("--days", type=int, default=LONGEST_TOKEN_DAYS)

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        user = find_user(options["username"])
        slug = options["campaign"]
        made = create_token(
            user=user,
            scope=options["scope"],
            days=options["days"],
            campaign=find_campaign(slug) if slug else None,
        )
        return {
            "user": user.username,
            "token": made.token,
            "expires_at": made.row.expires_at.isoformat(),
        }
