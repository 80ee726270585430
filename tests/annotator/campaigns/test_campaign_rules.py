"""Pages on which an admin creates, changes, closes and reopens a campaign."""

import re

import pytest

from annotator.campaigns.forms import RulesForm, rules_as_sent
from annotator.models import Campaign, Membership

pytestmark = pytest.mark.django_db

RULES = "/campaigns/cups/rules/"


@pytest.fixture
def admin(client, cast):
    client.force_login(cast.ada)
    return client


def sent(**more: object) -> dict[str, object]:
    return {
        "name": "Cups",
        "overlap": "3",
        "shared_percent": "100",
        "revision_hours": "24",
        "lease_minutes": "120",
        "criterion_gap": "3",
        "overall_gap": "2",
        "flip_gap": "1",
    } | more


def test_an_admin_creates_a_campaign_and_is_its_admin(admin, cast) -> None:
    answer = admin.post("/campaigns/new/", {"slug": "spoons", "name": "Spoons"})
    row = Campaign.objects.get(name="Spoons")
    assert re.fullmatch(r"spoons-[a-z2-9]{5}", row.slug)
    assert (answer.status_code, answer["Location"]) == (303, f"/campaigns/{row.slug}/rules/")
    assert Membership.objects.get(campaign=row).user == cast.ada
    assert f"Its short name is {row.slug}." in admin.get(answer["Location"]).content.decode()


def test_a_short_name_reveals_nothing_of_campaigns_that_have_it(admin) -> None:
    for slug in ("cups", "elsewhere", "cups"):
        answer = admin.post("/campaigns/new/", {"slug": slug, "name": "Again"})
        assert answer.status_code == 303
    slugs = Campaign.objects.filter(name="Again").values_list("slug", flat=True)
    assert {slug.partition("-")[0] for slug in slugs} == {"cups", "elsewhere"} and len(slugs) == 3


@pytest.mark.parametrize("slug", ["new", "a b", "", "a\x00", "a" * 55])
def test_a_short_name_that_cannot_be_is_reported_and_shown_again(admin, slug: str) -> None:
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


def test_a_ladder_a_share_and_a_last_day_are_shown_again(admin) -> None:
    wanted = sent(has_ladder="on", shared_percent="40", retain_until="2031-05-09")
    assert admin.post(RULES, wanted).status_code == 303
    page = admin.get(RULES).content.decode()
    assert 'value="2031-05-09"' in page
    assert (
        'name="has_ladder" aria-describedby="id_has_ladder_helptext" id="id_has_ladder" checked'
        in page
    )
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


@pytest.mark.parametrize(
    "wrong",
    [
        {"overlap": "0"},
        {"overlap": "21"},
        {"shared_percent": "101"},
        {"shared_percent": "half"},
        {"retain_until": "2020-01-01"},
        {"retain_until": "soon"},
        {"retain_until": "2030-02-30"},
        {"criterion_gap": "11"},
        {"overall_gap": "0"},
        {"flip_gap": "NaN"},
        {"lease_minutes": "1e9"},
        {"name": ""},
    ],
    ids=lambda wrong: "".join(wrong),
)
def test_a_wrong_rule_is_reported_at_its_field_and_nothing_changes(admin, wrong) -> None:
    answer = admin.post(RULES, sent(**wrong))
    assert answer.status_code == 422
    (name,) = wrong
    assert f'id="id_{name}_error"' in answer.content.decode()
    assert Campaign.objects.get(slug="cups").overlap == 2


def test_closing_needs_a_reason_and_reopening_too(admin) -> None:
    assert admin.post("/campaigns/cups/close/", {"reason": " "}).status_code == 422
    assert admin.post("/campaigns/cups/close/", {"reason": "done"}).status_code == 303
    page = admin.get(RULES).content.decode()
    assert "Reopen" in page
    assert admin.post(RULES, sent()).status_code == 409
    assert admin.post("/campaigns/cups/reopen/", {"reason": ""}).status_code == 422
    assert admin.post("/campaigns/cups/reopen/", {"reason": "more"}).status_code == 303
    assert Campaign.objects.get(slug="cups").is_open


def test_another_campaign_is_not_found_and_other_roles_are_refused(client, cast) -> None:
    client.force_login(cast.ada)
    for path in ("rules/", "close/", "reopen/", "members/", "members/revoke/"):
        assert client.post(f"/campaigns/elsewhere/{path}", {}).status_code == 404
    client.force_login(cast.rita)
    assert client.get(RULES).status_code == 403
