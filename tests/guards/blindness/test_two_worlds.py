"""What others do moves nothing that an annotator is answered (P37)."""

from collections.abc import Callable, Mapping

import pytest

from annotator.adjudication.rounds import give_back, take_turn
from annotator.adjudication.rulings.services import rule, void_adjudication
from annotator.audit_pages.queries import Trail
from annotator.conflicts.queries import LOCKED_SENTENCE
from annotator.models import Adjudication, Assignment, AssignmentStatus, Candidate, Conflict, Role
from annotator.rating.services import submit_rating
from patclaimeval.rubric import CRITERIA
from tests.conftest import grant
from tests.guards.blindness.conftest import seal_at_once
from tests.guards.blindness.marks import HERE
from tests.guards.blindness.people import RULING
from tests.guards.blindness.states import Scenario, furnish
from tests.guards.blindness.two_worlds import Act, Fixed, differences, fixed, lived, with_window
from tests.soak.tally import tally

__all__ = ["fixed", "tally"]
pytestmark = [pytest.mark.slow, pytest.mark.promise("P37")]


@pytest.fixture
def scenario(db: None, fixed: Fixed) -> Scenario:
    seal_at_once()
    return furnish(HERE, "leased")


def peer_rates(score: int, *, only_item: bool = False) -> Act:
    """Return the act of the other annotator, who gives everything the same score."""

    def act(scenario: Scenario) -> None:
        rows = Assignment.objects.filter(
            annotator=scenario.people["peer"], status=AssignmentStatus.OPEN
        )
        for row in rows.filter(candidate=scenario.item) if only_item else rows:
            submit_rating(
                assignment_id=row.pk,
                annotator=scenario.people["peer"],
                scores=dict.fromkeys(CRITERIA, score),
            )

    return act


def conflict_of(scenario: Scenario) -> Conflict:
    return Conflict.objects.get(candidate=scenario.item, kind="overall_gap")


def taken(scenario: Scenario) -> None:
    take_turn(conflict_id=conflict_of(scenario).pk, adjudicator=scenario.people["adjudicator"])


def given_back(scenario: Scenario) -> None:
    taken(scenario)
    give_back(conflict_id=conflict_of(scenario).pk, adjudicator=scenario.people["adjudicator"])


def ruled(scenario: Scenario) -> None:
    taken(scenario)
    carol = scenario.people["adjudicator"]
    rule(conflict_id=conflict_of(scenario).pk, adjudicator=carol, **RULING)


def ruled_in_time(scenario: Scenario) -> None:
    ruled(scenario)
    with_window(0)(scenario)


def voided(scenario: Scenario) -> None:
    ruled(scenario)
    row = Adjudication.objects.get(conflict__candidate=scenario.item)
    void_adjudication(adjudication_id=row.pk, reason="a reason", by=scenario.people["admin"])
    with_window(0)(scenario)


def of_another_purpose(scenario: Scenario) -> None:
    """Make hidden repeats and sentinels of what was none, and the other way round."""
    rows = Candidate.objects.filter(campaign=scenario.campaign).exclude(purpose="qualification")
    plain = set(rows.filter(purpose="rated").values_list("pk", flat=True))
    rows.exclude(pk__in=plain).update(purpose="rated", original=None, damage={})
    first, *rest = sorted(plain)
    rows.filter(pk__in=rest[1:]).update(purpose="repeat", original=first)
    rows.filter(pk=rest[0]).update(purpose="sentinel")


# Before which step of the annotator's day somebody else does what.
UNLOCKED: Mapping[str, Mapping[int, Act]] = {
    "nobody else is there": {},
    "another disagrees before": {0: peer_rates(0)},
    "another agrees after": {2: peer_rates(5)},
    "another disagrees after": {2: peer_rates(10)},
    "a conflict is taken and given back": {0: peer_rates(0), 2: given_back},
    "others are repeats and sentinels": {0: of_another_purpose},
}
LOCKED: Mapping[str, Mapping[int, Act]] = {
    "by its time": {0: peer_rates(5, only_item=True), 1: with_window(0)},
    "by its time, and ruled": {0: peer_rates(0, only_item=True), 1: ruled_in_time},
    "by a turn": {0: peer_rates(0, only_item=True), 1: taken},
    "by a ruling": {0: peer_rates(0, only_item=True), 1: ruled},
    "after a ruling that is void": {0: peer_rates(0, only_item=True), 1: voided},
}


# `make test` lives these days: what others do before, what they do meanwhile, and what is theirs.
LIVED_EACH_TIME = (
    *("nobody else is there", "a conflict is taken and given back"),
    *("another disagrees after", "others are repeats and sentinels"),
)


@pytest.mark.parametrize(
    "worlds",
    [
        pytest.param({name: UNLOCKED[name] for name in LIVED_EACH_TIME}, id="a few unlocked"),
        pytest.param(UNLOCKED, id="unlocked", marks=pytest.mark.exhaustive),
        pytest.param(LOCKED, id="locked", marks=pytest.mark.exhaustive),
    ],
)
def test_what_others_do_moves_nothing_that_an_annotator_is_answered(
    scenario, fixed, worlds, tally
) -> None:
    """Over every page and call that the matrix opens to annotators, and over their own writes."""
    first, *others = worlds
    base = lived(scenario, fixed, worlds[first])
    assert len(base) > 60
    assert any(body.find(LOCKED_SENTENCE[:40].encode()) > 0 for *_, body in base.values()) == (
        worlds is LOCKED
    )
    moved = []
    for name in others:
        day = lived(scenario, fixed, worlds[name])
        tally.tried(answers_compared=len(day))
        moved += [f"{name}: {one}" for one in differences(base, day)]
    assert not moved, f"{len(moved)} differences\n" + "\n".join(moved[:40])
    statuses = [status for status, *_ in base.values()]
    assert set(statuses) >= {200, 201, 303, 409, 422}


@pytest.mark.exhaustive
def test_no_count_that_an_admin_who_rates_is_shown_moves_with_what_others_do(
    scenario, fixed, tally
) -> None:
    """Nor one that a researcher is shown: over every page and call that these roles open."""
    grant(scenario.people["one"], scenario.campaign, Role.ADMIN, Role.RESEARCHER)
    base = lived(scenario, fixed, LOCKED["by its time"])
    day = lived(scenario, fixed, LOCKED["by its time, and ruled"])
    tally.tried(answers_compared=len(day))
    moved = differences(base, day)
    assert not moved, f"{len(moved)} differences\n" + "\n".join(moved[:40])
    assert len(base) > 150


def test_a_number_that_counts_the_whole_site_is_found_out(scenario, fixed, monkeypatch) -> None:
    """The planted fault: an entry of "Your activity" shows its place in the chain of the site."""
    entry: Callable[..., object] = Trail.entry
    monkeypatch.setattr(
        Trail, "entry", lambda self, seal, names, number: entry(self, seal, names, seal.sequence)
    )
    base = lived(scenario, fixed, {})
    found = differences(base, lived(scenario, fixed, UNLOCKED["another disagrees before"]))
    assert found and all("/audit/own/" in one for one in found)
