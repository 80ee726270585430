"""Rules of a campaign, closing and reopening."""

from dataclasses import replace

import pytest

from annotator.assignments.services import take_next
from annotator.campaigns.services import (
    CampaignRules,
    change_rules,
    close_campaign,
    create_campaign,
    reopen_campaign,
)
from annotator.models import AuditEvent, Campaign, Candidate, Conflict
from core.errors import OutOfDate, Refused

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def rules_of(campaign: Campaign) -> CampaignRules:
    names = CampaignRules.__dataclass_fields__
    return CampaignRules(**{name: getattr(campaign, name) for name in names})


def test_the_address_of_the_form_is_no_campaign() -> None:
    with pytest.raises(Refused):
        create_campaign(slug="new")


def test_a_larger_overlap_gives_places_and_a_smaller_one_takes_only_what_is_free(cast) -> None:
    reference = cast.reference("r1", 2)
    cast.assign(cast.alice, reference)
    rules = rules_of(cast.campaign)
    change_rules(campaign=cast.campaign, rules=replace(rules, overlap=1), changed_by=cast.ada)
    assert not Candidate.objects.filter(has_room=True).exists()
    assert take_next(slug="cups", annotator=cast.bob) is None
    change_rules(campaign=cast.campaign, rules=replace(rules, overlap=3), changed_by=cast.ada)
    assert Candidate.objects.filter(has_room=True, held=1).count() == 2
    assert take_next(slug="cups", annotator=cast.bob) is not None


def test_new_conflict_rules_hold_for_the_ratings_so_far(cast) -> None:
    reference = cast.reference("r1", 1)
    for user, score in ((cast.alice, 5), (cast.bob, 7)):
        cast.submit(cast.assign(user, reference)[0], (score,) * 4)
    rules = rules_of(cast.campaign)
    open_now = Conflict.objects.filter(status="open", kind="criterion_gap")
    assert open_now.count() == 0
    stricter = replace(rules, criterion_gap=2)
    change_rules(campaign=cast.campaign, rules=stricter, changed_by=cast.ada)
    assert open_now.count() == 4
    change_rules(campaign=cast.campaign, rules=rules, changed_by=cast.ada)
    assert open_now.count() == 0
    told = AuditEvent.objects.filter(action="campaign.rules_changed").first()
    assert told is not None
    assert told.actor == cast.ada
    assert told.details == {"changes": {"criterion_gap": [3, 2]}}


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
    assert list(versions) == [
        (1, 3, False, "ada"),
        (2, 1, False, "ada"),
        (3, 1, True, "rita"),
    ]


def test_a_conflict_says_under_which_rules_it_was_found(cast) -> None:
    reference = cast.reference("r1", 1)
    for user, score in ((cast.alice, 5), (cast.bob, 7)):
        cast.submit(cast.assign(user, reference)[0], (score,) * 4)
    rules = rules_of(cast.campaign)
    assert set(Conflict.objects.values_list("rules_version", flat=True)) == {1}
    stricter = replace(rules, criterion_gap=2)
    change_rules(campaign=cast.campaign, rules=stricter, changed_by=cast.ada)
    found = Conflict.objects.filter(kind="criterion_gap")
    assert set(found.values_list("rules_version", flat=True)) == {2}


def test_a_share_of_the_references_has_the_overlap_and_the_others_one_annotator(cast) -> None:
    for number in range(5):
        cast.reference(f"r{number}", 2)
    rules = replace(rules_of(cast.campaign), overlap=3, shared_percent=30)
    change_rules(campaign=cast.campaign, rules=rules, changed_by=cast.ada)
    places = {
        reference: set(
            Candidate.objects.filter(reference=reference).values_list("places", flat=True)
        )
        for reference in cast.campaign.references.all()
    }
    assert sorted(map(sorted, places.values())) == [[1], [1], [1], [3], [3]]
    # The draw is the same each time.
    again = replace(rules, name="Cups again", shared_percent=100)
    change_rules(campaign=cast.campaign, rules=again, changed_by=cast.ada)
    assert set(Candidate.objects.values_list("places", flat=True)) == {3}
    change_rules(campaign=cast.campaign, rules=rules, changed_by=cast.ada)
    shared = Candidate.objects.filter(places=3).values_list("reference", flat=True)
    assert set(shared) == {row.pk for row, k in places.items() if k == {3}}


def test_the_same_rules_again_leave_no_trace(cast) -> None:
    change_rules(campaign=cast.campaign, rules=rules_of(cast.campaign), changed_by=cast.ada)
    assert not AuditEvent.objects.filter(action="campaign.rules_changed").exists()


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
    told = AuditEvent.objects.filter(object_type="campaign").values_list("action", "details")
    assert list(told) == [
        ("campaign.closed", {"reason": "enough"}),
        ("campaign.reopened", {"reason": "one more reference"}),
    ]
