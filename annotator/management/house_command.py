"""What every command of ours does alike: refusals in one line, one JSON document, progress."""

import json
import sys
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotator.models import Campaign, User
from annotator.refusals import Refused


class HouseCommand(BaseCommand):
    """Exit 0 done, 1 refused with a reason on stderr, 2 wrong usage."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document to stdout")
        self.add_own_arguments(parser)

    def add_own_arguments(self, parser: CommandParser) -> None:
        """Declare what this command takes besides --json."""

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any] | None:
        """Do the work and return what --json prints; raise Refused with the reason."""
        raise NotImplementedError

    def sentence(self, document: dict[str, Any]) -> str:
        """Put the document into words for a reader without --json."""
        return "\n".join(f"{key}: {value}" for key, value in document.items())

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            document = self.carry_out(options)
        except Refused as refusal:
            self.stderr.write(refusal.sentence)
            sys.exit(1)
        if document is None:
            return
        if options["json"]:
            self.stdout.write(json.dumps(document, ensure_ascii=False))
        else:
            self.stdout.write(self.sentence(document))

    def say(self, text: str) -> None:
        """Report progress on stderr, over the same line on a terminal."""
        is_terminal = self.stderr.isatty()
        self.stderr.write(
            f"\r\x1b[K{text}" if is_terminal else text,
            ending="" if is_terminal else "\n",
        )


def aligned(table: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table as lines in which each column has its width."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def find_user(username: str) -> User:
    """Return the user or refuse in one line."""
    user = User.objects.filter(username=username).first()
    if user is None:
        raise Refused(f"There is no user {username!r}.")
    return user


def find_campaign(slug: str) -> Campaign:
    """Return the campaign or refuse in one line."""
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign is None:
        known = ", ".join(Campaign.objects.values_list("slug", flat=True)[:20]) or "none yet"
        raise Refused(f"There is no campaign {slug!r}. Campaigns: {known}.")
    return campaign
