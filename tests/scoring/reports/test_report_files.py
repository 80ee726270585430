"""Files of a report: the same bytes for the same report, complete, and safe to open."""

import json
import re

import pytest

from scoring.reports.downloads import html_file, report_file
from tests.scoring.conftest import signed_in
from tests.scoring.report_documents import old_document, report_document
from tests.scoring.report_rows import stored

pytestmark = [pytest.mark.django_db]


@pytest.mark.parametrize(
    ("wanted", "media_type", "end"),
    [
        ("html", "text/html", ".html"),
        ("csv", "text/csv", ".csv"),
        ("json", "application/json", ".json"),
        ("latex", "application/x-tex", ".tex"),
    ],
)
def test_a_download_is_a_file_with_the_headers_of_one(
    rita, of_campaign, wanted, media_type, end
) -> None:
    report = stored(of_campaign, report_document())
    answer = rita.get(f"/reports/{report.pk}/download/?format={wanted}")
    assert answer.status_code == 200
    assert answer["Content-Type"].partition(";")[0] == media_type
    name = re.fullmatch(r'attachment; filename="([\w.-]+)"', answer["Content-Disposition"])
    assert name and name[1].endswith(end)
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert answer.content == rita.get(f"/reports/{report.pk}/download/?format={wanted}").content


def test_readers_download_and_outsiders_do_not(cast, reader, of_campaign) -> None:
    report = stored(of_campaign, report_document())
    assert reader.get(f"/reports/{report.pk}/download/").status_code == 200
    assert signed_in(cast.mallory).get(f"/reports/{report.pk}/download/").status_code in {403, 404}


def test_what_is_not_finished_or_not_known_is_not_found(rita, of_campaign) -> None:
    waiting = stored(of_campaign, None)
    assert rita.get(f"/reports/{waiting.pk}/download/?format=csv").status_code == 404
    report = stored(of_campaign, report_document())
    assert rita.get(f"/reports/{report.pk}/download/?format=exe").status_code == 404


def test_the_html_file_needs_nothing_beside_it() -> None:
    text = html_file(report_document())
    for outside in ("<script", "<link", "src=", "http://", "https://", "hx-", "url(", "@import"):
        assert outside not in text, outside
    assert not re.findall(r"\son\w+=", text)
    # Links would lead nowhere from a disk.
    assert not re.findall(r'href="(?!#)', text)
    assert "@media print" in text and text.count("<style>") == 1
    assert not re.search(r"{[{%]", text)


def test_the_html_file_holds_the_whole_report() -> None:
    text = html_file(report_document())
    assert "rouge-l is better than every other scorer." in text
    # Of every scorer that was scored, not of one as on the page.
    assert "Scores of bleu-1 by settled rating" in text
    assert "Score differences of rouge-l by label" in text
    assert "criterion:overall_quality|data:cups@1|n:60|tie:0.0001" in text
    assert text.count("<svg") >= 3


def test_the_order_in_which_a_database_gives_keys_back_moves_no_byte() -> None:
    document = report_document()
    turned = json.loads(json.dumps(document, sort_keys=True))
    names = list(document["scorers"]), list(document["baselines"])
    turned["scorers"] = {name: turned["scorers"][name] for name in names[0]}
    turned["baselines"] = {name: turned["baselines"][name] for name in names[1]}
    for wanted in ("html", "csv", "json", "latex"):
        assert report_file(document, wanted) == report_file(turned, wanted), wanted


@pytest.mark.parametrize("wanted", ["html", "csv", "json", "latex"])
def test_an_old_report_can_be_saved_too(wanted) -> None:
    assert report_file(old_document(), wanted)


def test_markup_in_a_document_is_text_in_the_file() -> None:
    document = report_document()
    document["scorers"]["bleu-1"]["label"] = "<script>alert(1)</script>"
    text = html_file(document)
    assert "<script" not in text and "&lt;script&gt;" in text
