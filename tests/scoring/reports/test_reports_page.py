"""The pages of reports: what they say of a stored document, and to whom."""

import re

import pytest
from django.test import Client

from scoring.models import AgreementReport, DatasetVersion
from tests.scoring.report_documents import ABSENT, FLAT, old_document, report_document
from tests.scoring.report_rows import stored, words

pytestmark = [pytest.mark.django_db]


def page_of(client: Client, report: AgreementReport, query: str = "") -> str:
    answer = client.get(f"/reports/{report.pk}/{query}")
    assert answer.status_code == 200
    return answer.content.decode().replace("&#x27;", "'")


def test_the_verdict_comes_before_every_figure(rita: Client, of_campaign: DatasetVersion) -> None:
    page = page_of(rita, stored(of_campaign, report_document()))
    said = [
        "rouge-l is better than every other scorer.",
        "a difference below 0.21 would probably be missed.",
        "Human ceiling: an annotator agrees with the others at tau-b 0.550",
        "Not scored: BERTScore.",
        "In 20 of 60 items the reference itself is a candidate; people preferred it in 19.",
        "25 % of these labels follow from training labels",
        "<table",
    ]
    places = [page.index(sentence) for sentence in said]
    assert places == sorted(places)


def test_every_figure_stands_with_its_interval(rita: Client, of_campaign: DatasetVersion) -> None:
    page = words(page_of(rita, stored(of_campaign, report_document())))
    assert "0.310 0.11 … 0.51" in page
    assert "0.440 0.24 … 0.64" in page


def test_a_scorer_that_could_not_score_keeps_its_row_and_says_what_it_lacks(
    rita: Client, of_campaign: DatasetVersion
) -> None:
    page = page_of(rita, stored(of_campaign, report_document()))
    row = re.search(r"<tr[^>]*>\s*<th scope=\"row\">BERTScore.*?</tr>", page, re.DOTALL)
    assert row is not None and f"Not scored. {ABSENT}" in row[0]


def test_an_undefined_figure_says_why_as_text(rita: Client, of_campaign: DatasetVersion) -> None:
    page = words(page_of(rita, stored(of_campaign, report_document())))
    assert f"{FLAT} majority : tau-b." in page
    assert "nan" not in page.lower().split()


def test_best_is_marked_only_where_the_tests_say_so(
    rita: Client, of_campaign: DatasetVersion
) -> None:
    page = page_of(rita, stored(of_campaign, report_document()))
    assert page.count('class="badge"') == 1
    assert re.search(r'rouge-l <strong class="badge">best', page)
    undecided = report_document()
    undecided["comparisons"]["best"] = []
    page = page_of(rita, stored(of_campaign, undecided))
    assert 'class="badge"' not in page and "No row is marked best" in page


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("", ["bleu-1", "rouge-l", "BERTScore", "majority", "length"]),
        ("?sort=tau_b&order=desc", ["rouge-l", "bleu-1", "BERTScore", "length", "majority"]),
        ("?sort=tau_b&order=asc", ["bleu-1", "rouge-l", "BERTScore", "length", "majority"]),
        ("?sort=scorer&order=desc", ["rouge-l", "bleu-1", "BERTScore", "majority", "length"]),
        ("?sort=signature", ["bleu-1", "rouge-l", "BERTScore", "majority", "length"]),
    ],
)
def test_the_address_sorts_scorers_and_baselines_apart(
    rita: Client, of_campaign: DatasetVersion, query: str, order: list[str]
) -> None:
    page = page_of(rita, stored(of_campaign, report_document()), query)
    table = page.partition('id="figures"')[2].partition("</table>")[0]
    assert re.findall(r'<th scope="row">([\w-]+)', table) == order


def test_the_sorted_column_says_how(rita: Client, of_campaign: DatasetVersion) -> None:
    report = stored(of_campaign, report_document())
    assert "aria-sort" not in page_of(rita, report)
    page = page_of(rita, report, "?sort=spearman&order=desc")
    assert page.count("aria-sort") == 1
    heading = page.partition('aria-sort="descending"')[2].partition("</th>")[0]
    assert "Spearman" in heading and "sort=spearman&amp;order=asc" in heading


def test_plots_have_text_and_the_ceiling_is_a_band(
    rita: Client, of_campaign: DatasetVersion
) -> None:
    page = page_of(rita, stored(of_campaign, report_document()))
    labels = re.findall(r'<svg[^>]*role="img" aria-label="([^"]+)"', page)
    assert any("bleu-1 0.310, 0.11 to 0.51" in label for label in labels)
    assert any("human ceiling 0.550, 0.45 to 0.65" in label for label in labels)
    assert 'class="band"' in page
    unknown = report_document(
        human_ceiling={"value": None, "low": None, "high": None, "reason": "Ceiling unknown: one."}
    )
    page = page_of(rita, stored(of_campaign, unknown))
    assert 'class="band"' not in page and "Ceiling unknown: one." in page


def test_the_address_chooses_whose_scores_are_drawn(
    rita: Client, of_campaign: DatasetVersion
) -> None:
    report = stored(of_campaign, report_document())
    first = page_of(rita, report)
    assert "Scores of bleu-1 by settled rating" in first
    assert "Score differences of rouge-l by label" not in first
    other = page_of(rita, report, "?scorer=rouge-l")
    assert "Score differences of rouge-l by label" in other
    assert "Scores of bleu-1 by settled rating" in page_of(rita, report, "?scorer=nobody")


def test_groups_ceiling_calibration_and_dropped_items_are_shown(
    rita: Client, of_campaign: DatasetVersion
) -> None:
    page = words(page_of(rita, stored(of_campaign, report_document())))
    for said in (
        "Systems are hidden until the campaign closes.",
        "up to 300 words",
        "Annotator 1",
        "0.013 0.011 … 0.016, 5 folds",
        "2 items were dropped for every scorer.",
        "rouge-l: 2 without a score; 2: No words.",
        "a paper, table 4",
        "2 of 30 triads are violated",
        "rouge-l -0.130 -0.23 … -0.03 0.0100 0.0300 worse",
    ):
        assert said in page, said


def test_an_old_report_is_shown_as_far_as_it_goes(
    rita: Client, of_campaign: DatasetVersion
) -> None:
    page = words(page_of(rita, stored(of_campaign, old_document())))
    assert "calls none the best" in page
    assert "before this figure was added" in page
    assert "Which differences are real" not in page


def test_a_reader_reads_a_finished_report_and_is_offered_nothing_else(
    reader: Client, of_campaign: DatasetVersion
) -> None:
    report = stored(of_campaign, report_document())
    page = page_of(reader, report)
    assert "rouge-l is better" in page
    assert "/datasets/" not in page and "again=" not in page
    listed = reader.get("/reports/").content.decode()
    assert str(report.pk) in listed and "Compute report" not in listed
    assert reader.post("/reports/", {}).status_code == 422


def test_the_list_shows_the_verdict_and_is_narrowed_by_dataset(
    rita: Client, of_campaign: DatasetVersion
) -> None:
    report = stored(of_campaign, report_document())
    page = rita.get("/reports/").content.decode()
    assert "rouge-l is better than every other scorer." in page
    assert "bleu-1, rouge-l, bertscore" in page
    assert str(report.pk) in rita.get("/reports/?dataset=tiny").content.decode()
    other = rita.get("/reports/?dataset=another").content.decode()
    assert "<option selected>another</option>" in other
    assert str(report.pk) not in other and "No report on another." in other


def test_an_empty_list_says_what_to_do_first(rita: Client, reader: Client) -> None:
    assert "A report needs a dataset" in rita.get("/reports/").content.decode()
    assert "appear here when they are done" in reader.get("/reports/").content.decode()


def test_a_report_can_be_asked_for_again_with_what_it_asked(
    rita: Client, of_campaign: DatasetVersion
) -> None:
    report = stored(of_campaign, report_document())
    assert f"?again={report.pk}#ask" in page_of(rita, report)
    page = rita.get(f"/reports/?again={report.pk}").content.decode()
    assert re.search(r'value="rouge-l" checked', page)
    assert re.search(r'value="default"[^>]*checked', page)
    assert not re.search(r'value="meteor" checked', page)
    assert rita.get("/reports/?again=nonsense").status_code == 200


def test_a_waiting_report_polls_and_can_be_cancelled(
    rita: Client, of_campaign: DatasetVersion
) -> None:
    page = page_of(rita, stored(of_campaign, None))
    assert 'hx-trigger="every 2s"' in page and "Waiting for a worker." in page
    assert "Cancel report" in page and "Look again" in page
    assert "Save the report" not in page
