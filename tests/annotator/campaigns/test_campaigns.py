import re
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from annotator.adjudication.rounds import ASKED_SENTENCE, call_back, take_turn
from annotator.assignments.services import take_next
from annotator.campaigns.forms import RulesForm, rules_as_sent
from annotator.campaigns.queries import retention, rules_history
from annotator.campaigns.services import (
    CampaignRules,
    change_rules,
    close_campaign,
    create_campaign,
    reopen_campaign,
)
from annotator.models import (
    AuditEvent,
    Campaign,
    Candidate,
    Conflict,
    Membership,
    RulesVersion,
    User,
)
from core.errors import OutOfDate, Refused
from patclaimeval.rubric import CRITERIA, TOTAL_WEIGHT, band_of
from tests.annotator.adjudication.discrepant import (
    HIGH,
    disagree,
    leave_campaign,
    member,
    of,
    open_conflict,
    rate_all,
    statuses,
)
from tests.annotator.adjudication.rulings import decide
from tests.conftest import spread

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def rules_of(campaign: Campaign) -> CampaignRules:
    names = CampaignRules.__dataclass_fields__
    return CampaignRules(**{name: getattr(campaign, name) for name in names})


def change(cast, **changed: Any) -> Campaign:
    rules = replace(rules_of(cast.campaign), **changed)
    return change_rules(campaign=cast.campaign, rules=rules, changed_by=cast.ada)


def test_a_larger_overlap_adds_places_and_a_smaller_one_takes_only_free_ones(cast) -> None:
    cast.assign(cast.alice, cast.reference("r1", 2))
    change(cast, overlap=1)
    assert not Candidate.objects.filter(has_room=True).exists()
    assert take_next(slug="cups", annotator=cast.bob) is None
    change(cast, overlap=3)
    assert Candidate.objects.filter(has_room=True, held=1).count() == 2
    assert take_next(slug="cups", annotator=cast.bob) is not None


def test_new_conflict_rules_hold_for_the_ratings_so_far_and_a_conflict_names_them(cast) -> None:
    reference = cast.reference("r1", 1)
    rate_all(cast, cast.alice, reference, [(5, 5, 5, 5)])
    rate_all(cast, cast.bob, reference, [(7, 7, 7, 7)])
    change(cast)
    assert not AuditEvent.objects.filter(action="campaign.rules_changed").exists()
    assert set(Conflict.objects.values_list("kind", "rules_version")) == {("overall_gap", 1)}
    found = Conflict.objects.filter(status="open", kind="criterion_gap")
    change(cast, criterion_gap=2)
    assert list(found.values_list("rules_version", flat=True)) == [2] * 4
    change(cast)
    assert not found.exists()
    event = AuditEvent.objects.filter(action="campaign.rules_changed").earliest("pk")
    assert (event.actor, event.details) == (cast.ada, {"changes": {"criterion_gap": [3, 2]}})


def test_every_change_of_the_conflict_rules_is_a_version_and_conflicts_say_which(cast) -> None:
    campaign = create_campaign(slug="pots", created_by=cast.ada)
    one = rules_of(campaign)
    campaign = change_rules(
        campaign=campaign, rules=replace(one, overlap=3, name="Pots"), changed_by=cast.ada
    )
    assert campaign.rules_version == 1
    stricter = replace(rules_of(campaign), criterion_gap=1)
    campaign = change_rules(campaign=campaign, rules=stricter, changed_by=cast.ada)
    with_ladder = replace(stricter, has_ladder=True)
    campaign = change_rules(campaign=campaign, rules=with_ladder, changed_by=cast.rita)
    versions = campaign.rules_versions.values_list(
        "number", "criterion_gap", "has_ladder", "made_by__username"
    )
    assert list(versions) == [(1, 3, False, "ada"), (2, 1, False, "ada"), (3, 1, True, "rita")]


def test_a_share_of_the_references_has_the_overlap_and_the_others_one_annotator(cast) -> None:
    for number in range(5):
        cast.reference(f"r{number}", 2)
    change(cast, overlap=3, shared_percent=30)
    places = {
        reference: set(
            Candidate.objects.filter(reference=reference).values_list("places", flat=True)
        )
        for reference in cast.campaign.references.all()
    }
    assert sorted(map(sorted, places.values())) == [[1], [1], [1], [3], [3]]
    # The draw is the same each time.
    change(cast, overlap=3, name="Cups again", shared_percent=100)
    assert set(Candidate.objects.values_list("places", flat=True)) == {3}
    change(cast, overlap=3, shared_percent=30)
    shared = Candidate.objects.filter(places=3).values_list("reference", flat=True)
    assert set(shared) == {row.pk for row, k in places.items() if k == {3}}


def test_a_campaign_is_closed_and_reopened_with_a_reason_each_time(cast) -> None:
    for reason in ("", "   ", "\u200b", "...", "x" * 2_001, "a\x00b"):
        with pytest.raises(Refused):
            close_campaign(campaign=cast.campaign, reason=reason, closed_by=cast.ada)
    close_campaign(campaign=cast.campaign, reason="enough", closed_by=cast.ada)
    closed = Campaign.objects.get(pk=cast.campaign.pk)
    assert not closed.is_open
    assert closed.closed_at is not None
    with pytest.raises(OutOfDate, match="already"):
        close_campaign(campaign=closed, reason="again", closed_by=cast.ada)
    with pytest.raises(OutOfDate, match="reopen"):
        change_rules(
            campaign=closed, rules=replace(rules_of(closed), overlap=9), changed_by=cast.ada
        )
    reopen_campaign(campaign=closed, reason="one more reference", reopened_by=cast.ada)
    assert Campaign.objects.get(pk=closed.pk).closed_at is None
    events = AuditEvent.objects.filter(object_type="campaign").values_list("action", "details")
    assert list(events) == [
        ("campaign.closed", {"reason": "enough"}),
        ("campaign.reopened", {"reason": "one more reference"}),
    ]


def test_versions_stand_newest_first_with_gaps_in_points_and_say_who_set_what(cast) -> None:
    RulesVersion.objects.filter(campaign=cast.campaign).delete()
    for number, gap in ((1, 22), (2, 17), (3, 5)):
        RulesVersion.objects.create(
            campaign=cast.campaign,
            number=number,
            criterion_gap=number + 1,
            overall_gap_numerator=gap,
            flip_gap_numerator=11,
            has_ladder=number == 2,
            made_at=timezone.now(),
            made_by=cast.ada if number == 2 else None,
        )
    cast.campaign.rules_version = 2
    found = rules_history(cast.campaign)
    assert [rules.row.number for rules in found] == [3, 2, 1]
    assert [row.overall_gap for row in found] == ["0.45", "1.54", "2.00"]
    assert [row.is_current for row in found] == [False, True, False]
    assert [rules.row.made_by for rules in found] == [None, cast.ada, None]
    assert rules_history(cast.elsewhere) == ()
    html = render_to_string("annotator/campaigns/_rules_history.html", {"history": found})
    assert (html.count("<tr>"), html.count(">holds<")) == (4, 1)
    assert all(text in html for text in ("a further annotator first", "ada", "the system"))


@pytest.fixture
def two_of_three(cast, carol) -> Candidate:
    """A candidate in conflict by two ratings, of which a third is planned."""
    member(cast, "erin")
    spread(cast.campaign, 3)
    return disagree(cast)


@pytest.mark.parametrize("is_rated", [True, False], ids=["rated", "called back"])
def test_two_of_three_are_not_ruled_on_before_the_last_rating_or_calling_back(
    two_of_three, carol, cast, is_rated
) -> None:
    assert statuses(two_of_three) == {"waiting"}
    with pytest.raises(OutOfDate, match=ASKED_SENTENCE[:30]):
        take_turn(conflict_id=of(two_of_three).pk, adjudicator=carol)
    with pytest.raises(OutOfDate, match=ASKED_SENTENCE[:30]):
        decide(of(two_of_three), carol)
    if is_rated:
        erin = User.objects.get(username="erin")
        cast.submit(cast.assign(erin, two_of_three.reference)[0], HIGH)
    else:
        call_back(conflict_id=of(two_of_three).pk, adjudicator=carol)
    assert statuses(two_of_three) == {"open"}
    decide(of(two_of_three), carol)
    assert statuses(two_of_three) == {"ruled"}


def test_an_overlap_that_is_full_now_opens_it_and_so_does_a_closed_campaign(
    cast, two_of_three
) -> None:
    cast.campaign.refresh_from_db()
    for overlap, status in ((2, "open"), (3, "waiting")):
        change(cast, overlap=overlap)
        assert statuses(two_of_three) == {status}
    close_campaign(campaign=cast.campaign, reason="done", closed_by=cast.ada)
    assert statuses(two_of_three) == {"open"}
    reopen_campaign(campaign=cast.campaign, reason="not yet", reopened_by=cast.ada)
    assert statuses(two_of_three) == {"waiting"}


def test_where_nobody_could_rate_it_any_more_nothing_is_awaited(cast, carol) -> None:
    spread(cast.campaign, 3)
    erin = member(cast, "erin")
    leave_campaign(erin, cast)
    assert statuses(disagree(cast)) == {"open"}


RULES = "/campaigns/cups/rules/"


def sent(**more: object) -> dict[str, object]:
    rules = {"name": "Cups", "overlap": "3", "shared_percent": "100", "revision_hours": "24"}
    gaps = {"criterion_gap": "3", "overall_gap": "2", "flip_gap": "1"}
    return rules | gaps | {"lease_minutes": "120"} | more


def test_an_admin_creates_a_campaign_and_is_its_admin(admin, cast) -> None:
    answer = admin.post("/campaigns/new/", {"slug": "spoons", "name": "Spoons"})
    row = Campaign.objects.get(name="Spoons")
    assert re.fullmatch(r"spoons-[a-z2-9]{5}", row.slug)
    assert (answer.status_code, answer["Location"]) == (303, f"/campaigns/{row.slug}/rules/")
    assert Membership.objects.get(campaign=row).user == cast.ada
    assert f"short name {row.slug}" in admin.get(answer["Location"]).content.decode()


def test_a_short_name_tells_nothing_of_campaigns_that_have_it(admin) -> None:
    for slug in ("cups", "elsewhere", "cups"):
        answer = admin.post("/campaigns/new/", {"slug": slug, "name": "Again"})
        assert answer.status_code == 303
    slugs = Campaign.objects.filter(name="Again").values_list("slug", flat=True)
    assert {slug.partition("-")[0] for slug in slugs} == {"cups", "elsewhere"} and len(slugs) == 3


@pytest.mark.parametrize("slug", ["new", "a b", "", "a\x00", "a" * 55])
def test_a_short_name_that_cannot_be_is_refused_and_shown_again(admin, slug: str) -> None:
    answer = admin.post("/campaigns/new/", {"slug": slug, "name": "Kept words"})
    assert answer.status_code == 422
    assert "Kept words" in answer.content.decode()
    assert Campaign.objects.count() == 2
    sent = {"slug": "a" * 54, "name": "The longest"}
    assert admin.post("/campaigns/new/", sent).status_code == 303


def test_rules_are_shown_changed_and_shown_again(admin) -> None:
    assert 'value="2' in admin.get(RULES).content.decode()
    answer = admin.post(RULES, sent(overall_gap="1.5"))
    assert (answer.status_code, answer["Location"]) == (303, "/campaigns/cups/")
    row = Campaign.objects.get(slug="cups")
    assert (row.overlap, row.overall_gap_numerator, row.flip_gap_numerator) == (3, 17, 11)
    wanted = sent(has_ladder="on", shared_percent="40", retain_until="2031-05-09")
    assert admin.post(RULES, wanted).status_code == 303
    page = admin.get(RULES).content.decode()
    assert 'value="2031-05-09"' in page
    assert re.search('name="has_ladder"[^>]* checked', page)
    assert 'value="40"' in page


def test_a_last_day_that_has_passed_stands_until_another_is_chosen(admin) -> None:
    Campaign.objects.filter(slug="cups").update(retain_until="2020-01-01")
    assert admin.post(RULES, sent(retain_until="2020-01-01")).status_code == 303
    assert admin.post(RULES, sent(retain_until="2020-01-02")).status_code == 422


@pytest.mark.parametrize("numerator", range(1, 111))
def test_a_gap_shown_and_sent_again_is_the_same_gap(numerator: int) -> None:
    row = Campaign(name="x", overall_gap_numerator=numerator, flip_gap_numerator=numerator)
    form = RulesForm(rules_as_sent(row))
    if numerator == 110:
        assert str(rules_as_sent(row)["overall_gap"]) == "10.00"
    assert form.is_valid(), form.errors
    assert form.rules.overall_gap_numerator == numerator


WRONG_RULES = {
    "overlap": ["0", "21"],
    "shared_percent": ["101", "half"],
    "retain_until": ["2020-01-01", "soon", "2030-02-30"],
    "criterion_gap": ["11"],
    "overall_gap": ["0"],
    "flip_gap": ["NaN"],
    "lease_minutes": ["1e9"],
    "name": [""],
}


@pytest.mark.parametrize("name", WRONG_RULES)
def test_a_wrong_rule_is_named_at_its_field_and_nothing_changes(admin, name: str) -> None:
    for wrong in WRONG_RULES[name]:
        answer = admin.post(RULES, sent(**{name: wrong}))
        assert answer.status_code == 422, wrong
        assert f'id="id_{name}_error"' in answer.content.decode(), wrong
        assert Campaign.objects.get(slug="cups").overlap == 2, wrong


def test_closing_says_first_what_it_does_and_does_nothing(admin, cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 2))
    cast.submit(rows[0])
    for kind in ("criterion_gap", "overall_gap"):
        open_conflict(rows[0].candidate, kind, status="waiting")
    page = admin.post("/campaigns/cups/close/", {"reason": "done"}).content.decode()
    assert "1 unsettled case can still be ruled" in page
    assert "<strong>1 open candidate</strong>" in page and "of 1 annotator can no longer" in page
    assert "1 rating is final at once" in page and "You can reopen it at any time" in page
    assert 'value="done"' in page and Campaign.objects.get(slug="cups").is_open


def test_closing_needs_a_reason_and_reopening_too(admin) -> None:
    path = "/campaigns/cups/close/"
    assert admin.post(path, {"reason": " ", "confirmed": "1"}).status_code == 422
    assert admin.post(path, {"reason": "done", "confirmed": "1"}).status_code == 303
    page = admin.get(RULES).content.decode()
    assert "Reopen" in page
    assert admin.post(RULES, sent()).status_code == 409
    assert admin.post("/campaigns/cups/reopen/", {"reason": ""}).status_code == 422
    assert admin.post("/campaigns/cups/reopen/", {"reason": "more"}).status_code == 303
    assert Campaign.objects.get(slug="cups").is_open


TODAY = date(2026, 3, 31)


@pytest.mark.parametrize(
    ("days", "is_near", "has_passed", "days_over"),
    [(31, False, False, 0), (30, True, False, 0), (0, True, False, 0), (-1, False, True, 1)],
)
def test_a_day_is_near_for_thirty_days_and_then_past(days, is_near, has_passed, days_over) -> None:
    found = retention(Campaign(retain_until=TODAY + timedelta(days=days)), TODAY)
    assert found is not None and retention(Campaign(), TODAY) is None
    assert (found.is_near, found.has_passed) == (is_near, has_passed)
    assert (found.days_left, found.days_over) == (days, days_over)


def test_the_rules_that_a_campaign_starts_with_are_explained_until_they_change(admin, cast) -> None:
    page = "/campaigns/cups/rules/"
    html = admin.get(page).content.decode()
    assert "Every campaign starts with the same rules." in html
    # What the sentences name is what a campaign has by default.
    row = Campaign()
    assert (row.overlap, row.revision_hours, row.lease_minutes) == (2, 24, 120)
    assert (row.criterion_gap, row.overall_gap_numerator) == (3, 2 * TOTAL_WEIGHT)
    for low in range(8):
        assert band_of(CRITERIA[0], low) != band_of(CRITERIA[0], low + 3)
    rules = rules_as_sent(cast.campaign) | {"criterion_gap": 4}
    sent = {key: value for key, value in rules.items() if value}
    assert admin.post(page, sent).status_code == 303
    assert "Every campaign starts" not in admin.get(page).content.decode()
