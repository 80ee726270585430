"""No page breaks a rule that axe-core can check, in light or in dark, for any role."""

from typing import Any
from urllib.parse import urljoin

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotator import permissions
from annotator.models import Assignment, Campaign, CampaignStatus, Conflict, Role, User
from annotator.services.comparisons import assign_comparisons
from annotator.services.invitations import invite
from annotator.services.reliability import carry_out_reliability, request_reliability
from scoring.models import DatasetVersion, ModelVersion, ScoreRequest, TrainingRun
from scoring.services.dataset_import import import_dataset
from scoring.services.erasures import ask_erasure
from scoring.services.freezes import request_freeze
from scoring.services.report_work import carry_out_report
from scoring.services.reports import request_report
from scoring.splits import SplitPlan
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.room import press, wait_until_kept
from tests.house.blindness.import_rows import import_rows
from tests.house.blindness.measured_rows import FROZEN
from tests.scoring.cards.model_builders import MODEL
from tests.scoring.conftest import dataset_rows

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# What a GET answers without a page: two words, a part of a page, a file.
NO_PAGES = {
    *("annotator:healthz", "annotator:readyz", "annotator:metrics", "annotator:campaign_counts"),
    # Leads to the sign-in page unless a password was just given.
    "annotator:login_code",
    *("annotator:reliability_progress", "annotator:claim_import_progress"),
    *("scoring:run_progress", "scoring:report_progress", "scoring:export", "scoring:data_card"),
    *("scoring:freeze_progress", "scoring:download_model", "scoring:download_report"),
    # Its asker's alone: it has a test of its own.
    *("scoring:scored", "scoring:score_progress"),
}
OF_A_CAMPAIGN = (
    *("annotator:campaign", "annotator:campaign_rules", "annotator:members"),
    *("annotator:rulings", "annotator:what_if", "annotator:settled", "annotator:plan"),
    *("annotator:reliability", "annotator:unblindings", "annotator:feedback"),
    "annotator:audit",
    "annotator:import_claims",
    "annotator:export_ratings",
)
PRINCIPALS = tuple(name for name in permissions.PRINCIPALS if name != permissions.ANONYMOUS)
CRITERION = "feature_completeness"


def routes_of(principal: str) -> list[str]:
    """Return the routes whose pages the matrix opens to a principal with GET."""
    rules = permissions.matrix().values()
    return [
        rule.route
        for rule in rules
        if "GET" in rule.methods
        and principal in rule.principals
        and ":api:" not in f":{rule.route}"
        and rule.route not in NO_PAGES
    ]


@pytest.fixture
def people(cast: Any, alice: User) -> dict[str, User]:
    """One member of the campaign per role, and a site admin who is a member of nothing."""
    boss = User.objects.create(username="boss", is_superuser=True)
    reader = User.objects.create(username="reader")
    reader.memberships.create(campaign=cast.campaign, role=Role.READER)
    members = (alice, cast.carol, cast.rita, cast.ada, reader, boss)
    return dict(zip(PRINCIPALS, members, strict=True))


@pytest.fixture
def addresses(cast: Any, alice: User, work: list[Assignment], settings: Any, tmp_path: Any) -> dict:
    """The arguments of every route that has some: a row of each kind, each with something in it."""
    settings.DATA_DIR = tmp_path
    cast.submit(work[0], scores=(7, 6, 5, 8), comment="The lid has lost its hinge.")
    # Bob disagrees, which carol is to settle.
    of_bob = cast.assign(cast.bob, work[0].candidate.reference)
    (other,) = (row for row in of_bob if row.candidate_id == work[0].candidate_id)
    cast.submit(other, scores=(1, 1, 1, 1), comment="Nothing of it holds water.")
    pairs = [(work[1].candidate, work[2].candidate)]
    (comparison,) = assign_comparisons(campaign=cast.campaign, annotator=alice, pairs=pairs)
    version = import_dataset(name="tiny", rows=dataset_rows(), plan=SplitPlan("file")).version
    run, model = trained(version)
    # Of the campaign, so that its reader finds it.
    reported = import_dataset(name="reported", rows=dataset_rows(), plan=SplitPlan("file")).version
    reported.dataset.campaign = cast.campaign
    reported.dataset.save()
    report = request_report(version=reported, criterion=CRITERION, scorers=["length"], split="all")
    carry_out_report(report.pk)
    freeze = request_freeze(campaign=cast.campaign, settings=FROZEN)
    carry_out_reliability(request_reliability(campaign=cast.campaign).pk)
    imports = import_rows("x", cast.campaign, cast.ada)
    # Another matter's, so that the page of this one still shows the way to ask.
    ask_erasure(reference=cast.reference("r9", 1), asked_by=cast.ada, reason="The client left.")
    return {
        "annotator:rate": {"pk": work[0].pk},
        "annotator:compare": {"pk": comparison.pk},
        "annotator:rubric_criterion": {"name": CRITERION},
        "annotator:invitation": {
            "token": invite(by=cast.ada, campaign=cast.campaign, role="reader")
        },
        "annotator:adjudicate": {"pk": Conflict.objects.get(kind="overall_gap").pk},
        **{route: {"slug": cast.campaign.slug} for route in OF_A_CAMPAIGN},
        "annotator:claim_import": {"slug": cast.campaign.slug, "pk": imports.waiting.pk},
        "annotator:settled_candidate": {"slug": cast.campaign.slug, "pk": work[0].candidate_id},
        "scoring:dataset_version": {"name": "tiny", "number": 1},
        "scoring:quadruplets": {"name": "tiny", "number": 1},
        "scoring:quadruplet": {"name": "tiny", "number": 1, "place": 1},
        "scoring:ranking": {"name": "tiny", "number": 1},
        "scoring:freeze_page": {"pk": freeze.pk},
        "scoring:rating_uses": {"pk": other.rating.pk},
        "scoring:reference_uses": {"pk": work[0].candidate.reference_id},
        "scoring:run": {"pk": run.pk},
        "scoring:model": {"pk": model.pk},
        "scoring:promotion": {"pk": model.pk},
        "scoring:report": {"pk": report.pk},
    }


def trained(version: DatasetVersion) -> tuple[TrainingRun, ModelVersion]:
    """Return a run that waits, and a model as a finished run leaves it."""
    waiting, done = (
        TrainingRun.objects.create(
            dataset_version=version,
            criterion=CRITERION,
            settings={},
            log=[{"at": "2026-01-02T03:04:05+00:00", "words": "training began"}],
            history=[{"epoch": n, "loss": 1 / n, "validation_tau": n / 5} for n in (1, 2)],
        )
        for _ in range(2)
    )
    model = ModelVersion.objects.create(
        run=done,
        criterion=CRITERION,
        directory="model",
        manifest_sha256="0" * 64,
        dataset_sha256=version.sha256,
        code_version="1",
        card=MODEL,
    )
    return waiting, model


def sideways(page: Page) -> list[str]:
    """Return by how much the page is wider than a telephone, and than a screen at 200 %."""
    found = []
    for width, height in ((360, 740), (640, 400)):
        page.set_viewport_size({"width": width, "height": height})
        over = page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
        found += [f"{page.url} is {over} px too wide at {width} px"] if over > 0 else []
    page.set_viewport_size({"width": 1280, "height": 800})
    return found


@pytest.mark.parametrize("principal", PRINCIPALS)
def test_no_page_of_a_role_breaks_a_rule_or_scrolls_sideways(
    people: dict[str, User],
    addresses: dict[str, dict[str, Any]],
    enter: Enter,
    site: str,
    page: Page,
    principal: str,
) -> None:
    enter(page.context, people[principal])
    found = []
    for route in routes_of(principal):
        answer = page.goto(site + reverse(route, kwargs=addresses.get(route)))
        # A site admin who is a member of nothing passes the gate and finds no campaign.
        if principal != permissions.SITE_ADMIN:
            assert answer and answer.ok, (route, answer and answer.status)
        found += faults(page) + sideways(page)
    assert not found, "\n".join(found)


def test_the_scores_of_a_request_break_no_rule(
    people: dict[str, User], addresses: dict[str, Any], enter: Enter, site: str, page: Page
) -> None:
    rita = people[Role.RESEARCHER]
    model = ModelVersion.objects.get()
    row = ScoreRequest.objects.create(
        asked_by=rita,
        reference_text="1. A cup with a lid.",
        candidate_texts=["1. A cup.", "1. A mug " + "with a handle " * 40],
        models_by_criterion={CRITERION: str(model.pk)},
        scores={CRITERION: [{"score": 0.7}, {"error": "The pair has 5000 tokens."}]},
        status="succeeded",
    )
    enter(page.context, rita)
    answer = page.goto(site + reverse("scoring:scored", kwargs={"pk": row.pk}))
    assert answer and answer.ok
    assert faults(page) + sideways(page) == []


def test_no_page_of_somebody_without_a_session_breaks_a_rule(
    alice: User, site: str, page: Page
) -> None:
    page.goto(f"{site}/login/?next=/rated/")
    expect(page.get_by_label("User name")).to_be_focused()
    found = faults(page)
    page.keyboard.type("alice")
    press(page, "Tab", "x", "Enter")
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("not right")
    found += faults(page)
    page.context.add_cookies([{"name": "csrftoken", "value": "x" * 32, "url": site}])
    press(page, "Tab", "x", "Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("The form was not accepted")
    found += faults(page)
    assert not found, "\n".join(found)


def test_no_refused_page_breaks_a_rule(
    alice: User, work: list[Assignment], enter: Enter, site: str, page: Page
) -> None:
    enter(page.context, alice)
    found = []
    for address, status in (("/nothing/", 404), ("/datasets/", 403)):
        answer = page.goto(site + address)
        assert answer and answer.status == status
        found += faults(page)
    page.goto(f"{site}/keys/")
    page.get_by_label("Next criterion").fill("7")
    page.get_by_role("button", name="Save keys").click()
    expect(page.get_by_text("always give scores.").first).to_be_visible()
    found += faults(page)
    assert not found, "\n".join(found)


def test_no_state_of_the_rate_page_breaks_a_rule(room: Page) -> None:
    found = faults(room)

    def look(ready: str) -> None:
        expect(room.locator(ready).first).to_be_visible()
        found.extend(faults(room))

    press(room, "?")
    look("#keys[open]")
    press(room, "Escape", "b")
    look("#exemplars[open] .lesson")
    press(room, "Escape", "s")
    look("#leave[open]")
    press(room, "Escape", "7", "e", "v", "Enter")
    look("#tags .chip")
    press(room, "Escape", "f")
    look(".is-folded")
    press(room, "f", ".")
    look(".limitation.is-current")
    room.locator(".findings").first.evaluate("list => { list.open = true; }")
    look(".findings[open]")
    press(room, "a")
    look(".columns")
    press(room, "d", "m")
    look("#panes:not(.shows-diff, .shows-marks)")
    room.context.clear_cookies()
    press(room, "c", "x")
    look("#sign-in-again[open]")
    assert not found, "\n".join(found)


def test_no_answer_to_a_rating_breaks_a_rule(cast: Any, room: Page, work: list[Assignment]) -> None:
    found = []

    def look(ready: str) -> None:
        expect(room.locator(ready).first).to_be_visible()
        found.extend(faults(room))

    press(room, "7", "Control+Enter")
    look(".scale.field-wrong .error")
    wait_until_kept(room)
    room.goto(room.url)
    look(".draft-note")
    cast.submit(work[0], comment="From another tab.")
    press(room, "1", "2", "3", "4", "Control+Enter")
    look("text=Sending again replaces what is stored")
    room.goto(urljoin(room.url, "/"))
    look(".queue")
    room.goto(urljoin(room.url, f"/rate/{work[1].pk}/"))
    press(room, "s")
    room.locator("#id_leave_code").select_option("not-now")
    room.get_by_role("button", name="Skip the candidate").click()
    room.wait_for_url(f"**/rate/{work[2].pk}/")
    look(".message-success")
    room.goto(urljoin(room.url, f"/rate/{work[1].pk}/"))
    look("text=Take it back")
    Campaign.objects.update(status=CampaignStatus.CLOSED)
    room.goto(urljoin(room.url, f"/rate/{work[0].pk}/"))
    look("text=can no longer be changed")
    room.goto(urljoin(room.url, "/"))
    look("text=No campaign of yours is open")
    assert not found, "\n".join(found)
