"""The pages of reports: what they say of a stored document, and to whom."""

import re

import pytest
from django.test import Client

from core.jobs.rows import JobStatus
from scoring.models import AgreementReport
from scoring.reports.queries import finished_reports, listed_reports, reported_datasets
from tests.plot_files import saved_plots
from tests.scoring.asked_reports import carried_out, request
from tests.scoring.conftest import shown
from tests.scoring.report_documents import ABSENT, FLAT, released_document, report_document
from tests.scoring.report_rows import stored, words

pytestmark = [pytest.mark.django_db]


def page_of(client: Client, report: AgreementReport, query: str = "") -> str:
    return shown(client, f"/reports/{report.pk}/{query}").replace("&#x27;", "'")


def test_the_verdict_comes_before_every_figure(rita, report) -> None:
    page = page_of(rita, report)
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


def test_every_figure_stands_with_its_interval_and_else_with_its_reason(rita, report) -> None:
    page = page_of(rita, report)
    row = re.search(r"<tr[^>]*>\s*<th scope=\"row\">BERTScore.*?</tr>", page, re.DOTALL)
    assert row is not None and f"Not scored. {ABSENT}" in row[0]
    page = words(page)
    for said in (
        "0.310 0.11 … 0.51",
        "0.440 0.24 … 0.64",
        f"{FLAT} majority : tau-b.",
        "Systems are hidden until the campaign closes.",
        "up to 300 words",
        "Annotator 1",
        "0.013 0.011 … 0.016, 5 folds",
        "2 items were dropped for every scorer.",
        "rouge-l: 2 without a score; 2: No words.",
        "a paper, table 4",
        "2 of 30 triads are violated",
        "Planned tests: bleu-1 against each other scorer",
        "rouge-l -0.130 -0.23 … -0.03 0.0100 0.0300 worse",
        "Exploratory: all other pairs, not adjusted for the number of tests",
        "length 0.190 0.09 … 0.29 0.0100 cannot tell",
    ):
        assert said in page, said
    assert "nan" not in page.lower().split()


def test_best_is_marked_only_where_the_tests_say_so(rita, of_campaign, report) -> None:
    page = page_of(rita, report)
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
def test_the_address_sorts_scorers_and_baselines_apart(rita, report, query, order) -> None:
    page = page_of(rita, report, query)
    table = page.partition('id="figures"')[2].partition("</table>")[0]
    assert re.findall(r'<th scope="row">([\w-]+)', table) == order


def test_the_sorted_column_says_how(rita, report) -> None:
    assert "aria-sort" not in page_of(rita, report)
    page = page_of(rita, report, "?sort=spearman&order=desc")
    assert page.count("aria-sort") == 1
    heading = page.partition('aria-sort="descending"')[2].partition("</th>")[0]
    assert "Spearman" in heading and "sort=spearman&amp;order=asc" in heading


def test_plots_have_words_and_the_ceiling_is_a_band(rita, of_campaign, report) -> None:
    page = page_of(rita, report)
    labels = re.findall(r'<svg[^>]*role="img" aria-label="([^"]+)"', page)
    assert any("bleu-1 0.310, 0.11 to 0.51" in label for label in labels)
    assert any("human ceiling 0.550, 0.45 to 0.65" in label for label in labels)
    assert 'class="band"' in page
    ceiling = {"value": None, "low": None, "high": None, "reason": "Ceiling unknown: one."}
    page = page_of(rita, stored(of_campaign, report_document(human_ceiling=ceiling)))
    assert 'class="band"' not in page and "Ceiling unknown: one." in page


def test_plots_are_saved_as_files_for_the_scorer_that_is_shown(rita, report) -> None:
    address = f"/reports/{report.pk}/"
    files = saved_plots(rita, address)
    assert "tau-b-of-each-scorer-with-people.svg" in files
    assert "bleu-1-scores-by-rating.svg" in files
    assert "rouge-l-differences-by-label.svg" in saved_plots(rita, f"{address}?scorer=rouge-l")
    saved = rita.get(f"{address}download/?format=html").content.decode()
    assert "<svg" in saved and "plot=" not in saved


def test_the_address_chooses_whose_scores_are_drawn(rita, report) -> None:
    first = page_of(rita, report)
    assert "Scores of bleu-1 by settled rating" in first
    assert "Score differences of rouge-l by label" not in first
    other = page_of(rita, report, "?scorer=rouge-l")
    assert "Score differences of rouge-l by label" in other
    assert "Scores of bleu-1 by settled rating" in page_of(rita, report, "?scorer=nobody")


def test_a_report_of_the_first_release_is_shown_with_its_tests(rita, of_campaign) -> None:
    page = words(page_of(rita, stored(of_campaign, released_document())))
    assert "Scorers among themselves" in page and "Scorers against baselines" in page
    assert "Each table is adjusted after Holm" in page and "too few candidates were rated" in page


def test_a_reader_reads_a_finished_report_and_is_offered_nothing_else(reader, report) -> None:
    page = page_of(reader, report)
    assert "rouge-l is better" in page
    assert "/datasets/" not in page and "again=" not in page
    listed = shown(reader, "/reports/")
    assert str(report.pk) in listed and "Calculate the report" not in listed
    assert reader.post("/reports/", {}).status_code == 422


def test_the_list_tells_the_verdict_and_is_narrowed_by_dataset(rita, report) -> None:
    page = shown(rita, "/reports/")
    assert "rouge-l is better than every other scorer." in page
    assert "bleu-1, rouge-l, bertscore" in page
    assert str(report.pk) in shown(rita, "/reports/?dataset=tiny")
    other = shown(rita, "/reports/?dataset=another")
    assert "<option selected>another</option>" in other
    assert str(report.pk) not in other and "No report on another." in other


@pytest.mark.postgres
def test_a_line_tells_the_verdict_or_how_far_the_report_is(cast, of_campaign, report) -> None:
    stored(of_campaign, report_document())
    row = stored(of_campaign, None)
    row.scorers = ["model:12345678-aaaa", *(f"m{n}" for n in range(7))]
    row.save()
    told = {line.verdict: line.scorers for line in listed_reports(cast.rita)}
    assert set(told) == {"rouge-l is better than every other scorer.", "Waiting for a worker."}
    # Many scorers are cut, and models go by the first digits of their ids.
    cut = "model:12345678, m0, m1, m2, m3, m4 and 2 more"
    assert told["Waiting for a worker."] == cut
    assert len(finished_reports(cast.rita)) == 2


@pytest.mark.postgres
def test_reports_of_others_are_neither_in_the_list_nor_in_the_filter(cast, report) -> None:
    assert reported_datasets(cast.rita) == ["cups.tiny"]
    assert (reported_datasets(cast.mallory), listed_reports(cast.mallory)) == ([], ())


def test_an_empty_list_says_what_to_do_first(rita, reader) -> None:
    assert "A report needs a dataset" in shown(rita, "/reports/")
    assert "appear here when they are done" in shown(reader, "/reports/")


def test_a_report_can_be_asked_for_again_with_what_it_asked(rita, report) -> None:
    assert f"?again={report.pk}#ask" in page_of(rita, report)
    page = shown(rita, f"/reports/?again={report.pk}")
    assert re.search(r'value="rouge-l" checked', page)
    assert re.search(r'value="default"[^>]*checked', page)
    assert not re.search(r'value="meteor" checked', page)
    shown(rita, "/reports/?again=nonsense")


def test_a_waiting_report_polls_and_is_cancelled_once(rita, of_campaign) -> None:
    report = stored(of_campaign, None)
    page = page_of(rita, report)
    assert 'hx-trigger="every 2s"' in page and "Waiting for a worker." in page
    assert "Cancel report" in page and "Refresh" in page
    assert "Save the report" not in page
    asked = rita.post(f"/reports/{report.pk}/cancel/").content.decode()
    assert "<strong>0 %</strong> of the report is done" in asked and "Let it go on" in asked
    report.refresh_from_db()
    assert report.status == JobStatus.QUEUED
    for sentence in ("will stop within seconds", "has ended already"):
        answer = rita.post(f"/reports/{report.pk}/cancel/", {"confirmed": "1"}, follow=True)
        assert sentence in answer.content.decode()
    report.refresh_from_db()
    assert report.status == JobStatus.CANCELLED


@pytest.mark.postgres
def test_a_computed_report_shows_its_scorers_in_the_order_that_was_asked_for(
    rita, of_campaign
) -> None:
    names = ["rouge-1", "meteor", "bleu-1"]
    report = carried_out(request(of_campaign, *names))
    told = rita.get(f"/api/v1/reports/{report.pk}/").json()
    assert list(told["scorers"]) == names
    assert next(iter(told["baselines"])) == "majority"
    page = page_of(rita, report)
    scorers = ("ROUGE-1", "METEOR", "BLEU-1")
    baselines = ("Most frequent label", "Is it the reference?", "Number of words")
    heads = [f'<th scope="row">{label}' for label in (*scorers, *baselines)]
    places = [page.index(head) for head in heads]
    assert places[:3] == sorted(places[:3])
    assert "Only 6 references" in page
    assert told["signature"] in page
