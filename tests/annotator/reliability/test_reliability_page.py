"""The reliability page: asked for by a POST, read without names, names on record after closing."""

import re
from typing import Any

import pytest
from django.test import Client

from annotator.campaigns.services import close_campaign, reopen_campaign
from annotator.models import AuditEvent, Membership, ReliabilityReport, Role, Unblinding
from annotator.reliability.services import carry_out_reliability
from core.jobs.rows import JobStatus
from tests.annotator.rating_rows import random_ratings, rate
from tests.conftest import grant, make_user

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/cups/reliability/"
NAMES = f"{PAGE}names/"


@pytest.fixture(autouse=True)
def rung(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """No broker: what would be rung is noted."""
    found: list[Any] = []
    monkeypatch.setattr("annotator.reliability.views.enqueue_on_commit", found.append)
    return found


@pytest.fixture
def people(cast) -> list[Any]:
    return [cast.alice, cast.bob, grant(make_user("dave"), cast.campaign, "annotator")]


def asked(client: Client, user: Any) -> Client:
    """Sign the user in, ask for the figures and have them worked out."""
    client.force_login(user)
    answer = client.post(PAGE)
    assert (answer.status_code, answer["Location"]) == (303, PAGE)
    for row in ReliabilityReport.objects.filter(status=JobStatus.QUEUED):
        carry_out_reliability(row.pk)
    return client


def text_of(answer: Any) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def test_a_view_asks_for_nothing_and_a_post_enqueues_once(cast, client: Client, rung) -> None:
    client.force_login(cast.ada)
    assert "Nobody has asked" in text_of(client.get(PAGE))
    assert not ReliabilityReport.objects.exists()
    client.post(PAGE)
    assert len(rung) == 1
    page = text_of(client.get(PAGE))
    assert 'hx-get="/campaigns/cups/reliability/progress/"' in page
    assert "Waiting for a worker." in page and "Work it out" not in page


def test_the_page_shows_figures_with_intervals_reasons_and_numbers_for_names(
    cast, people, client: Client
) -> None:
    random_ratings(cast, people)
    page = text_of(asked(client, cast.ada).get(PAGE))
    report = ReliabilityReport.objects.get()
    alpha = report.result["criteria"][0]["figures"][0]
    assert f"{alpha['value']:.3f}" in page
    for heading in ("Agreement", "How many annotators", "Severity of annotators", "Scores given"):
        assert f">{heading}</h2>" in page
    assert "Nothing has changed since." in page
    assert {f"Annotator {n}" in page for n in (1, 2, 3)} == {True}
    assert "Self-consistency" not in page  # nothing came back to anybody
    main = page.partition("<main")[2]
    for user in people:
        assert user.username not in main and str(user.pk) not in page


def test_what_is_undefined_is_shown_with_its_reason(cast, client: Client) -> None:
    for candidate in cast.reference("r1").candidates.all():
        rate(cast.alice, candidate, (5, 5, 5, 5))
    page = text_of(asked(client, cast.ada).get(PAGE))
    assert "undefined" in page
    assert "(1) There are ratings of one annotator only" in page
    assert "nan" not in page.lower().replace("unanim", "") or "NaN" not in page


def test_an_older_report_is_shown_with_its_age_and_what_came_since(cast, client: Client) -> None:
    one, two, _ = cast.reference("r1").candidates.all()
    rate(cast.alice, one, (5, 5, 5, 5))
    asked(client, cast.ada)
    rate(cast.bob, one, (5, 5, 5, 5))
    rate(cast.bob, two, (5, 5, 5, 5))
    page = text_of(client.get(PAGE))
    assert "Since then: 2 ratings." in page
    assert "Work it out anew" in page


def test_a_report_under_way_can_be_cancelled_and_asked_for_again(cast, client: Client) -> None:
    client.force_login(cast.ada)
    client.post(PAGE)
    assert client.post(f"{PAGE}cancel/").status_code == 303
    assert ReliabilityReport.objects.get().status == JobStatus.CANCELLED
    page = text_of(client.get(PAGE))
    assert "Cancelled" in page and "Work it out" in page
    assert "No report is under way." in text_of(client.post(f"{PAGE}cancel/", follow=True))


def test_progress_gives_the_body_alone(cast, client: Client) -> None:
    client.force_login(cast.ada)
    client.post(PAGE)
    part = text_of(client.get(f"{PAGE}progress/"))
    assert part.startswith('<section id="reliability-body"') and "<html" not in part


@pytest.mark.parametrize("name", ["alice", "carol", "mallory"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", PAGE),
        ("post", PAGE),
        ("get", f"{PAGE}progress/"),
        ("post", f"{PAGE}cancel/"),
        ("post", NAMES),
        ("get", "/campaigns/cups/unblindings/"),
    ],
)
def test_annotators_adjudicators_and_outsiders_cannot_reach_it(
    cast, client: Client, name: str, method: str, path: str
) -> None:
    client.force_login(getattr(cast, name))
    assert getattr(client, method)(path).status_code in {403, 404}
    assert not ReliabilityReport.objects.exists()


def test_a_researcher_elsewhere_does_not_read_this_campaign(cast, client: Client) -> None:
    grant(cast.mallory, cast.elsewhere, "researcher")
    client.force_login(cast.mallory)
    assert client.get(PAGE).status_code == 404
    grant(cast.mallory, cast.campaign, "annotator")
    assert client.get(PAGE).status_code == 403


@pytest.mark.parametrize("role", [Role.ADMIN, Role.RESEARCHER])
def test_who_rates_here_too_reads_nothing_before_the_campaign_is_closed(
    cast, client: Client, role: str
) -> None:
    grant(cast.alice, cast.campaign, role)
    client.force_login(cast.alice)
    for method, path in (("get", PAGE), ("post", PAGE), ("get", f"{PAGE}progress/")):
        answer = getattr(client, method)(path)
        assert answer.status_code == 403
        assert "open to you once the campaign is closed" in text_of(answer)
    close_campaign(campaign=cast.campaign, reason="Done.", closed_by=cast.ada)
    assert client.get(PAGE).status_code == 200


def test_who_has_rated_and_left_reads_nothing_either(cast, client: Client) -> None:
    rate(cast.alice, cast.reference("r1").candidates.first(), (5, 5, 5, 5))
    Membership.objects.filter(user=cast.alice).update(role=Role.RESEARCHER)
    client.force_login(cast.alice)
    assert client.get(PAGE).status_code == 403


def test_researchers_are_shown_nothing_of_each_of_two_annotators(cast, client: Client) -> None:
    random_ratings(cast, [cast.alice, cast.bob])
    page = text_of(asked(client, cast.rita).get(PAGE))
    assert "With fewer than three annotators nothing is told of each of them." in page
    assert not re.search(r"Annotator \d", page)
    assert "annotator:campaign_places" not in page and "/rulings/" not in page


def test_researchers_are_shown_three_under_numbers_of_this_report_only(
    cast, people, client: Client
) -> None:
    random_ratings(cast, people)
    page = text_of(asked(client, cast.rita).get(PAGE))
    assert "Annotator 3" in page
    assert "mean moves most" not in page


def test_names_are_shown_after_closing_with_a_reason_and_on_record(
    cast, people, client: Client
) -> None:
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
    other = Client()
    other.force_login(cast.campaign.memberships.get(user__username="amy").user)
    assert "Annotator 1" in text_of(other.get(PAGE))
    cast.campaign.refresh_from_db()
    reopen_campaign(campaign=cast.campaign, reason="More.", reopened_by=cast.ada)
    assert "Annotator 1" in text_of(client.get(PAGE))


@pytest.mark.parametrize(
    "reason",
    ["", "\x00", "x" * 200_000, "a\x00b"],
    ids=["empty", "nul", "200 kB", "nul inside"],
)
def test_a_bad_reason_is_refused_and_shows_nothing(cast, client: Client, reason: str) -> None:
    close_campaign(campaign=cast.campaign, reason="Done.", closed_by=cast.ada)
    client.force_login(cast.ada)
    assert client.post(NAMES, {"reason": reason}).status_code == 422
    assert not Unblinding.objects.exists()


def test_a_list_of_reasons_is_read_as_its_last(cast, client: Client) -> None:
    close_campaign(campaign=cast.campaign, reason="Done.", closed_by=cast.ada)
    client.force_login(cast.ada)
    client.post(NAMES, {"reason": ["one", "two"]})
    assert Unblinding.objects.get().reason == "two"
