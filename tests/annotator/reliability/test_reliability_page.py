import json
import re
from typing import Any

import numpy as np
import pytest
from django.test import Client

from annotator.campaigns.services import close_campaign, reopen_campaign
from annotator.models import AuditEvent, Candidate, Membership, ReliabilityReport, Role, Unblinding
from annotator.reliability.people import drift_report, repeats_report
from annotator.reliability.rules import (
    STANDARD_ERRORS,
    annotators_needed,
    criterion_report,
    histogram,
    preference_report,
)
from annotator.reliability.services import carry_out_reliability
from annotator.reliability.severity import (
    LEAST_CHANGE,
    MOST_ITEMS,
    NORMAL,
    severities,
    severity_report,
)
from core.jobs.rows import JobStatus
from patclaimeval.statistics.coefficients import intraclass_correlations, krippendorff_alpha
from patclaimeval.statistics.tables import Repeat, Table
from tests.annotator.rating_rows import random_ratings, rate
from tests.conftest import grant, make_user, signed_in
from tests.patclaimeval.statistics.conftest import GAP, make_table, random_table
from tests.plot_files import saved_plots

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/cups/reliability/"
NAMES = f"{PAGE}names/"


@pytest.fixture
def people(cast) -> list[Any]:
    return [cast.alice, cast.bob, grant(make_user("dave"), cast.campaign, "annotator")]


def asked(client: Client, user: Any) -> Client:
    client.force_login(user)
    answer = client.post(PAGE)
    assert (answer.status_code, answer["Location"]) == (303, PAGE)
    for row in ReliabilityReport.objects.filter(status=JobStatus.QUEUED):
        carry_out_reliability(row.pk)
    return client


def text_of(answer: Any) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def test_a_view_asks_for_nothing_and_a_post_for_one_report(cast, client: Client, enqueued) -> None:
    client.force_login(cast.ada)
    assert "have not been calculated yet" in text_of(client.get(PAGE))
    assert not ReliabilityReport.objects.exists()
    client.post(PAGE)
    assert len(enqueued) == 1
    page = text_of(client.get(PAGE))
    assert 'hx-get="/campaigns/cups/reliability/progress/"' in page
    assert "Waiting for a worker." in page and "Calculate" not in page
    part = text_of(client.get(f"{PAGE}progress/"))
    assert part.startswith('<section id="reliability-body"') and "<html" not in part
    assert "of the report is done" in text_of(client.post(f"{PAGE}cancel/"))
    assert ReliabilityReport.objects.get().status == JobStatus.QUEUED
    assert client.post(f"{PAGE}cancel/", {"confirmed": "1"}).status_code == 303
    assert ReliabilityReport.objects.get().status == JobStatus.CANCELLED
    page = text_of(client.get(PAGE))
    assert "Cancelled" in page and "Calculate" in page
    assert "No report is under way." in text_of(client.post(f"{PAGE}cancel/", follow=True))


def test_the_page_shows_figures_with_intervals_reasons_and_numbers_for_names(cast, people, client):
    random_ratings(cast, people)
    page = text_of(asked(client, cast.ada).get(PAGE))
    report = ReliabilityReport.objects.get()
    alpha = report.result["criteria"][0]["figures"][0]
    assert f"{alpha['value']:.3f}" in page
    for heading in ("Agreement", "How many annotators", "Severity of annotators", "Scores given"):
        assert f">{heading}</h2>" in page
    assert "Nothing has changed since then." in page
    assert {f"Annotator {n}" in page for n in (1, 2, 3)} == {True}
    assert "Self-consistency" not in page  # nothing came back to anybody
    main = page.partition("<main")[2]
    for user in people:
        assert user.username not in main and str(user.pk) not in page


def test_the_page_opens_with_a_verdict_and_saves_its_plots(cast, people, client) -> None:
    random_ratings(cast, people)
    page = text_of(asked(client, cast.ada).get(PAGE))
    verdict, plots, figures = map(
        page.index, (">Verdict</h2>", ">Coefficients with", ">Agreement</h2>")
    )
    assert verdict < plots < figures
    files = saved_plots(client, PAGE)
    assert "agreement-on-overall-quality.svg" in files and len(files) == 5
    client.force_login(cast.alice)
    assert client.get(f"{PAGE}?plot=agreement-on-overall-quality").status_code == 403


def test_what_is_undefined_is_said_with_its_reason(cast, client: Client) -> None:
    for candidate in cast.reference("r1").candidates.all():
        rate(cast.alice, candidate, (5, 5, 5, 5))
    page = text_of(asked(client, cast.ada).get(PAGE))
    assert "No verdict on overall quality: there are ratings of one annotator only" in page
    assert "Undefined throughout: Krippendorff&#x27;s alpha, interval; " in page
    # Under the coefficients, and under how many annotators are needed.
    assert page.count("(There are ratings of one annotator only") == 2
    assert '<svg class="plot"' not in page
    assert "nan" not in page.lower().replace("unanim", "") or "NaN" not in page


def test_an_older_report_is_shown_with_its_age_and_what_came_since(cast, client: Client) -> None:
    one, two, _ = cast.reference("r1").candidates.all()
    rate(cast.alice, one, (5, 5, 5, 5))
    asked(client, cast.ada)
    rate(cast.bob, one, (5, 5, 5, 5))
    rate(cast.bob, two, (5, 5, 5, 5))
    page = text_of(client.get(PAGE))
    assert "Since then: 2 ratings." in page
    assert "Calculate anew" in page


@pytest.mark.parametrize("role", [Role.ADMIN, Role.RESEARCHER])
def test_who_rates_here_too_reads_nothing_before_the_campaign_is_closed(cast, client, role) -> None:
    grant(cast.alice, cast.campaign, role)
    client.force_login(cast.alice)
    for method, path in (("get", PAGE), ("post", PAGE), ("get", f"{PAGE}progress/")):
        answer = getattr(client, method)(path)
        assert answer.status_code == 403
        assert "open to you once the campaign is closed" in text_of(answer)
    # Nor who has rated and left.
    rate(cast.alice, cast.reference("r1").candidates.first(), (5, 5, 5, 5))
    Membership.objects.filter(user=cast.alice, role=Role.ANNOTATOR).delete()
    assert client.get(PAGE).status_code == 403
    close_campaign(campaign=cast.campaign, reason="Done.", closed_by=cast.ada)
    assert client.get(PAGE).status_code == 200


def test_researchers_read_nothing_of_each_of_two_and_numbers_of_three(cast, people, client):
    random_ratings(cast, people[:2])
    page = text_of(asked(client, cast.rita).get(PAGE))
    assert "With fewer than three annotators nothing is shown of each of them." in page
    assert not re.search(r"Annotator \d", page)
    assert "annotator:campaign_places" not in page and "/rulings/" not in page
    for candidate in Candidate.objects.all():
        rate(people[2], candidate, (5, 5, 5, 5))
    page = text_of(asked(client, cast.rita).get(PAGE))
    assert "Annotator 3" in page and "mean moves most" not in page


def test_names_are_shown_after_closing_with_a_reason_and_on_record(cast, people, client) -> None:
    random_ratings(cast, people)
    asked(client, cast.ada)
    open_answer = client.post(NAMES, {"reason": "I want to know."})
    assert open_answer.status_code == 409 and not Unblinding.objects.exists()
    close_campaign(campaign=cast.campaign, reason="Done.", closed_by=cast.ada)
    assert "Show names" in text_of(client.get(PAGE))
    assert client.post(NAMES, {"reason": " "}).status_code == 422
    assert not Unblinding.objects.exists()
    assert client.post(NAMES, {"reason": "To train Bob."}).status_code == 303
    page = text_of(client.get(PAGE))
    assert "dave" in page and "Annotator 1" not in page
    row = Unblinding.objects.get()
    assert (row.user, row.shown, row.reason) == (cast.ada, "names", "To train Bob.")
    assert AuditEvent.objects.filter(action="unblinding.shown", object_id=str(row.pk)).exists()
    listed = text_of(client.get("/campaigns/cups/unblindings/"))
    assert "To train Bob." in listed and "ada" in listed
    # Another admin has not asked, and after a reopening nobody has.
    grant(make_user("amy"), cast.campaign, "admin")
    other = signed_in(cast.campaign.memberships.get(user__username="amy").user)
    assert "Annotator 1" in text_of(other.get(PAGE))
    cast.campaign.refresh_from_db()
    reopen_campaign(campaign=cast.campaign, reason="More.", reopened_by=cast.ada)
    assert "Annotator 1" in text_of(client.get(PAGE))


UNIT = 11


@pytest.fixture
def scores() -> Table:
    return random_table(np.random.default_rng(2), 30, 3)


def in_units(table: Table) -> Table:
    """The same scores, each point given as eleven units."""
    return Table(table.values * UNIT, table.clusters, table.items, table.annotators)


def by_key(report: Any) -> dict[str, Any]:
    return {one["key"]: one for one in report["figures"]}


def test_eleven_units_a_point_change_no_figure_of_interval_scale(scores) -> None:
    one = by_key(criterion_report(scores, draws=20))
    other = by_key(criterion_report(in_units(scores), UNIT, draws=20))
    same = ("alpha_interval", "icc_single", "kappa_quadratic", "within_one", "mean_difference")
    for key in same:
        for end in ("value", "low", "high"):
            assert other[key][end] == pytest.approx(one[key][end], abs=1e-9), (key, end)


def test_figures_are_those_of_their_packages(scores) -> None:
    found = by_key(criterion_report(scores, draws=20))
    alpha = krippendorff_alpha(scores, "ordinal", 20)
    assert (found["alpha_ordinal"]["value"], found["alpha_ordinal"]["n"]) == (alpha.value, alpha.n)
    assert found["alpha_ordinal"]["interval"] == alpha.interval == "jackknife-t"


def test_the_plan_asks_for_points(scores) -> None:
    plan: Any = criterion_report(in_units(scores), UNIT, draws=20)["plan"]
    components: Any = intraclass_correlations(scores, draws=20).components
    wanted = [annotators_needed(components, error) for error in STANDARD_ERRORS]
    assert [line["annotators"] for line in plan] == wanted
    assert wanted == sorted(wanted, reverse=True)


def test_a_histogram_rounds_half_up() -> None:
    table = make_table([[5, 6], [110, 104], [GAP, 0]])
    assert histogram(table, UNIT) == [2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    assert histogram(make_table([[0, 10], [3, 3]]), 1)[3] == 2


def test_severity_has_an_interval_and_the_mean_that_follows(scores) -> None:
    found: Any = severity_report(in_units(scores), UNIT)
    expected: Any = severities(scores).severities
    for person, own in zip(found["people"], expected, strict=True):
        assert person["severity"] == pytest.approx(own.value, abs=1e-9)
        assert person["high"] - person["severity"] == pytest.approx(NORMAL * own.standard_error)
        assert person["adjusted_mean"] == pytest.approx(person["raw_mean"] + own.value)


def test_items_that_move_most_come_first_and_those_that_hardly_do_not_at_all(scores) -> None:
    items: Any = severity_report(scores)["items"]
    moves = [abs(one["adjusted"] - one["raw"]) for one in items]
    assert moves == sorted(moves, reverse=True)
    assert 0 < len(moves) <= MOST_ITEMS and min(moves) >= LEAST_CHANGE


def test_reports_of_nothing_and_of_little_are_json_without_nan() -> None:
    nothing, alone = make_table(np.zeros((0, 0))), make_table([[5], [7]])
    repeats = [Repeat("a", "r", 5, 6)]
    for table in (nothing, alone):
        reports = [
            criterion_report(table, draws=5),
            severity_report(table),
            drift_report(table, table),
            preference_report(make_table([[1, 0]]) if table is alone else nothing, draws=5),
            repeats_report(repeats, draws=5),
        ]
        json.dumps(reports, allow_nan=False)


def test_a_report_stops_where_its_check_raises(scores) -> None:
    calls = []

    def stop() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        criterion_report(scores, 1, stop, draws=5)
    assert len(calls) == 3


def test_answers_are_counted_from_worse_to_better() -> None:
    found = preference_report(make_table([[1, 1], [0, -1], [1, GAP]]), draws=5)
    assert found["answers"] == [1, 1, 3]
