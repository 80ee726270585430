"""`manage.py retrain`: freeze, train what is promoted again, report, request promotion."""

import sys
from typing import Any, Final

from django.core.management.base import CommandParser

from annotator.management.base import WorkbenchCommand, find_campaign, find_user
from scoring.retraining.services import STEPS, retrain

FIRST_STOPPED: Final = 3
"""The exit code where a freeze stopped; the next ones are those of the later steps."""


class Command(WorkbenchCommand):
    help = (
        "Train the promoted models of a campaign again on what was rated since, and request "
        "promotion where the new model is not worse. Exits with 0 where each promotion is "
        "requested, else with the number of the earliest step that stopped: 3 freeze, 4 training, "
        "5 report, 6 promotion."
    )
    stopped_at = 0

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN")
        parser.add_argument(
            "--user",
            help="the researcher in whose name it is done; by default the one who last requested "
            "the promotion of a promoted model",
        )

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        named = find_user(options["user"]) if options["user"] else None
        user, steps = retrain(find_campaign(options["campaign"]), named, self.log)
        stopped = [FIRST_STOPPED + STEPS.index(step.name) for step in steps if not step.is_done]
        self.stopped_at = min(stopped, default=0)
        return {
            "campaign": options["campaign"],
            "user": user.username,
            "outcome": "stopped" if stopped else "done",
            "steps": [
                {
                    "criterion": step.criterion,
                    "step": step.name,
                    "outcome": "done" if step.is_done else "stopped",
                    "reason": step.reason,
                    **step.made,
                }
                for step in steps
            ],
        }

    def sentence(self, document: dict[str, Any]) -> str:
        """Say what became of each criterion; all else is in --json."""
        last = {step["criterion"]: step for step in document["steps"]}
        return "\n".join(
            f"{criterion}: {step['step']} {step['outcome']}. {step['reason']}".strip()
            for criterion, step in last.items()
        )

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        if self.stopped_at:
            sys.exit(self.stopped_at)
