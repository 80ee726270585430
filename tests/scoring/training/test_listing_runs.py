"""The list of runs: searched, filtered, sorted, by page and by call."""

import re

import pytest

from core.jobs.rows import JobStatus
from scoring.models import TrainingRun
from scoring.training.runs import views
from scoring.training.runs.queries import WantedRuns, listed_runs, used_tags
from scoring.training.runs.services import describe_run, request_training
from tests.scoring.conftest import imported, labelled_alike, shown, signed_in

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
CALL = "/api/v1/training-runs/"


@pytest.fixture(autouse=True)
def runs(cast, data_directory, rows) -> dict[str, TrainingRun]:
    """Four runs on two datasets: two have ended, two have tags, one has a note."""
    first = imported("first", labelled_alike(rows()), campaign=cast.campaign)
    second = imported("second", labelled_alike(rows()), campaign=cast.campaign)
    made = {
        "old": request_training(version=first, criterion="conceptual_clarity", options={}),
        "best": request_training(version=first, criterion="logical_linkage", options={}),
        "worst": request_training(version=second, criterion="conceptual_clarity", options={}),
        "new": request_training(version=second, criterion="overall_quality", options={}),
    }
    for name, tau in (("best", 0.6), ("worst", -0.2)):
        TrainingRun.objects.filter(pk=made[name].pk).update(
            status=JobStatus.SUCCEEDED, validation_tau=tau
        )
    describe_run(run=made["best"], tags=["paper", "v2"], note="", described_by=cast.rita)
    describe_run(
        run=made["worst"], tags=["paper-draft"], note="Odd: 50 % of all", described_by=cast.rita
    )
    return made


def names(cast, runs, **wanted) -> list[str]:
    by_pk = {run.pk: name for name, run in runs.items()}
    return [by_pk[run.pk] for run in listed_runs(cast.rita, WantedRuns(**wanted))]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, ["new", "worst", "best", "old"]),
        ({"text": "first"}, ["best", "old"]),
        ({"text": "FIRST linkage"}, ["best"]),
        ({"text": "overall"}, ["new"]),
        ({"text": "paper"}, ["worst", "best"]),
        ({"text": "50 %"}, ["worst"]),
        ({"text": "%"}, ["worst"]),
        ({"text": "_"}, []),
        ({"text": "first nothing"}, []),
        ({"tag": "paper"}, ["best"]),
        ({"tag": "V2"}, ["best"]),
        ({"status": "succeeded"}, ["worst", "best"]),
        ({"criterion": "conceptual_clarity"}, ["worst", "old"]),
        ({"sort": "tau"}, ["best", "worst", "new", "old"]),
        ({"sort": "tau", "is_descending": False}, ["worst", "best", "new", "old"]),
        ({"sort": "started", "is_descending": False}, ["old", "best", "worst", "new"]),
        ({"sort": "criterion", "is_descending": False}, ["worst", "old", "best", "new"]),
    ],
)
def test_a_list_holds_what_it_was_asked_for_in_its_order(cast, runs, wanted, found) -> None:
    assert names(cast, runs, **wanted) == found


def test_a_list_is_of_one_version_and_of_ones_own_campaigns(cast, runs) -> None:
    version = runs["old"].dataset_version.full_name
    assert names(cast, runs, dataset=version) == ["best", "old"]
    assert not listed_runs(cast.mallory, WantedRuns()).exists()
    assert used_tags(cast.rita) == ["paper", "paper-draft", "v2"]
    assert used_tags(cast.mallory) == []


def test_a_page_lists_links_and_keeps_its_filter_in_every_link(rita, runs) -> None:
    page = shown(rita, "/runs/?q=paper&sort=tau")
    assert str(runs["best"].pk) in page and str(runs["new"].pk) not in page
    assert page.count("aria-sort") == 1
    heading = page.partition('aria-sort="descending"')[2].partition("</th>")[0]
    assert 'href="?q=paper&amp;sort=tau&amp;order=asc"' in heading
    assert 'href="/runs/?tag=paper-draft"' in page
    assert "No run is so." in shown(rita, "/runs/?q=nothing")
    assert "All runs" not in shown(rita, "/runs/")


def test_a_wrong_filter_is_named(rita) -> None:
    for query in ("status=odd", "dataset=other@1", "tag=none", "sort=odd", "q=" + "x" * 201):
        page = shown(rita, f"/runs/?{query}", 422)
        assert 'class="error"' in page and "Start a training run" in page


def test_a_long_list_has_pages(rita, runs, monkeypatch) -> None:
    monkeypatch.setattr(views, "A_PAGE", 3)
    page = shown(rita, "/runs/?sort=started&order=asc")
    assert "Page 1 of 2" in page
    further = re.search(r'href="([^"]+)" rel="next"', page)
    assert further is not None and "order=asc" in further[1]
    assert str(runs["new"].pk) in shown(rita, "/runs/" + further[1].replace("&amp;", "&"))


def test_a_call_lists_and_filters_alike(rita, runs, cast) -> None:
    found = rita.get(f"{CALL}?q=paper&sort=tau&order=desc").json()
    assert [run["id"] for run in found] == [str(runs[name].pk) for name in ("best", "worst")]
    assert found[0]["tags"] == ["paper", "v2"] and found[0]["settings"]["seed"] == 0
    assert rita.get(f"{CALL}?tag=none").status_code == 400
    assert rita.get(f"{CALL}?unknown=1").status_code == 400
    for order in ("password", "-requested_by__password", "?", "1;--"):
        assert rita.get(f"{CALL}?sort={order}").status_code == 400, order
    assert signed_in(cast.alice).get(CALL).status_code == 403
