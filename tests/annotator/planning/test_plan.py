"""The plan page: who has what, a plan that is shown before it is given out."""

import re
from collections import Counter
from datetime import timedelta
from html import unescape

import pytest
from django.utils import timezone

from annotator.assignments.services import take_next
from annotator.models import Assignment, Campaign, Candidate, Membership

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/cups/plan/"


@pytest.fixture
def admin(client, cast):
    client.force_login(cast.ada)
    return client


@pytest.fixture
def work(cast) -> None:
    for number in range(4):
        cast.reference(f"r{number}", 3)


def hidden(answer) -> dict[str, list[str]]:
    """Return what the form of the shown plan would send."""
    form = answer.content.decode().split("/plan/carry-out/")[1].split("</form>")[0]
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', form):
        found.setdefault(name, []).append(value)
    return found


def test_the_page_shows_who_has_what(admin, cast, work) -> None:
    rows = cast.assign(cast.alice, cast.campaign.references.all()[0])
    cast.submit(rows[0])
    Assignment.objects.filter(pk=rows[1].pk).update(due_at=timezone.now() - timedelta(days=1))
    Membership.objects.filter(user=cast.alice).update(quota=7)
    html = admin.get(PAGE).content.decode()
    row = html.split('<th scope="row">alice')[1].split("</tr>")[0]
    assert re.findall(r'<td class="number">(?:<strong class="late">)?(\d+)', row) == [
        "3",
        "1",
        "2",
        "1",
    ]
    assert 'value="7"' in row
    assert "Free places: 21." in html


def test_a_plan_is_shown_with_its_counts_and_stores_nothing(admin, cast, work) -> None:
    day = (timezone.now() + timedelta(days=4)).date()
    sent = {"annotators": ["alice", "bob"], "seed": 3, "due_on": day.isoformat()}
    answer = admin.get(PAGE, sent)
    assert answer.status_code == 200
    html = answer.content.decode()
    assert "Give out 24 assignments" in html
    table = html.split("systems as letters")[1].split("</table>")[0]
    assert re.findall(r"<th scope=\"col\">(\w)</th>", table) == ["A", "B", "C"]
    cells = [int(cell) for cell in re.findall(r'<td class="number">(\d+)</td>', table)]
    assert cells == [0, 4, 12, 12, 4, 4, 4] * 2
    assert "share 4 references" in unescape(html)
    assert cast.system_canary not in html
    assert not Assignment.objects.exists()
    assert hidden(answer)["due_on"] == [day.isoformat()]


def test_the_plan_that_was_shown_is_given_out(admin, cast, work) -> None:
    shown = admin.get(PAGE, {"annotators": ["alice"], "seed": 3})
    answer = admin.post(f"{PAGE}carry-out/", hidden(shown))
    assert (answer.status_code, answer["Location"]) == (303, PAGE)
    assert Counter(Assignment.objects.values_list("annotator__username", flat=True)) == {
        "alice": 12
    }
    assert "12 candidates are given out" in admin.get(PAGE).content.decode()


def test_a_plan_that_has_become_another_is_shown_anew(admin, cast, work) -> None:
    shown = admin.get(PAGE, {"annotators": ["alice", "bob"], "seed": 3})
    take_next(slug="cups", annotator=cast.alice)
    answer = admin.post(f"{PAGE}carry-out/", hidden(shown))
    assert answer.status_code == 409
    assert "moved on" in answer.content.decode()
    assert Assignment.objects.count() == 1
    again = admin.post(f"{PAGE}carry-out/", hidden(answer))
    assert again.status_code == 303
    assert Assignment.objects.count() == 24


def test_what_finds_nobody_is_reported_with_its_reason(admin, cast, work) -> None:
    Membership.objects.filter(user=cast.alice).update(quota=6)
    html = admin.get(PAGE, {"annotators": ["alice"], "seed": 0}).content.decode()
    assert "Give out 6 assignments" in html
    assert re.search(r"\d+ places stay free, because .*quota.*: r\d", unescape(html))


WRONG = (
    {"seed": "1"},
    {"annotators": "nobody", "seed": "1"},
    {"annotators": "mallory", "seed": "1"},
    {"annotators": "al\x00ice", "seed": "1"},
    {"annotators": "alice", "seed": "x"},
    {"annotators": "alice", "seed": "-1"},
    {"annotators": "alice", "seed": "9" * 400},
    {"annotators": "alice", "seed": "1", "due_on": "soon"},
    {"annotators": "alice", "seed": "1", "due_on": "9999-12-31"},
    {"annotators": "alice", "seed": "1", "digest": "x" * 65},
    {"annotators": ["alice"] * 50 + ["zoe"], "seed": ["1", "2", ""]},
)


def test_a_plan_that_cannot_be_made_is_refused(admin, work) -> None:
    for sent in WRONG:
        assert admin.get(PAGE, sent).status_code == 422, sent
        assert admin.post(f"{PAGE}carry-out/", sent).status_code == 422, sent
        assert not Assignment.objects.exists(), sent


@pytest.mark.parametrize("due", ["2001-01-01", "0001-01-01"])
def test_a_day_that_has_passed_is_refused_beside_its_field(admin, cast, work, due) -> None:
    sent = {"annotators": "alice", "seed": "1", "due_on": due}
    answer = admin.post(f"{PAGE}carry-out/", sent)
    assert answer.status_code == 422
    assert 'id="balanced-due_on_error"' in answer.content.decode()


def test_a_closed_campaign_shows_who_has_what_and_no_form(admin, cast, work) -> None:
    Campaign.objects.filter(slug="cups").update(status="closed")
    html = admin.get(PAGE).content.decode()
    assert "Who has what" in html and "closed" in html
    assert "/plan/" not in html.split("<h1>")[1].split("Who has what")[1]
    answer = admin.post(f"{PAGE}carry-out/", {"annotators": "alice", "seed": "1"})
    assert answer.status_code == 409


def test_a_campaign_of_others_is_not_found_and_an_annotator_is_shut_out(client, cast) -> None:
    client.force_login(cast.ada)
    assert client.get("/campaigns/elsewhere/plan/").status_code == 404
    client.force_login(cast.alice)
    assert client.get(PAGE).status_code == 403
    assert Candidate.objects.count() == 0
