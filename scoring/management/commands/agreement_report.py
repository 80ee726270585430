"""`manage.py agreement_report`: scorers held against people, computed in this process."""

from typing import Any

from django.core.management.base import CommandParser

from annotator.jobs.rows import JobStatus
from annotator.management.house_command import HouseCommand
from annotator.refusals import Refused
from annotator.rubric import ALL_CRITERIA
from scoring.management.versions import version_or_refuse
from scoring.models import AgreementReport
from scoring.queries.datasets import SPLITS
from scoring.queries.report_page import FIGURES, caution, ordered_result
from scoring.services.report_work import carry_out_report
from scoring.services.reports import DEFAULT_TIE_THRESHOLD, request_report


class Command(HouseCommand):
    help = "Report how far scorers agree with people; --tie-threshold 1e-6 is the paper's mode."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dataset", metavar="NAME[@VERSION]")
        parser.add_argument("--criterion", choices=ALL_CRITERIA, required=True)
        parser.add_argument("--scorers", required=True, help="comma list, model:ID included")
        parser.add_argument("--split", choices=SPLITS, default="test")
        parser.add_argument("--tie-threshold", type=float, default=DEFAULT_TIE_THRESHOLD)

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        report = request_report(
            version=version_or_refuse(options["dataset"]),
            criterion=options["criterion"],
            scorers=[name.strip() for name in options["scorers"].split(",") if name.strip()],
            split=options["split"],
            tie_threshold=options["tie_threshold"],
        )
        self.say(f"report {report.pk} on {report.dataset_version}, split {report.split}")
        carry_out_report(report.pk, self.say)
        report = AgreementReport.objects.get(pk=report.pk)
        result = ordered_result(report)
        if report.status != JobStatus.SUCCEEDED or result is None:
            raise Refused(f"The report {report.status}: {report.message}")
        return {"report": str(report.pk), **result}

    def sentence(self, document: dict[str, Any]) -> str:
        head = ["scorer", *(name for _, name, _ in FIGURES), "tau-b without reference items"]
        table = [head]
        for kind in ("scorers", "baselines"):
            for name, entry in document[kind].items():
                figures = [entry[key] for key, _, _ in FIGURES]
                figures.append(entry["without_reference_items"]["tau_b"])
                table.append([name, *(_figure(figure) for figure in figures)])
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in table
        ]
        notes = [caution(document["checks"]["references"]), f"signature: {document['signature']}"]
        return "\n".join([*lines, "", *filter(None, notes)])


def _figure(figure: dict[str, Any]) -> str:
    if figure["value"] is None:
        return "undefined"
    if figure["low"] is None:
        return f"{figure['value']:.3f}"
    return f"{figure['value']:.3f} [{figure['low']:.2f}, {figure['high']:.2f}]"
