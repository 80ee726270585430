"""Claim charts as a page, and as files that are on record.

Whoever shows them has asked before whether the reader may see the claims.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from django import forms
from django.db import transaction
from django.db.models import Model
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from annotator import audit_log
from annotator.access.gate import SignedInRequest
from annotator.claim_chart import ChartView
from annotator.export_headers import CONFIDENTIAL, note_export, refuse_download
from annotator.formats.chart_csv import MEDIA_TYPE as CSV
from annotator.formats.chart_csv import ChartRecord, chart_records
from annotator.formats.chart_csv import write as write_csv
from annotator.joint_chart import JointClaim
from annotator.models import Campaign
from core.errors import Forbidden
from core.forms import RefusableForm
from core.http import export_download
from patclaimeval.claims.reading import SideView
from patclaimeval.documents.word_writer import MEDIA_TYPE as WORD
from patclaimeval.documents.word_writer import WordFile, WordTable, write_docx

NO_FILES: Final = "You may read this claim chart, but not download it."
NAME: Final = "claim-chart"
_COLUMNS: Final = ("Claim", "Text", "Verdict")
_WIDTHS: Final = (1300, 4200, 3500)


@dataclass(frozen=True, slots=True)
class ChartPage:
    """What a page of charts shows, and of what a download is on record.

    `title` is what the reader knows the reference by, and `back` the page with the claims. Charts
    of several candidates may be joined in one table, `joint`, instead of being shown each.
    """

    title: str
    language: str
    charts: Sequence[ChartView]
    back: str
    subject: Model
    campaign: Campaign | None
    may_download: bool
    joint: tuple[JointClaim, ...] | None = None

    @property
    def is_of_several(self) -> bool:
        return len(self.charts) > 1

    @property
    def reference(self) -> SideView | None:
        """The reference as one of the charts read it; the text is the same in all."""
        return next((chart.reference for chart in self.charts if chart.reference), None)


class FileForm(RefusableForm):
    """In which format a chart is taken."""

    format = forms.ChoiceField(choices=[("csv", "CSV"), ("docx", "Word")])


def answer_chart(request: SignedInRequest, page: ChartPage) -> HttpResponseBase:
    """Show the charts; for a POST give them as a file, or say on a page why not."""
    if request.method != "POST":
        # The panel of a page with the claims asks for the charts alone.
        name = "_panel" if request.headers.get("HX-Request") == "true" else "chart"
        answer = render(request, f"annotator/claim_charts/{name}.html", {"page": page})
        patch_vary_headers(answer, ["HX-Request"])
        return answer
    form = FileForm(request.POST)
    if form.is_valid():
        with form.refusals():
            return _file(request, page, form.cleaned_data["format"])
    return refuse_download(request, form, page.back)


@transaction.atomic
def _file(request: SignedInRequest, page: ChartPage, file_format: str) -> HttpResponseBase:
    """Give the charts as a file; raises Forbidden where the reader may not take them."""
    if not page.may_download:
        raise Forbidden(NO_FILES)
    by = request.user
    audit_log.record_on(page.subject, "chart.taken", by, page.campaign, format=file_format)
    if file_format == "csv":
        pieces, media_type = list(write_csv(page.charts)), CSV
    else:
        pieces, media_type = [write_docx(_word_file(page))], WORD
    answer = export_download(pieces, f"{NAME}.{file_format}", media_type)
    note_export(answer, by=by, records=len(page.charts))
    return answer


def _word_file(page: ChartPage) -> WordFile:
    records = (line for chart in page.charts for line in chart_records(chart))
    groups = groupby(records, lambda line: (line.candidate, line.part))
    tables = [
        WordTable(f"{name}: {part}", _COLUMNS, [_cells(line) for line in lines], _WIDTHS)
        for (name, part), lines in groups
    ]
    notices = dict.fromkeys(notice for chart in page.charts for notice in chart.notices)
    lines = [f"Reference {page.title}", *notices]
    return WordFile("Claim chart", lines, CONFIDENTIAL, tables=tables)


def _cells(line: ChartRecord) -> tuple[str, str, str]:
    verdict = f"{line.verdict}: {line.reason}" if line.reason else line.verdict
    return line.claim, line.text, verdict
