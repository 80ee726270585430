import re
from collections import Counter
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.utils import timezone

from annotator.assignments.services import take_next
from annotator.models import (
    Assignment,
    AuditEvent,
    Campaign,
    Candidate,
    Membership,
    Purpose,
    Reference,
)
from annotator.planning import queries as planning_queries
from annotator.planning import services as planning_services
from annotator.planning.forms import NO_REFERENCES
from annotator.planning.queries import plan_facts
from annotator.planning.services import carry_out_plan, preview_plan
from annotator.rating.services import recuse
from core.errors import OutOfDate, Refused

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

PAGE = "/campaigns/cups/plan/"


@pytest.fixture
def work(cast) -> None:
    for number in range(4):
        cast.reference(f"r{number}", 3)


def hidden(answer) -> dict[str, list[str]]:
    form = answer.content.decode().split("/plan/carry-out/")[1].split("</form>")[0]
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', form):
        found.setdefault(name, []).append(value)
    return found


def test_the_page_tells_who_has_what(admin, cast, work) -> None:
    rows = cast.assign(cast.alice, cast.campaign.references.all()[0])
    cast.submit(rows[0])
    Assignment.objects.filter(pk=rows[1].pk).update(due_at=timezone.now() - timedelta(days=1))
    Membership.objects.filter(user=cast.alice).update(quota=7)
    html = admin.get(PAGE).content.decode()
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids)) and {*re.findall(r'\bfor="([^"]+)"', html)} <= {*ids}
    row = html.split('<th scope="row">alice')[1].split("</tr>")[0]
    numbers = re.findall(r'<td class="number">(?:<strong class="late">)?(\d+)', row)
    assert numbers == ["3", "1", "2", "1"]
    assert 'value="7"' in row
    assert "Free places: 21." in html


def test_a_plan_is_shown_with_its_counts_and_stores_nothing(admin, cast, work) -> None:
    day = (timezone.now() + timedelta(days=4)).date()
    sent = {"annotators": ["alice", "bob"], "seed": 3, "due_on": day.isoformat()}
    answer = admin.get(PAGE, sent)
    assert answer.status_code == 200
    html = answer.content.decode()
    assert "Make 24 assignments" in html
    table = html.split("systems as letters")[1].split("</table>")[0]
    assert re.findall(r"<th scope=\"col\">(\w)</th>", table) == ["A", "B", "C"]
    cells = [int(cell) for cell in re.findall(r'<td class="number">(\d+)</td>', table)]
    assert cells == [0, 4, 12, 12, 4, 4, 4] * 2
    assert "share 4 references" in unescape(html)
    assert cast.system_canary not in html
    assert not Assignment.objects.exists()
    assert hidden(answer)["due_on"] == [day.isoformat()]


def test_the_plan_that_was_shown_is_given_out(admin, cast, work) -> None:
    shown = admin.get(PAGE, {"annotators": ["alice"], "seed": 3})
    answer = admin.post(f"{PAGE}carry-out/", hidden(shown))
    assert (answer.status_code, answer["Location"]) == (303, PAGE)
    assert cast.alice.assignments.count() == Assignment.objects.count() == 12
    assert "12 candidates are assigned" in admin.get(PAGE).content.decode()


def test_a_plan_that_has_become_another_is_shown_anew(admin, cast, work) -> None:
    shown = admin.get(PAGE, {"annotators": ["alice", "bob"], "seed": 3})
    take_next(slug="cups", annotator=cast.alice)
    answer = admin.post(f"{PAGE}carry-out/", hidden(shown))
    assert answer.status_code == 409
    assert "moved on" in answer.content.decode()
    assert Assignment.objects.count() == 1
    again = admin.post(f"{PAGE}carry-out/", hidden(answer))
    assert again.status_code == 303
    assert Assignment.objects.count() == 24


def test_what_finds_nobody_is_shown_with_its_reason(admin, cast, work) -> None:
    Membership.objects.filter(user=cast.alice).update(quota=6)
    html = admin.get(PAGE, {"annotators": ["alice"], "seed": 0}).content.decode()
    assert "Make 6 assignments" in html
    assert re.search(r"\d+ places stay free, because .*quota.*: r\d", unescape(html))


WRONG: dict[str, list[Any]] = {
    "annotators": [
        *("", "nobody", "mallory", "al\x00ice", ["alice"] * 50 + ["zoe"]),
        ["alice", "bob", "mallory"],
    ],
    "seed": ["x", "-1", "9" * 400, ["1", "2", ""]],
    "due_on": ["soon", "9999-12-31"],
    "digest": ["x" * 65],
}


def test_a_plan_that_cannot_be_made_is_refused(admin, work) -> None:
    for field, values in WRONG.items():
        for value in values:
            sent = {"annotators": "alice", "seed": "1", field: value}
            assert admin.get(PAGE, sent).status_code == 422, sent
            assert admin.post(f"{PAGE}carry-out/", sent).status_code == 422, sent
            assert not Assignment.objects.exists(), sent
    for due in ("2001-01-01", "0001-01-01"):
        sent = {"annotators": "alice", "seed": "1", "due_on": due}
        answer = admin.post(f"{PAGE}carry-out/", sent)
        assert answer.status_code == 422, due
        assert 'id="balanced-due_on_error"' in answer.content.decode(), due


def test_a_closed_campaign_shows_who_has_what_and_no_form(admin, cast, work) -> None:
    Campaign.objects.filter(slug="cups").update(status="closed")
    html = admin.get(PAGE).content.decode()
    assert "Assignments" in html and "closed" in html
    assert "/plan/" not in html.split("<h1>")[1].split("Assignments")[1]
    answer = admin.post(f"{PAGE}carry-out/", {"annotators": "alice", "seed": "1"})
    assert answer.status_code == 409


DAMAGEABLE = (
    "1. A pump comprising a housing, a piston in the housing, a valve and a spring, wherein the "
    "housing is closed.\n2. The pump of claim 1, wherein the valve is round."
)


@pytest.fixture
def planner(admin, cast):
    cast.reference("r1", 2)
    cast.reference("r2", 2)
    return admin


def post(planner, where: str, **sent: object):
    return planner.post(f"{PAGE}{where}/", sent)


def page_of(planner) -> str:
    return planner.get(PAGE).content.decode()


def test_references_are_given_by_name(planner, cast) -> None:
    day = (timezone.now() + timedelta(days=2)).date()
    answer = post(planner, "by-name", annotator="alice", references=" r1 \r\n\r\nr2", due_on=day)
    assert (answer.status_code, answer["Location"]) == (303, PAGE)
    assert cast.alice.assignments.count() == 4
    due = cast.alice.assignments.first().due_at
    assert (due.date(), due.hour) == (day, 23)
    assert "alice is given 4 candidates." in page_of(planner)


def test_open_work_is_withdrawn_with_a_reason(planner, cast) -> None:
    cast.assign(cast.alice, cast.campaign.references.get(reference_id="r1"))
    answer = post(planner, "withdraw", annotator="alice", references="r2", reason="ill")
    assert answer.status_code == 409
    assert "nothing open" in answer.content.decode()
    whole = {"annotator": "alice", "references": "", "reason": "ill <b>"}
    page = post(planner, "withdraw", **whole).content.decode()
    assert "<strong>2 open candidates</strong>" in page and 'value="ill &lt;b&gt;"' in page
    assert 'class="danger">Withdraw 2 candidates</button>' in page
    assert set(Assignment.objects.values_list("status", flat=True)) == {"open"}
    assert post(planner, "withdraw", **whole, confirmed="1").status_code == 303
    assert set(Assignment.objects.values_list("status", flat=True)) == {"withdrawn"}


def test_a_quota_is_set_and_lifted(planner, cast) -> None:
    for sent, stored in (("12", 12), ("", None)):
        assert post(planner, "quota", annotator="alice", quota=sent).status_code == 303
        assert Membership.objects.get(user=cast.alice).quota == stored


def picked(html: str, section: str) -> list[str]:
    """Return the values of a form's list."""
    return re.findall(rf'name="picked" value="([^"]*)" id="{section}-picked', html)


def test_references_are_found_by_id_or_title_and_ticked_in_each_form(planner, cast) -> None:
    cast.campaign.references.filter(reference_id="r2").update(title="A Tea kettle")
    html = planner.get("/campaigns/cups/plan/?q=tea").content.decode()
    for section in ("named", "withdraw", "qualification"):
        assert picked(html, section) == ["r2"]
    assert "1 reference found" in html and "r2 · A Tea kettle" in html
    assert picked(planner.get("/campaigns/cups/plan/?q=R1").content.decode(), "named") == ["r1"]
    everything = planner.get("/campaigns/cups/plan/").content.decode()
    assert picked(everything, "named") == ["r1", "r2"]
    none = planner.get("/campaigns/cups/plan/?q=zz%22%3E<b>").content.decode()
    assert picked(none, "named") == [] and "0 references found" in none and "<b>" not in none
    assert planner.get("/campaigns/cups/plan/?q=" + "x" * 201).status_code == 422


def test_what_is_ticked_and_what_is_typed_are_given_together(planner, cast) -> None:
    cast.reference("r3", 1)
    answer = post(planner, "by-name", annotator="alice", picked=["r1", "r2"], references="r2\nr3")
    assert answer.status_code == 303
    given = Assignment.objects.filter(annotator=cast.alice)
    named = given.values_list("candidate__reference__reference_id", flat=True)
    assert set(named) == {"r1", "r2", "r3"}
    nothing = post(planner, "by-name", annotator="alice")
    assert nothing.status_code == 422 and NO_REFERENCES in nothing.content.decode()
    wrong = post(planner, "by-name", annotator="alice", picked=["r1", "r9"])
    assert wrong.status_code == 422 and "no reference of these ids: r9" in wrong.content.decode()
    # What was ticked stays ticked.
    html = wrong.content.decode()
    assert len(re.findall(r'id="named-picked_\d+" checked', html)) == 2
    assert post(planner, "by-name", annotator="alice", picked=["r\x001"]).status_code == 422


def test_a_withdrawal_of_what_is_ticked_asks_and_names_it_again(planner, cast) -> None:
    for name in ("r1", "r2"):
        cast.assign(cast.alice, cast.campaign.references.get(reference_id=name))
    asks = post(planner, "withdraw", annotator="alice", picked=["r1"], reason="ill")
    assert 'name="references" value="r1"' in asks.content.decode()
    sent = {"annotator": "alice", "references": "r1", "reason": "ill", "confirmed": "1"}
    assert post(planner, "withdraw", **sent).status_code == 303
    left = Assignment.objects.filter(annotator=cast.alice, status="open")
    assert set(left.values_list("candidate__reference__reference_id", flat=True)) == {"r2"}


def test_a_long_list_is_cut_and_says_so(planner, cast, monkeypatch) -> None:
    monkeypatch.setattr(planning_queries, "MOST_LISTED", 1)
    html = planner.get("/campaigns/cups/plan/").content.decode()
    assert picked(html, "named") == ["r1"] and "1 of 2 shown." in html


def test_references_are_marked_for_qualification_and_unmarked(planner, cast) -> None:
    assert post(planner, "qualification", references="r1", step="mark").status_code == 303
    assert cast.bob.assignments.count() == 2
    assert "1 reference: r1" in page_of(planner)
    assert post(planner, "qualification", references="r1", step="mark").status_code == 409
    assert post(planner, "qualification", references="r1", step="unmark").status_code == 303
    assert set(Candidate.objects.values_list("purpose", flat=True)) == {"rated"}


def test_sentinels_are_made_or_refused_with_the_reason(planner, cast) -> None:
    Reference.objects.filter(reference_id="r1").update(claims=DAMAGEABLE)
    Reference.objects.filter(reference_id="r2").update(claims="A cup")
    answer = post(planner, "sentinels", count="2", seed="1")
    assert answer.status_code == 422
    assert "Only 1 of 2 sentinels" in answer.content.decode()
    assert post(planner, "sentinels", count="1", seed="1").status_code == 303
    assert "1 made, 0 ratings of them" in page_of(planner)


def test_repeats_are_set_and_shown(planner, cast) -> None:
    assert post(planner, "repeats", percent="8", lag="12").status_code == 303
    row = Campaign.objects.get(slug="cups")
    assert (row.repeat_percent, row.repeat_lag) == (8, 12)
    html = page_of(planner)
    assert 'value="8"' in html and 'value="12"' in html


# For each action what may be sent, and what its fields may not hold.
WRONG_ACTIONS: dict[str, tuple[dict[str, Any], dict[str, list[Any]]]] = {
    "by-name": (
        {"annotator": "alice", "references": "r1"},
        {
            "annotator": ["", "nobody", "mallory", "al\x00ice", ["alice", "bob", "x"]],
            "references": ["", "r9", "r\x001", " \n ", "r\n" * 100_000],
            "due_on": ["2001-01-01", "31.12.2030"],
        },
    ),
    "withdraw": (
        {"annotator": "alice", "reason": "why"},
        {"annotator": ["carol"], "reason": ["", "x" * 200_000, "a\x00b"]},
    ),
    "quota": (
        {"annotator": "alice", "quota": "3"},
        {"annotator": ["", "ada"], "quota": ["-1", "1" * 30, "many"]},
    ),
    "qualification": ({}, {"references": ["", "r1\nr9"]}),
    "sentinels": ({"count": "1", "seed": "1"}, {"count": ["0", "9" * 5000], "seed": ["x"]}),
    "repeats": (
        {"percent": "5", "lag": "5"},
        {"percent": ["", "51", "\u0665"], "lag": ["", "0", "nought"]},
    ),
}


@pytest.mark.parametrize("where", WRONG_ACTIONS)
def test_what_cannot_be_done_is_refused_and_changes_nothing(planner, cast, where: str) -> None:
    right, wrong = WRONG_ACTIONS[where]
    for field, values in wrong.items():
        for value in values:
            answer, case = post(planner, where, **right | {field: value}), f"{field}: {value!s:.99}"
            assert answer.status_code == 422, case
            assert 'class="error"' in answer.content.decode(), case
            assert not Assignment.objects.exists(), case
            assert set(Candidate.objects.values_list("purpose", flat=True)) == {"rated"}, case
            assert set(Membership.objects.values_list("quota", flat=True)) == {None}, case
            row = Campaign.objects.get(slug="cups")
            assert row.repeat_percent == 0, case


def carry_out(cast, seed: int = 1, digest: str = "", due_at=None):
    given = {"campaign": cast.campaign, "annotators": [cast.alice, cast.bob], "by": cast.ada}
    return carry_out_plan(**given, due_at=due_at, seed=seed, digest=digest)


def counts() -> Counter[str]:
    return Counter(Assignment.objects.values_list("annotator__username", flat=True))


def test_a_preview_stores_nothing_and_is_carried_out_as_it_was_shown(cast) -> None:
    for number in range(4):
        cast.reference(f"r{number}", 3)
    Candidate.objects.update(places=1)
    people = [cast.alice, cast.bob]
    shown = preview_plan(campaign=cast.campaign, annotators=people, seed=1)
    assert not Assignment.objects.exists()
    due = timezone.now() + timedelta(days=5)
    assert carry_out(cast, digest=shown.digest, due_at=due) == shown
    assert counts() == {"alice": 6, "bob": 6}
    given = {(str(r.annotator_id), str(r.candidate_id)) for r in Assignment.objects.all()}
    assert given == {(s.annotator, key) for s in shown.plan.shares for key in s.candidates}
    assert set(Assignment.objects.values_list("due_at", "lease_expires_at")) == {(due, None)}
    assert set(Candidate.objects.values_list("held", "has_room")) == {(1, False)}
    event = AuditEvent.objects.get(action="plan.carried_out")
    assert event.actor == cast.ada
    assert event.details["annotators"] == ["alice", "bob"]
    assert (event.details["count"], event.details["seed"]) == (12, 1)


def test_nothing_is_stored_when_a_place_is_taken_in_between(cast, monkeypatch) -> None:
    cast.reference("r1", 2)

    def late(campaign, annotators):
        read = plan_facts(campaign, annotators)
        Candidate.objects.update(held=2, has_room=False)
        return read

    monkeypatch.setattr(planning_services, "plan_facts", late)
    with pytest.raises(OutOfDate, match="moved on"):
        carry_out(cast)
    assert not Assignment.objects.exists()


def test_quotas_recusals_and_what_is_theirs_already_are_honoured(cast) -> None:
    cast.reference("r1", 2)
    cast.reference("r2", 2)
    row = cast.take(cast.alice)
    assert row.candidate.reference.reference_id == "r1"
    recuse(assignment=row)
    Membership.objects.filter(user=cast.bob).update(quota=2)
    left = carry_out(cast).plan.unplaced
    by_person = {
        (row.annotator.username, row.candidate.reference.reference_id)
        for row in Assignment.objects.filter(status="open")
    }
    assert ("alice", "r2") in by_person and ("alice", "r1") not in by_person
    assert Assignment.objects.filter(annotator=cast.bob).count() == 2
    assert sum(row.places for row in left) == 4
    with pytest.raises(Refused, match="nothing to assign"):
        carry_out(cast)


def test_a_lapsed_assignment_is_opened_again_and_repeats_are_left_alone(cast) -> None:
    reference = cast.reference("r1", 1)
    row = cast.take(cast.alice)
    Assignment.objects.update(status="lapsed")
    Candidate.objects.update(held=0, has_room=True)
    repeat = {"purpose": Purpose.REPEAT, "original": row.candidate, "places": 1, "has_room": False}
    Candidate.objects.create(reference=reference, campaign=cast.campaign, claims="x", **repeat)
    carry_out(cast)
    assert counts() == {"alice": 1, "bob": 1}
    row.refresh_from_db()
    assert (row.status, row.lease_expires_at) == ("open", None)


def test_a_plan_wants_annotators_a_future_and_an_open_campaign(cast) -> None:
    cast.reference()
    with pytest.raises(Refused, match="at least one annotator"):
        preview_plan(campaign=cast.campaign, annotators=[], seed=0)
    with pytest.raises(Refused, match="passed already"):
        carry_out(cast, due_at=timezone.now() - timedelta(days=1))
    Membership.objects.filter(user=cast.bob).delete()
    with pytest.raises(OutOfDate, match="no annotator"):
        carry_out(cast)
    cast.campaign.status = "closed"
    cast.campaign.save()
    with pytest.raises(OutOfDate, match="closed"):
        carry_out(cast)
