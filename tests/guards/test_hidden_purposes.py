"""A repeat and a sentinel look like any other candidate to annotators, wherever they come from."""

import re
from dataclasses import dataclass

import pytest
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.assignments.services import take_next
from annotator.models import Assignment, Campaign, Candidate, Purpose, Reference
from annotator.planning.sentinels import add_sentinels, repeat_everywhere

pytestmark = pytest.mark.django_db

CLAIMS = (
    "1. A pump comprising a housing, a piston in the housing, a valve and a spring, wherein the "
    "housing is closed.\n2. The pump of claim 1, wherein the valve is round."
)
# A database of milliseconds leaves the fraction out where it is none.
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+(?:\.\d+)?(?:Z|\+00:00)")
PURPOSES = re.compile(
    r"sentinel|repeat|damage|purpose|qualif|original|candidate_id|drop_feature|break_dep", re.I
)


@pytest.fixture
def campaign(cast) -> Campaign:
    """Six references with two candidates and a sentinel each; half of all is repeated."""
    for number in range(6):
        cast.reference(f"r{number}", 2)
    Reference.objects.update(claims=CLAIMS)
    add_sentinels(campaign=cast.campaign, count=6, seed=1, by=cast.ada)
    Campaign.objects.update(repeat_percent=50, repeat_lag=1)
    return Campaign.objects.get(slug="cups")


def shape(text: str) -> str:
    """Return a page or an answer without what differs between any two candidates: names, texts,
    times and numbers."""
    text = TIME.sub("TIME", text)
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z0-9]{64}", "ID", text)
    text = re.sub(r'name="csrfmiddlewaretoken" value="\w+"|"X-CSRFToken": "\w+"', "TOKEN", text)
    # The states of claims follow from the two texts, as the rows do.
    text = re.sub(r"(?s)<nav class=\"minimap\".*?</nav>", "TEXT", text)
    text = re.sub(r"(?s)<pre.*?</pre>|<div class=\"(?:panes|rows?)\b.*?(?=<form)", "TEXT", text)
    return re.sub(r"\d+", "N", text)


def test_a_time_of_a_whole_second_has_the_shape_of_any_other() -> None:
    assert shape("2026-11-23T10:07:47+00:00") == shape("2026-11-23T10:07:47.806000+00:00")


def rate_all(cast, api: Client) -> dict[str, list[tuple[str, str]]]:
    """Have alice take and rate everything through the API; return what she was shown by purpose."""
    shown: dict[str, list[tuple[str, str]]] = {}
    client = Client()
    client.force_login(cast.alice)
    for _ in range(60):
        answer = api.post("/api/v1/campaigns/cups/assignments/next/")
        if answer.status_code == 204:
            break
        row = Assignment.objects.select_related("candidate").get(pk=answer.json()["id"])
        page = client.get(f"/rate/{row.pk}/").content.decode()
        shown.setdefault(row.candidate.purpose, []).append((answer.content.decode(), page))
        cast.submit(row)
        repeat_everywhere()
    return shown


@dataclass(frozen=True)
class Day:
    """What alice was shown by purpose, and her assignments in their order."""

    shown: dict[str, list[tuple[str, str]]]
    rows: list[Assignment]


@pytest.fixture(scope="module")
def days() -> list[Day]:
    """The one day that is lived: the tests read the same answers."""
    return []


@pytest.fixture
def day(days: list[Day], request: pytest.FixtureRequest) -> Day:
    if not days:
        cast, _ = map(request.getfixturevalue, ("cast", "campaign"))
        token = create_token(user=cast.alice).token
        shown = rate_all(cast, Client(headers={"Authorization": f"Token {token}"}))
        rows = Assignment.objects.filter(annotator=cast.alice).order_by("position")
        days.append(Day(shown, list(rows)))
    return days[0]


@pytest.fixture
def shown(day: Day) -> dict[str, list[tuple[str, str]]]:
    return day.shown


def test_all_three_purposes_come_to_the_annotator(shown) -> None:
    assert {purpose: len(rows) for purpose, rows in shown.items()} == {
        "rated": 12,
        "sentinel": 6,
        "repeat": 6,
    }


def test_no_word_reveals_what_a_candidate_is_for(shown) -> None:
    def found(purpose: str) -> set[str]:
        return {word.lower() for _, page in shown[purpose] for word in PURPOSES.findall(page)}

    assert not any(PURPOSES.search(answer) for rows in shown.values() for answer, _ in rows)
    # The rubric's own terms stand on every page.
    assert found("sentinel") == found("repeat") == found("rated")


def test_answers_of_the_api_have_one_shape(shown) -> None:
    shapes = {
        re.sub(r'"claims":"(?:[^"\\]|\\.)*"', "CLAIMS", shape(answer))
        for rows in shown.values()
        for answer, _ in rows
    }
    assert len(shapes) == 1


def test_pages_have_the_same_parts_and_addresses(shown) -> None:
    def parts(page: str) -> frozenset[str]:
        # The tree of the claims differs with every text; everything around it does not.
        tags = re.findall(r"<(?:form|button|a|input|textarea|select)\b[^>]*>", shape(page))
        return frozenset(
            re.sub(r'(?:value|title|aria-label|data-\w+)="[^"]*"', "", t) for t in tags
        )

    seen = {
        purpose: frozenset().union(*(parts(page) for _, page in rows))
        for purpose, rows in shown.items()
    }
    assert seen["sentinel"] <= seen["rated"]
    assert seen["repeat"] <= seen["rated"]


def test_labels_and_places_go_on_without_a_gap(day) -> None:
    rows = day.rows
    assert [row.position for row in rows] == list(range(1, 25))
    assert [row.label for row in rows] == [f"Candidate {number}" for number in range(1, 25)]
    assert {row.lease_expires_at is None for row in rows} == {False}


def test_a_sentinel_has_no_fixed_place_among_its_siblings(cast, campaign) -> None:
    places = set()
    for number in range(12):
        Assignment.objects.all().delete()
        Candidate.objects.update(held=0, has_room=True)
        for place in range(3):
            row = take_next(slug="cups", annotator=cast.bob)
            assert row is not None
            Assignment.objects.filter(pk=row.pk).update(status="submitted")
            if row.candidate.purpose == Purpose.SENTINEL:
                places.add(place)
        if len(places) == 3 and number > 3:
            break
    assert len(places) > 1


def test_by_name_a_repeat_stands_in_the_queue_like_the_others(cast, campaign) -> None:
    for reference in campaign.references.all():
        cast.assign(cast.alice, reference)
    rows = list(Assignment.objects.filter(annotator=cast.alice).order_by("position"))
    for row in rows[:6]:
        cast.submit(row)
    assert repeat_everywhere() == 1
    client = Client()
    client.force_login(cast.alice)
    html = client.get("/").content.decode()
    links = re.findall(
        r'<li><a href="/rate/[^"]+">(.*?)</a> <span class="hint">\d+ words</span></li>', html
    )
    assert sorted(links) == sorted(f"Candidate {number}" for number in range(7, 20))
    assert not PURPOSES.search(re.sub(r"(?s)<head>.*?</head>", "", html))
