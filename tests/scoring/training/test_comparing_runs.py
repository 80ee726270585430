"""Runs side by side: one chart of their curves, their figures, the settings that differ."""

import pytest

from scoring.models import TrainingRun
from scoring.training.runs.comparisons import MOST, compare_runs
from scoring.training.runs.services import describe_run, request_training
from tests.plot_files import saved_plots
from tests.scoring.conftest import imported, labelled_alike, shown, signed_in

pytestmark = [pytest.mark.django_db]


@pytest.fixture
def version(cast, data_directory, rows):
    return imported("five", labelled_alike(rows()), campaign=cast.campaign)


def trained(version, taus, criterion="conceptual_clarity", **options) -> TrainingRun:
    run = request_training(version=version, criterion=criterion, options=options)
    history = [
        {"epoch": n, "loss": 1 / n, "validation_tau": tau} for n, tau in enumerate(taus, start=1)
    ]
    TrainingRun.objects.filter(pk=run.pk).update(history=history, loss=0.25, tokens_per_second=9.0)
    run.refresh_from_db()
    return run


def test_runs_of_one_criterion_share_a_chart_and_differ_in_settings(version, cast) -> None:
    one, other = trained(version, [0.1, 0.4, 0.3]), trained(version, [0.2, 0.5], seed=7)
    describe_run(run=other, tags=["seventh"], note="", described_by=cast.rita)
    page = compare_runs([one, other])
    ((name, (tau, loss), members),) = page.groups
    assert (name, len(members)) == ("Conceptual clarity", 2)
    assert tau.title == "Validation tau-b by epoch, conceptual clarity"
    assert loss.title == "Loss by epoch, conceptual clarity"
    kinds = [line.kind for line in tau.lines if line.kind.startswith("series")]
    assert (kinds.count("series-1"), kinds.count("series-2")) == (3, 2)  # a line of the legend each
    assert [hit.title for hit in tau.hits][2].startswith("epoch 3\n1: five@1")
    assert "epoch 3" not in tau.hits[1].title and "2: five@1" in tau.hits[1].title
    legend = [words.text for words in tau.words if words.text.startswith(("1: ", "2: "))]
    assert legend[0].startswith("1: five@1, ") and legend[1].endswith(", seventh")
    assert page.settings == (("seed", ("0", "7")),)
    assert ("margin", "0.2") in page.same
    assert dict(page.figures)["Loss, last"] == ("0.2500", "0.2500")
    assert dict(page.figures)["Pace"] == ("9 words per second",) * 2


def test_a_run_of_one_epoch_is_a_mark_and_of_none_no_line(version) -> None:
    page = compare_runs(
        [
            trained(version, [0.1, 0.2]),
            trained(version, [0.3], seed=1),
            trained(version, [], seed=2),
        ]
    )
    tau, _ = page.plots
    assert [bar.kind for bar in tau.bars] == ["series-1", "series-2"]
    assert not any(line.kind == "series-3" for line in tau.lines)
    lone = compare_runs([trained(version, [0.3], seed=3), trained(version, [], seed=4)])
    assert lone.plots == []


def test_criteria_have_charts_of_their_own_and_a_run_one_colour(version) -> None:
    page = compare_runs(
        [trained(version, [0.1, 0.2]), trained(version, [0.1, 0.2], "logical_linkage")]
    )
    assert len(page.plots) == 4
    kinds = {plot.title: {bar.kind for bar in plot.bars} for plot in page.plots}
    assert kinds["Loss by epoch, conceptual clarity"] == {"series-1"}
    assert kinds["Loss by epoch, logical linkage"] == {"series-2"}


def test_a_researcher_compares_what_they_chose_in_the_list(version, rita, cast) -> None:
    runs = [trained(version, [0.1, 0.2], seed=n) for n in range(MOST + 1)]
    address = "/runs/compare/?" + "&".join(f"run={run.pk}" for run in runs[:2])
    page = shown(rita, address)
    assert "Settings that differ" in page and 'class="series-2"' in page
    assert {
        "validation-tau-b-by-epoch-conceptual-clarity.svg",
        "loss-by-epoch-conceptual-clarity.svg",
    } == saved_plots(rita, address).keys()
    list_page = shown(rita, "/runs/")
    assert f'name="run" value="{runs[0].pk}" form="compare-runs"' in list_page
    for wrong in ("", f"?run={runs[0].pk}", f"?run={runs[0].pk}&run={runs[0].pk}"):
        assert "Choose 2 to 6 runs" in shown(rita, f"/runs/compare/{wrong}", 422)
    every = "&".join(f"run={run.pk}" for run in runs)
    assert f"{MOST + 1} are chosen" in shown(rita, f"/runs/compare/?{every}", 422)
    for unknown in ("odd", "00000000-0000-4000-8000-000000000000"):
        assert rita.get(f"/runs/compare/?run={runs[0].pk}&run={unknown}").status_code == 404
    assert signed_in(cast.mallory).get(address).status_code in (403, 404)
