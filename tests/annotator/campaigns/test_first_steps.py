from annotator.campaigns.first_steps import Step, first_steps
from annotator.campaigns.queries import campaign_progress
from annotator.models import Campaign
from annotator.rating.calibration.queries import EXAMPLES
from annotator.rating.calibration.services import add_examples
from tests.conftest import grant, make_user


def steps(cast) -> dict[str, Step]:
    row = Campaign.objects.get(pk=cast.campaign.pk)
    return {step.name: step for step in first_steps(row, campaign_progress(row))}


def done(cast) -> list[str]:
    return [name for name, step in steps(cast).items() if step.is_done]


def test_an_empty_campaign_lacks_claims_and_leads_to_where_each_step_is_done(cast, admin) -> None:
    assert done(cast) == ["People"]
    assert "No claims yet" in steps(cast)["Claims"].state
    assert steps(cast)["Start"].state == "Waits for claims and people."
    html = admin.get("/campaigns/cups/").content.decode()
    part = html[(start := html.index('class="next-steps"')) : html.index("</ol>", start)]
    for page in ("import", "members", "plan", "calibration", "rules"):
        assert f'href="/campaigns/cups/{page}/"' in part
    assert part.count("(optional)") == 2


def test_people_are_missing_until_as_many_can_work_as_rate_a_candidate(cast) -> None:
    Campaign.objects.update(overlap=3)
    assert "People" not in done(cast)
    assert steps(cast)["People"].state == "2 annotators; each candidate is for 3."
    grant(make_user("gone", is_active=False), cast.campaign, "annotator")
    assert "People" not in done(cast)
    grant(make_user("new"), cast.campaign, "annotator")
    assert "People" in done(cast)
    cast.campaign.memberships.filter(role="adjudicator").delete()
    assert "No adjudicator yet" in steps(cast)["People"].state


def test_each_step_is_done_by_what_is_there_and_the_start_follows(cast) -> None:
    reference = cast.reference("r1", 2)
    assert done(cast) == ["Claims", "People"]
    assert steps(cast)["Claims"].state == "1 reference with 2 candidates."
    assert steps(cast)["Start"].state.startswith("Ready")
    cast.assign(cast.alice, reference)
    add_examples(campaign=cast.campaign, keys=[next(iter(EXAMPLES))], by=cast.ada)
    assert done(cast) == ["Claims", "People", "Plan"]
    assert steps(cast)["Calibration"].state == "1 item, not rated first."
    Campaign.objects.update(has_calibration=True)
    assert done(cast) == ["Claims", "People", "Plan", "Calibration"]


def test_the_steps_go_with_the_first_rating_and_with_the_closing(cast, admin) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 2))
    assert "next-steps" in admin.get("/campaigns/cups/").content.decode()
    Campaign.objects.update(status="closed")
    assert "next-steps" not in admin.get("/campaigns/cups/").content.decode()
    Campaign.objects.update(status="open")
    cast.submit(rows[0])
    assert "next-steps" not in admin.get("/campaigns/cups/").content.decode()
