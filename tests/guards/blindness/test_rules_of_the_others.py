"""B6 to B9, B11 and B12: adjudicators, admins who rate, researchers, unblinding, site admins."""

from datetime import timedelta

import pytest
from django.db.models import F

from annotator.adjudication.rounds import take_turn
from annotator.adjudication.rulings.queries import adjudication_page
from annotator.adjudication.rulings.services import rule
from annotator.models import (
    AuditEvent,
    Candidate,
    Conflict,
    Membership,
    Rating,
    Role,
    Shown,
    Unblinding,
    User,
)
from annotator.rating.services import submit_rating
from annotator.reliability.services import carry_out_reliability, request_reliability
from core.errors import Forbidden
from patclaimeval.rubric import CRITERIA
from tests.guards.blindness.allowed import TABLE
from tests.guards.blindness.people import RULING
from tests.guards.blindness.snapshots import after, differences, looked_at

pytestmark = pytest.mark.slow
ITEMS = 30


def rate(user: User, candidate: Candidate, score: int) -> Rating:
    row = user.assignments.get(candidate=candidate)
    scores = dict.fromkeys(CRITERIA, score)
    return submit_rating(assignment_id=row.pk, annotator=user, scores=scores)


@pytest.mark.parametrize("furnished", ["taken"], indirect=True)
def test_b6_names_times_and_the_order_of_rating_change_nothing_that_an_adjudicator_sees(
    world,
) -> None:
    def rename() -> None:
        for who in ("one", "peer"):
            User.objects.filter(pk=world.here.people[who].pk).update(
                username=f"another{who}", first_name="Another", email="another@example.org"
            )
        rows = Rating.objects.filter(annotator=world.here.people["one"])
        day = timedelta(days=1)
        rows.update(
            submitted_at=F("submitted_at") - day,
            revised_at=F("revised_at") - day,
            active_seconds=99,
        )

    visitor = world.visitor("adjudicator")
    before = looked_at(visitor, world.here)
    assert "Annotator 1" in str(before) and "Annotator 2" in str(before)
    assert not differences(before, after(rename, visitor, world.here))


def test_b6_who_is_annotator_1_is_drawn_for_each_item_and_stays(cast) -> None:
    """The one who rates first, and whose name sorts first, is alice each time."""
    firsts = []
    for number in range(ITEMS):
        reference = cast.reference(f"r{number}", 1)
        cast.assign(cast.alice, reference)
        cast.assign(cast.bob, reference)
        (candidate,) = reference.candidates.all()
        hers = rate(cast.alice, candidate, 9)
        rate(cast.bob, candidate, 0)
        conflict = Conflict.objects.get(candidate=candidate, kind="overall_gap")
        shown = [adjudication_page(cast.carol, conflict.pk) for _ in range(2)]
        orders = [[row.rating_id for row in page.parts[0].ratings] for page in shown if page]
        assert orders[0] == orders[1]
        firsts.append(orders[0][0] == hers.pk)
    # Thirty throws of a coin lie outside this once in some thirty thousand.
    assert 4 <= sum(firsts) <= 26


@pytest.mark.parametrize("furnished", ["conflict open"], indirect=True)
def test_b7_who_rated_an_item_neither_sees_nor_rules_its_conflict(world) -> None:
    one, conflict = world.here.people["one"], world.here.conflict
    Membership.objects.create(user=one, campaign=world.here.campaign, role=Role.ADJUDICATOR)
    client = world.visitor("one").client
    assert client.get(f"/adjudication/{conflict.pk}/").status_code == 404
    assert str(conflict.pk) not in client.get("/adjudication/").content.decode()
    assert client.get("/api/v1/conflicts/").json() == []
    with pytest.raises(Forbidden):
        take_turn(conflict_id=conflict.pk, adjudicator=one)
    with pytest.raises(Forbidden):
        rule(conflict_id=conflict.pk, adjudicator=one, **RULING)


@pytest.mark.parametrize(
    "role",
    [
        Role.ADMIN,
        *(
            pytest.param(role, marks=pytest.mark.exhaustive)
            for role in (Role.ADJUDICATOR, Role.RESEARCHER)
        ),
    ],
)
def test_b8_a_rating_of_who_may_see_others_work_is_marked_as_not_blind(cast, role) -> None:
    reference = cast.reference("r1", 1)
    cast.assign(cast.alice, reference)
    cast.assign(cast.bob, reference)
    Membership.objects.create(user=cast.alice, campaign=cast.campaign, role=role)
    (candidate,) = reference.candidates.all()
    assert not rate(cast.alice, candidate, 5).is_blind
    assert rate(cast.bob, candidate, 5).is_blind


def test_b8_a_role_in_another_campaign_leaves_a_rating_blind(cast) -> None:
    cast.assign(cast.alice, cast.reference("r1", 1))
    Membership.objects.create(user=cast.alice, campaign=cast.elsewhere, role=Role.ADMIN)
    assert rate(cast.alice, cast.campaign.candidates.get(), 5).is_blind


@pytest.mark.parametrize("shown", Shown.values)
def test_b8_whoever_was_unblinded_rates_no_longer_blind(cast, shown) -> None:
    cast.assign(cast.alice, cast.reference("r1", 1))
    Unblinding.objects.create(
        campaign=cast.campaign, user=cast.alice, shown=shown, at=cast.campaign.created_at
    )
    rating = rate(cast.alice, cast.campaign.candidates.get(), 5)
    assert not rating.is_blind and not rating.revisions.get().is_blind


@pytest.mark.parametrize("furnished", ["closed"], indirect=True)
def test_b9_a_researcher_cannot_distinguish_two_annotators(world) -> None:
    carry_out_reliability(request_reliability(campaign=world.here.campaign).pk)
    seen = looked_at(world.visitor("researcher"), world.here)
    figures = {name: text for name, text in seen.items() if "reliability" in name}
    assert any("alpha" in text.lower() for text in figures.values())
    names = [world.here.people[one].username for one in ("one", "peer")]
    for name, text in figures.items():
        assert not any(one in text for one in ("Annotator 1", *names)), name


@pytest.mark.parametrize("furnished", ["closed"], indirect=True)
def test_b11_what_is_unblinded_after_closing_is_on_the_list_and_in_the_trail(world) -> None:
    here = world.here
    carry_out_reliability(request_reliability(campaign=here.campaign).pk)
    slug = here.campaign.slug
    world.visitor("one").client.get(f"/feedback/{slug}/")
    world.visitor("researcher").client.get(f"/campaigns/{slug}/settled/")
    admin = world.visitor("admin").client
    admin.post(f"/campaigns/{slug}/reliability/names/", {"reason": "to pay them"})
    rows = Unblinding.objects.filter(campaign=here.campaign)
    assert {(row.user, row.shown) for row in rows} == {
        (here.people["one"], "feedback"),
        (here.people["researcher"], "systems"),
        (here.people["admin"], "names"),
    }
    trail = AuditEvent.objects.filter(campaign=here.campaign, action="unblinding.shown")
    assert {row.object_id for row in trail} == {str(row.pk) for row in rows}
    assert "to pay them" in admin.get(f"/campaigns/{slug}/unblindings/").content.decode()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "furnished",
    ["conflict open", pytest.param("reopened", marks=pytest.mark.exhaustive)],
    indirect=True,
)
def test_b11_nothing_is_unblinded_while_the_campaign_is_open(world) -> None:
    carry_out_reliability(request_reliability(campaign=world.here.campaign).pk)
    for visitor in world.visitors:
        looked_at(visitor, world.here)
    slug = world.here.campaign.slug
    names = f"/campaigns/{slug}/reliability/names/"
    assert world.visitor("admin").client.post(names, {"reason": "why"}).status_code == 409
    assert not Unblinding.objects.exists()


def test_b12_the_table_gives_a_site_admin_no_text_and_no_title_of_a_campaign() -> None:
    """The crawl holds every answer to the table."""
    revealed = {secret for row in TABLE if "boss" in row.principals for secret in row.secrets}
    assert revealed
    assert not revealed & {
        *("claims", "reference", "title", "campaign", "export", "export ids", "import text")
    }
