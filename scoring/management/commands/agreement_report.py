"""`manage.py agreement_report`: scorers held against people, computed in this process."""

import time
from typing import Any, Final

from django.core.management.base import CommandParser

from annotator.management.base import WorkbenchCommand
from core.errors import Refused
from core.jobs.rows import JobStatus
from patclaimeval.agreement.items import DEFAULT_RESAMPLES, DEFAULT_TIE_THRESHOLD
from patclaimeval.rubric import ALL_CRITERIA
from scoring.access.scopes import SPLITS
from scoring.management.base import report_text, version_or_refuse
from scoring.models import AgreementReport
from scoring.reports.queries import ordered_result
from scoring.reports.scorers import sending_cost
from scoring.reports.services import ask_for_report
from scoring.reports.work import carry_out_report

LOOK_AGAIN_SECONDS: Final = 0.5


class Command(WorkbenchCommand):
    help = "Report how far scorers agree with people; --tie-threshold 1e-6 is the paper's mode."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dataset", metavar="NAME[@VERSION]")
        parser.add_argument("--criterion", choices=ALL_CRITERIA, required=True)
        parser.add_argument("--scorers", required=True, help="comma list, model:ID included")
        parser.add_argument("--split", choices=SPLITS, default="test")
        parser.add_argument("--tie-threshold", type=float, default=DEFAULT_TIE_THRESHOLD)
        parser.add_argument("--resamples", type=int, default=DEFAULT_RESAMPLES)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument(
            "--count-admins",
            action="store_true",
            help="count items that rest on ratings of an admin of the campaign",
        )

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        version = version_or_refuse(options["dataset"])
        criterion, split = options["criterion"], options["split"]
        scorers = [name.strip() for name in options["scorers"].split(",") if name.strip()]
        report = ask_for_report(
            version=version,
            criterion=criterion,
            scorers=scorers,
            split=split,
            tie_threshold=options["tie_threshold"],
            resamples=options["resamples"],
            seed=options["seed"],
            admins_counted=options["count_admins"],
        ).report
        # A line of its own, which no later one overwrites on a terminal.
        if cost := sending_cost(version, criterion, split, scorers):
            self.stderr.write(cost)
        self.log(f"report {report.pk} on {report.dataset_version}, split {report.split}")
        report = self._finished(report)
        result = ordered_result(report)
        if report.status != JobStatus.SUCCEEDED or result is None:
            raise Refused(f"The report {report.status}: {report.message}")
        return {"report": str(report.pk), **result}

    def sentence(self, document: dict[str, Any]) -> str:
        return report_text(document)

    def _finished(self, report: AgreementReport) -> AgreementReport:
        """Carry the report out here; wait for it where a worker has it already."""
        while True:
            carry_out_report(report.pk, self.log)
            report.refresh_from_db()
            if report.is_final:
                return report
            if report.is_retried:
                self.log(report.message)
            else:
                self.log(f"a worker computes it already: {report.message}")
            time.sleep(LOOK_AGAIN_SECONDS)
