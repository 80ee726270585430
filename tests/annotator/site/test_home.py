import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotator.models import Campaign, Comparison, Membership, Reference


def test_the_queue_links_every_open_assignment_once_and_no_other(client: Client, cast) -> None:
    client.force_login(cast.alice)
    # An empty queue offers the next candidate.
    assert b'action="/campaigns/cups/next/"' in client.get("/").content
    rows = cast.assign(cast.alice, cast.reference())
    cast.submit(rows[0])
    html = client.get("/").content.decode()
    links = re.findall(r'<a href="/rate/([0-9a-f-]+)/">', html)
    assert links == [str(row.pk) for row in rows[1:]]
    assert "2 to rate, 1 rated" in html
    assert f'class="button" href="/rate/{rows[1].pk}/" data-start' in html


def test_an_empty_queue_offers_the_next_candidate(client: Client, cast) -> None:
    client.force_login(cast.alice)
    assert b'action="/campaigns/cups/next/"' in client.get("/").content


def test_an_empty_queue_says_who_assigns_and_what_comes_next(client: Client, cast) -> None:
    client.force_login(cast.alice)
    ahead = "once the campaign is closed, your results appear here"
    empty = client.get("/").content.decode()
    assert "The admin of the campaign assigns candidates" in empty and ahead not in empty
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    assert "assigns candidates" not in client.get("/").content.decode()
    cast.submit(row)
    assert ahead in client.get("/").content.decode()
    Campaign.objects.update(status="closed")
    assert "The admin of a campaign gives you work" in client.get("/").content.decode()


STEPS = "Your first rating in three steps"


def test_three_steps_are_shown_until_the_first_rating(client: Client, cast) -> None:
    rows = cast.assign(cast.alice, cast.reference())
    cast.submit(cast.assign(cast.bob, cast.reference("r2"))[0])
    client.force_login(cast.alice)
    html = client.get("/").content.decode()
    steps = html[html.index(STEPS) : html.index("</ol>")]
    for address in ("/rubric/", f"/rate/{rows[0].pk}/", "/keys/"):
        assert f'href="{address}"' in steps
    assert "<kbd>?</kbd>" in steps
    assert STEPS not in client.get("/?show=skipped").content.decode()
    cast.submit(rows[2])
    assert STEPS not in client.get("/").content.decode()


def test_the_steps_lead_to_no_candidate_before_one_is_assigned(client: Client, cast) -> None:
    client.force_login(cast.alice)
    html = client.get("/").content.decode()
    assert STEPS in html and 'href="/rate/' not in html
    client.force_login(cast.rita)
    assert STEPS not in client.get("/").content.decode()


def test_an_admin_finds_the_campaigns_that_they_run_and_their_own_queue(admin, cast) -> None:
    html = admin.get("/").content
    assert b'href="/campaigns/cups/"' in html
    assert b"/campaigns/elsewhere/" not in html
    Membership.objects.create(user=cast.ada, campaign=cast.campaign, role="annotator")
    rows = cast.assign(cast.ada, cast.reference())
    html = admin.get("/").content.decode()
    assert f"/rate/{rows[0].pk}/" in html and "Campaigns you run" in html
    assert "also admin" in admin.get("/campaigns/cups/").content.decode()


def test_own_ratings_are_listed_with_their_overall(client: Client, cast) -> None:
    reference = cast.reference()
    mine = cast.submit(cast.assign(cast.alice, reference)[0], (7, 5, 9, 10))
    theirs = cast.submit(cast.assign(cast.bob, reference)[0])
    client.force_login(cast.alice)
    html = client.get("/rated/").content.decode()
    assert f"/rate/{mine.assignment_id}/" in html and "7.82" in html
    assert str(theirs.assignment_id) not in html


def test_a_reference_without_a_title_is_named_by_its_claim_1_everywhere(client, cast) -> None:
    reference = cast.reference()
    rows = cast.assign(cast.alice, reference)
    cast.submit(rows[0])
    left, right = (row.candidate for row in rows[:2])
    Comparison.objects.create(
        campaign=cast.campaign, annotator=cast.alice, left=left, right=right, position=1
    )
    Reference.objects.update(title="", claims="1. A cup with an ear.")
    client.force_login(cast.alice)
    assert client.get("/").content.decode().count("A cup with an ear.") == 2
    assert client.get("/rated/").content.decode().count("A cup with an ear.") == 1
    Reference.objects.update(claims="")
    assert ">r1<" in client.get("/rated/").content.decode()


def test_people_are_led_to_what_is_theirs_and_nobody_anywhere(cast, client: Client) -> None:
    scoring = "Datasets, Training runs, Model versions, Score, Reports"
    led = {cast.alice: "Home, Rated, Rubric, Your activity", cast.rita: f"Home, {scoring}, Rubric"}
    for person, names in led.items():
        client.force_login(person)
        assert ", ".join(place.name for place in client.get("/").context["places"]) == names
    assert list(Client().get("/login/").context["places"]) == []


@pytest.mark.parametrize(
    ("path", "here", "around"),
    [
        ("/", "Home", []),
        ("/datasets/", "Datasets", []),
        ("/datasets/freeze/", "", ["Datasets"]),
        ("/rubric/conceptual_clarity/", "", ["Rubric"]),
    ],
)
def test_the_place_of_a_page_is_marked(cast, client, path, here, around) -> None:
    client.force_login(cast.rita)
    answer = client.get(path)
    places = answer.context["places"]
    assert "".join(place.name for place in places if place.is_here) == here
    assert [place.name for place in places if place.is_around] == around
    for name in around:
        assert f'aria-current="true">{name}</a>' in answer.content.decode()


PAGES = ("", "counts/")


def test_an_admin_reads_the_counts(admin, cast) -> None:
    cast.submit(cast.assign(cast.alice, cast.reference())[0])
    for page in PAGES:
        html = admin.get(f"/campaigns/cups/{page}").content.decode()
        cells = (("Assigned", 3), ("Rated", 1))
        numbers = [f'<td class="number" data-label="{name}">{n}</td>' for name, n in cells]
        numbers.insert(0, '<th scope="row">alice</th>')
        assert "".join(numbers) in html
        assert "<dd>0 open, 0 waiting for annotators, 0 ruled, 0 lapsed;" in html


def test_counts_are_asked_for_again_only_while_the_campaign_is_open(admin) -> None:
    def shown() -> list[str]:
        return [admin.get(f"/campaigns/cups/{page}").content.decode() for page in PAGES]

    asks = 'hx-get="/campaigns/cups/counts/"'
    whole, part = shown()
    assert asks in whole and asks in part
    assert 'id="counts"' in part and "<html" not in part
    Campaign.objects.update(status="closed")
    assert not any(asks in html or "counts.js" in html for html in shown())


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (None, "nobody has decided"),
        (90, "<dt>Texts kept until</dt>"),
        (12, "12 days left"),
        (0, "today is the last day"),
        (-3, "that was 3 days ago"),
    ],
)
def test_the_page_says_until_when_texts_are_stored(admin, days, words) -> None:
    until = None if days is None else timezone.now().date() + timedelta(days=days)
    Campaign.objects.update(retain_until=until)
    html = admin.get("/campaigns/cups/").content.decode()
    assert words in html
    assert ("Freeze and export" in html) == (days in {0, 12})
