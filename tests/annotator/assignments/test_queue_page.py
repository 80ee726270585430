import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotator.assignments.queue_page import REFERENCES_A_PAGE
from annotator.assignments.rules import DailyTarget, daily_target
from annotator.assignments.sizes import FEWEST, size_of
from annotator.models import Assignment, Candidate, Draft, Rating, Reference
from annotator.rating.services import skip_assignment
from tests.conftest import spread

pytestmark = pytest.mark.postgres
NOW = datetime(2026, 11, 25, 10, tzinfo=UTC)
EVENING = datetime(2026, 11, 25, 23, 59, 59, tzinfo=UTC)
RATE = re.compile(r'<a href="/rate/([0-9a-f-]+)/">Candidate \d+</a>')


def evenings(*days: int) -> list[datetime]:
    return [EVENING + timedelta(days=days) for days in days]


def test_a_target_counts_what_is_due_and_the_days_that_are_left() -> None:
    friday = (NOW + timedelta(days=2)).date()
    assert daily_target(evenings(*[2] * 80), NOW) == DailyTarget(27, friday, 3)
    assert daily_target(evenings(0, 0), NOW) == DailyTarget(2, NOW.date(), 1)
    assert daily_target([None, *evenings(-1)], NOW) is None
    assert daily_target([], NOW) is None


def test_the_due_date_that_asks_most_makes_the_target() -> None:
    soon, later = ((NOW + timedelta(days=days)).date() for days in (1, 9))
    assert daily_target(evenings(9, *[1] * 7), NOW) == DailyTarget(4, soon, 2)
    # What is overdue is to be rated as well.
    assert daily_target(evenings(-3, *[1] * 8), NOW) == DailyTarget(5, soon, 2)
    assert daily_target(evenings(1, 1, *[9] * 8), NOW) == DailyTarget(1, later, 10)
    assert daily_target(evenings(1, 1, *[9] * 9), NOW) == DailyTarget(2, later, 10)


def test_lengths_are_rounded_and_say_characters_where_a_script_has_no_words() -> None:
    assert size_of("cup " * 44, None).words == 44
    assert {size_of("cup " * words, None).words for words in (496, 501, 504)} == {500}
    chinese = size_of("1. " + "杯" * 411, None)
    assert (chinese.words, chinese.characters) == (None, 410)
    assert size_of("", 0.5).minutes is None
    assert size_of("a" * 600, 0.5).minutes == 5
    assert size_of("a", 0.5).minutes == 1


@pytest.fixture
def queue(cast, client: Client):
    """Give alice two references of three candidates each, and what her page says."""
    client.force_login(cast.alice)
    rows = [row for name in ("r0", "r1") for row in cast.assign(cast.alice, cast.reference(name))]
    return rows, lambda question="": client.get(f"/{question}").content.decode()


def links(page: str) -> list[str]:
    return RATE.findall(page)


def test_a_line_names_the_reference_by_its_title_or_its_claim_1(queue) -> None:
    _, page = queue
    Reference.objects.update(title="", claims="1. A cup with a <b>handle</b>.")
    assert "A cup with a &lt;b&gt;handle&lt;/b&gt;.</q>" in page()
    Reference.objects.update(title="Glazed cup")
    assert "Glazed cup" in page() and "handle" not in page()
    Reference.objects.update(title="", claims="")
    assert '<th scope="row">r0' in page()


def test_the_time_that_is_expected_follows_from_ones_own_ratings_alone(cast, queue) -> None:
    rows, page = queue
    spread(cast.campaign, 3)
    Candidate.objects.update(claims="cup " * 150)
    theirs = [
        *cast.assign(cast.bob, Reference.objects.get(reference_id="r0")),
        *cast.assign(cast.bob, Reference.objects.get(reference_id="r1")),
    ]
    for row in theirs:
        cast.submit(row)
    Rating.objects.update(active_seconds=600)
    for row in rows[: FEWEST - 1]:
        cast.submit(row)
    Rating.objects.filter(annotator=cast.alice).update(active_seconds=180)
    assert "150 words</span>" in page() and "expected time" not in page()
    cast.submit(rows[FEWEST - 1])
    assert " min" not in page()
    Rating.objects.filter(annotator=cast.alice).update(active_seconds=180)
    assert "150 words, 3 min</span>" in page() and "expected time" in page()


def test_each_filter_shows_its_part_and_how_many_there_are(cast, queue) -> None:
    rows, page = queue
    Draft.objects.create(assignment=rows[4], saved_at=timezone.now())
    skip_assignment(assignment=rows[1], reason_code="unreadable")
    everything = [str(row.pk) for row in rows if row != rows[1]]
    assert links(page()) == everything
    for name, count in (("To rate", 5), ("Drafts", 1), ("Skipped", 1), ("To look at again", 0)):
        assert f'{name} <span class="hint">{count}</span></a>' in page()
    assert links(page("?show=drafts")) == [str(rows[4].pk)]
    assert links(page("?show=skipped")) == [str(rows[1].pk)]
    assert links(page("?show=returned")) == []
    assert 'href="?show=skipped" aria-current="page"' in page("?show=skipped")
    for odd in ("?show=system", "?show=", "?page=x", "?page=-1", "?show=open&page=999999999999"):
        assert links(page(odd)) == everything


def test_a_filter_without_anything_says_so(cast, queue) -> None:
    _, page = queue
    assert "No candidate of yours has a draft." in page("?show=drafts")
    assert "No skipped candidates" in page("?show=skipped")
    assert "No questions from adjudicators" in page("?show=returned")
    # Only the queue itself offers the next candidate.
    Assignment.objects.update(status="submitted")
    assert "Take the next" in page()
    assert "Take the next" not in page("?show=drafts")


def test_the_due_dates_of_a_campaign_make_a_target(queue) -> None:
    _, page = queue
    assert "a day to finish" not in page()
    day = timezone.now() + timedelta(days=2)
    Assignment.objects.update(due_at=day.replace(hour=23, minute=59, second=59))
    assert re.search(
        rf"2 a day to finish by <time [^>]+>{day:%A} {day.day} {day:%b}</time>", page()
    )
    Assignment.objects.update(due_at=timezone.now().replace(hour=23, minute=59, second=59))
    assert "6 to finish today" in page()


def test_two_hundred_candidates_are_paged_with_every_one_once(
    cast, client: Client, django_assert_max_num_queries
) -> None:
    for number in range(50):
        cast.assign(cast.alice, cast.reference(f"r{number}", 4))
    client.force_login(cast.alice)
    seen = []
    for number in (1, 2):
        with django_assert_max_num_queries(21):
            page = client.get(f"/?page={number}").content.decode()
        assert f"Page {number} of 2" in page and "200 to rate" in page
        assert page.count("<tr>") == REFERENCES_A_PAGE + 1
        seen += links(page)
    wanted = Assignment.objects.order_by("position").values_list("pk", flat=True)
    assert seen == [str(pk) for pk in wanted]
