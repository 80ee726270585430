"""Files of a report: the same bytes for the same report, complete, and safe to open."""

import json
import re

import pytest

from scoring.reports.downloads import html_file, report_file
from scoring.reports.files import TYPES, canonical_json, file_name
from tests.scoring.conftest import shown
from tests.scoring.report_documents import released_document, report_document
from tests.scoring.report_rows import stored

pytestmark = [pytest.mark.django_db]


@pytest.mark.parametrize(
    ("wanted", "media_type", "end"),
    [
        ("html", "text/html", "html"),
        ("csv", "text/csv", "csv"),
        ("json", "application/json", "json"),
        ("latex", "application/x-tex", "tex"),
    ],
)
def test_a_download_is_a_file_with_the_headers_of_one(
    reader, report, wanted, media_type, end
) -> None:
    answer = reader.get(f"/reports/{report.pk}/download/?format={wanted}")
    assert answer.status_code == 200
    assert answer["Content-Type"].partition(";")[0] == media_type
    name = f"agreement-cups-1-overall-quality-test.{end}"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert answer.content == reader.get(f"/reports/{report.pk}/download/?format={wanted}").content


@pytest.mark.parametrize("wanted", TYPES)
def test_a_name_is_safe_whatever_the_dataset_is_called(wanted) -> None:
    document = report_document()
    document["question"]["dataset"] = '../../x"; rm\r\n@1' + "y" * 500
    name = file_name(document, wanted)
    assert re.fullmatch("[a-zA-Z0-9-.]{1,149}", name)
    assert not name.startswith((".", "-")) and ".." not in name


def test_what_is_not_finished_or_not_known_is_not_found(rita, of_campaign, report) -> None:
    for row, wanted in ((stored(of_campaign, None), "csv"), (report, "exe")):
        shown(rita, f"/reports/{row.pk}/download/", 404, format=wanted)


def test_the_html_file_needs_nothing_beside_it() -> None:
    text = html_file(report_document())
    for outside in ("<script", "<link", "src=", "http://", "https://", "hx-", "url(", "@import"):
        assert outside not in text, outside
    assert not re.findall(r"\son\w+=", text)
    # Links would lead nowhere from a disk.
    assert not re.findall(r'href="(?!#)', text)
    assert "@media print" in text and text.count("<style>") == 1
    assert not re.search(r"{[{%]", text)


def test_the_html_file_holds_the_whole_report_and_its_markup_as_text() -> None:
    document = report_document()
    document["scorers"]["rouge-l"]["label"] = "<script>alert(1)</script>"
    text = html_file(document)
    assert "rouge-l is better than every other scorer." in text
    # Of every scorer that was scored, not of one as on the page.
    assert "Scores of bleu-1 by settled rating" in text
    assert "Score differences of &lt;script&gt;alert(1)&lt;/script&gt; by label" in text
    assert "<script" not in text
    assert "criterion:overall_quality|data:cups@1|n:60|tie:0.0001" in text
    assert text.count("<svg") >= 3


@pytest.mark.parametrize("wanted", TYPES)
def test_the_order_in_which_a_database_gives_keys_back_moves_no_byte(wanted) -> None:
    document = report_document()
    turned = json.loads(json.dumps(document, sort_keys=True))
    for part in ("scorers", "baselines"):
        turned[part] = {name: turned[part][name] for name in document[part]}
    assert report_file(document, wanted) == report_file(turned, wanted)
    assert report_file(released_document(), wanted)


def test_canonical_json_is_the_document_and_refuses_what_json_does_not_know() -> None:
    assert json.loads(canonical_json(report_document())) == report_document()
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(report_document(power={"smallest_difference": float("nan")}))
