"""`manage.py freeze_dataset`: a campaign's ratings as an immutable dataset version."""

from typing import Any

from django.core.management.base import CommandParser

from annotator.management.base import WorkbenchCommand, find_campaign
from patclaimeval.rubric import ALL_CRITERIA
from scoring.datasets.freezing.services import freeze_dataset
from scoring.datasets.versions.queries import prepare_pages
from scoring.management.base import frozen_document, progress_bar
from scoring.quadruplets import GROUPED_BY, POLICIES


class Command(WorkbenchCommand):
    help = "Freeze the locked ratings of a campaign into quadruplets, split without shared texts."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("--name")
        parser.add_argument("--policy", choices=POLICIES, default="settled")
        parser.add_argument("--tie-band", type=float, default=0.0)
        parser.add_argument(
            "--criteria",
            nargs="+",
            choices=ALL_CRITERIA,
            default=ALL_CRITERIA,
            metavar="CRITERION",
            help="which criteria get labels: all five unless named",
        )
        parser.add_argument("--split-by", choices=GROUPED_BY, default="reference")
        parser.add_argument("--test-share", type=float, default=0.15)
        parser.add_argument("--validation-share", type=float, default=0.1)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--include-unlocked", action="store_true")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        names = ("name", "policy", "tie_band", "criteria", "split_by")
        shares = ("test_share", "validation_share", "seed", "include_unlocked")
        bar = progress_bar(self.log, "Freezing")
        frozen = freeze_dataset(
            campaign=find_campaign(options["campaign"]),
            progress=lambda share, stage: bar(share),
            **{name: options[name] for name in (*names, *shares)},
        )
        bar(1.0)
        prepare_pages(frozen.version)
        return frozen_document(frozen)
