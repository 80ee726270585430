"""`manage.py freeze_dataset`: a campaign's ratings as an immutable dataset version."""

from typing import Any

from django.core.management.base import CommandParser

from annotator.management.house_command import HouseCommand, find_campaign
from scoring.management.versions import frozen_document
from scoring.quadruplets import POLICIES
from scoring.services.datasets import freeze_dataset


class Command(HouseCommand):
    help = "Freeze the locked ratings of a campaign into quadruplets, split by reference."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("--name")
        parser.add_argument("--policy", choices=POLICIES, default="settled")
        parser.add_argument("--tie-band", type=float, default=0.0)
        parser.add_argument("--split-by", choices=["reference"], default="reference")
        parser.add_argument("--test-share", type=float, default=0.15)
        parser.add_argument("--validation-share", type=float, default=0.1)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--include-unlocked", action="store_true")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        names = ("name", "policy", "tie_band", "test_share", "validation_share", "seed")
        frozen = freeze_dataset(
            campaign=find_campaign(options["campaign"]),
            include_unlocked=options["include_unlocked"],
            **{name: options[name] for name in names},
        )
        return frozen_document(frozen)
