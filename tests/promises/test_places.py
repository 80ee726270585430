"""P7: no candidate is over-assigned, stranded or given twice to one; leases run out and lapse."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Count, F
from django.db.models.functions import Now
from django.utils import timezone

from annotator.assignments import services as assignments_services
from annotator.assignments.services import lapse_leases_everywhere, take_next
from annotator.models import HOLDING, Assignment, AuditEvent, Campaign, Candidate, Draft, Rating
from patclaimeval.rubric import CRITERIA
from tests.crowd import at_once
from tests.promises.conftest import sweeping
from tests.promises.harness import (
    SCALE,
    SERVED,
    Answer,
    Caller,
    Tab,
    make_callers,
    on_progress,
    rating_body,
    server_errors,
    wait_until,
)
from tests.served.server import Server

pytestmark = [pytest.mark.promise("P7"), *SERVED]
ANNOTATORS = 40
CANDIDATES = 20 * SCALE
SLOTS = 3
LEASE = timedelta(seconds=2)


def work_to_the_end(caller: Caller, campaign: Campaign) -> list[str]:
    """Take and rate until nothing is left; return what was given, as the API describes it."""
    given = []
    while (taken := caller.take_next(campaign)).status == 200:
        given.append(f"{taken.body['reference']['reference_id']} {taken.body['candidate']}")
        caller.submit(rating_body(taken.body["id"], [5] * 4), key=taken.body["id"])
    return given


def take_and_die(caller: Caller, campaign: Campaign) -> list[str]:
    """Take one candidate and never come back."""
    taken = caller.take_next(campaign)
    return [taken.body["id"]] if taken.status == 200 else []


@pytest.fixture
def sweeper(transactional_db: None) -> Iterator[None]:
    with sweeping():
        yield


def held_by_recount() -> dict[int, int]:
    """Return how many candidates are held how often, by their assignments."""
    rows = Candidate.objects.filter(assignments__status__in=HOLDING).annotate(n=Count("pk"))
    return dict(Counter(rows.values_list("n", flat=True)))


@pytest.mark.usefixtures("sweeper")
def test_forty_annotators_fill_each_place_once_and_the_places_of_the_dead_come_back(
    cast, server, tally
) -> None:
    campaign = cast.campaign
    Campaign.objects.filter(pk=campaign.pk).update(overlap=SLOTS)
    with transaction.atomic():
        for number in range(CANDIDATES // 4):
            cast.reference(f"r{number}", 4)
    Candidate.objects.update(places=SLOTS)
    tally.tried(places=SLOTS * CANDIDATES, annotators=ANNOTATORS, deaths=ANNOTATORS // 2)
    callers = make_callers(campaign, ANNOTATORS, server.port)
    living, mortal = callers[::2], callers[1::2]
    answers = at_once(
        [partial(take_and_die, caller, campaign) for caller in mortal]
        + [partial(work_to_the_end, caller, campaign) for caller in living]
    )
    assert server_errors(callers) == {}
    assert held_by_recount() == {SLOTS: CANDIDATES}
    assert set(Candidate.objects.values_list("held", "has_room")) == {(SLOTS, False)}
    # Nobody is given anything twice: neither what they rated nor, by the table, another row of it.
    for given in answers:
        assert len(set(given)) == len(given), given
    pairs = Assignment.objects.values("annotator", "candidate").annotate(n=Count("pk"))
    assert not pairs.filter(n__gt=1).exists()

    dead = Assignment.objects.filter(status="open").order_by("pk")
    pks = list(dead.values_list("pk", flat=True))
    assert len(pks) == sum(len(given) for given in answers[: len(mortal)]) > 1
    dead.update(lease_expires_at=Now() + LEASE)
    wait_until(lambda: not dead.exists(), "the places of the dead")
    assert set(Candidate.objects.values_list("held", flat=True)) <= set(range(SLOTS + 1))
    assert Assignment.objects.filter(pk__in=pks, status="lapsed").count() == len(pks)
    assert AuditEvent.objects.filter(action="assignment.lapsed").count() == len(pks)
    rated = Rating.objects.count()
    assert sum(Candidate.objects.values_list("held", flat=True)) == rated

    # One comes back while the place is free, another when the living have taken the rest.
    early, late = (Assignment.objects.get(pk=pk) for pk in (pks[0], pks[-1]))
    assert submit_late(early, server).status == 303
    for given in at_once([partial(work_to_the_end, caller, campaign) for caller in living]):
        assert len(set(given)) == len(given), given
    assert held_by_recount() == {SLOTS: CANDIDATES}
    # Who came back was shown the next candidate at once; all else is rated.
    held_open = Assignment.objects.filter(status="open")
    assert set(held_open.values_list("annotator", flat=True)) <= {early.annotator_id}
    assert Rating.objects.count() + held_open.count() == SLOTS * CANDIDATES
    refused = submit_late(late, server)
    assert refused.status == 409 and "typed too late" in refused.body
    assert Draft.objects.get().typed["comment"] == "typed too late"
    assert not Rating.objects.filter(assignment=late).exists()
    tally.found(lost=0, doubled=0)
    on_progress(tally, callers)
    assert server_errors(callers) == {}


def submit_late(row: Assignment, server: Server) -> Answer:
    """Post the rate form of an assignment that has lapsed."""
    form = dict.fromkeys(CRITERIA, "4") | {"comment": "typed too late", "version": "0"}
    more = {"draft_version": "0", "key": str(row.pk)}
    return Tab(row.annotator, server.port).post(f"/rate/{row.pk}/", form | more)


def test_of_fifty_late_submits_for_three_places_three_count_and_every_other_text_is_stored(
    cast, server, tally
) -> None:
    """RF47: all had their time, all ran out of it, and all come back at one moment."""
    candidate = cast.reference("r1", 1).candidates.get()
    Candidate.objects.update(places=SLOTS)
    people = [caller.user for caller in make_callers(cast.campaign, 50, server.port)]
    rows = Assignment.objects.bulk_create(
        Assignment(
            campaign=cast.campaign,
            annotator=user,
            candidate=candidate,
            label="Candidate 1",
            position=1,
            status="lapsed",
        )
        for user in people
    )
    tally.tried(late_submits_at_once=len(rows))
    answers = at_once([partial(submit_late, row, server) for row in rows])
    assert Counter(answer.status for answer in answers) == {303: SLOTS, 409: len(rows) - SLOTS}
    assert Rating.objects.count() == SLOTS
    comments = Draft.objects.values_list("typed__comment", flat=True)
    assert list(comments) == ["typed too late"] * (len(rows) - SLOTS)
    candidate.refresh_from_db()
    assert (candidate.held, candidate.has_room) == (SLOTS, False)


def lease_by_a_wrong_web_server(cast: Any, patch: pytest.MonkeyPatch, hours: int) -> int:
    """Take a candidate where the web server's clock is wrong; return how many leases are right.

    The whole lease from now on, neither run out at birth nor an hour too long.
    """
    cast.reference("r1", 2)
    Campaign.objects.update(lease_minutes=30)
    right = timezone.now
    with patch.context() as patched:
        patched.setattr(timezone, "now", lambda: right() + timedelta(hours=hours))
        assert take_next(slug="cups", annotator=cast.alice) is not None
    leased = Assignment.objects.filter(
        lease_expires_at__gt=Now() + timedelta(minutes=15),
        lease_expires_at__lt=Now() + timedelta(minutes=45),
    )
    return leased.count()


@pytest.mark.parametrize("wrong", [-1, 1], ids=["an hour slow", "an hour fast"])
def test_a_lease_runs_by_the_clock_of_the_database_whatever_the_web_server_thinks(
    cast, monkeypatch, wrong
) -> None:
    assert lease_by_a_wrong_web_server(cast, monkeypatch, wrong) == 1
    assert lapse_leases_everywhere() == 0
    Assignment.objects.update(lease_expires_at=F("lease_expires_at") - timedelta(hours=1))
    right = timezone.now
    with monkeypatch.context() as patched:
        patched.setattr(timezone, "now", lambda: right() + timedelta(hours=wrong))
        assert lapse_leases_everywhere() == 1


@pytest.mark.parametrize("wrong", [-1, 1], ids=["an hour slow", "an hour fast"])
def test_a_lease_by_the_clock_of_the_web_server_is_found_out(cast, monkeypatch, wrong) -> None:
    monkeypatch.setattr(assignments_services, "database_now", lambda: timezone.now())
    assert lease_by_a_wrong_web_server(cast, monkeypatch, wrong) == 0
