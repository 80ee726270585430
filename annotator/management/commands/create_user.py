"""`manage.py create_user`: an account, and a role in a campaign."""

from typing import Any

from django.core.management.base import CommandParser

from annotator.accounts.services import create_user
from annotator.campaigns.members.services import grant_role
from annotator.management.base import WorkbenchCommand, asked_password, find_campaign
from annotator.models import Role, User
from core.errors import Refused


class Command(WorkbenchCommand):
    help = "Create a user, or give an existing one another role."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--role", choices=Role.values)
        parser.add_argument("--campaign", metavar="SLUG")
        parser.add_argument("--site-admin", action="store_true")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        if bool(options["role"]) != bool(options["campaign"]):
            raise Refused("--role and --campaign go together: a role is given in a campaign.")
        campaign = find_campaign(options["campaign"]) if options["campaign"] else None
        user = User.objects.filter(username=options["username"]).first()
        is_new = user is None
        if user is None:
            user = create_user(
                username=options["username"],
                password=asked_password(),
                is_site_admin=options["site_admin"],
            )
        elif options["site_admin"] and not user.is_superuser:
            raise Refused(
                f"There is an account {user.username} already; only a new one can be a site admin."
            )
        if campaign:
            grant_role(user=user, campaign=campaign, role=options["role"])
        return {"user": user.username, "created": is_new, "role": options["role"]}
