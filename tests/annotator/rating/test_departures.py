import re
from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.assignments.services import assign_candidates, lapse_leases, take_next
from annotator.models import (
    Assignment,
    AuditEvent,
    Campaign,
    Candidate,
    Departure,
    Draft,
    Flag,
    Rating,
    Reference,
    User,
)
from annotator.rating.drafts import save_draft
from annotator.rating.queries import TAKEN_BACK_WITHIN
from annotator.rating.services import (
    flag_candidate,
    recuse,
    return_to,
    skip_assignment,
    take_recusal_back,
)
from core.errors import OutOfDate, Refused
from core.shapes import LONGEST_REASON
from tests.annotator.adjudication.discrepant import member
from tests.conftest import grant, make_user, spread

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def rerouted(departure: Departure) -> Assignment:
    assert departure.rerouted_to is not None
    return departure.rerouted_to


def places() -> list[tuple[int, bool]]:
    rows = Candidate.objects.order_by("queue_position")
    return list(rows.values_list("held", "has_room"))


def test_a_skip_frees_the_place_keeps_the_draft_and_says_why(cast) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    Draft.objects.create(assignment=row, typed={"comment": "half"}, saved_at=timezone.now())
    departure = skip_assignment(assignment=row, reason_code="other", reason="too long for today")
    row.refresh_from_db()
    assert (row.status, row.draft.typed) == ("skipped", {"comment": "half"})
    assert (departure.kind, departure.reason) == ("skip", "too long for today")
    assert places() == [(0, True)]
    event = AuditEvent.objects.get(action="assignment.skip")
    assert (event.actor, event.object_id) == (cast.alice, str(row.pk))
    assert event.details == {"reason": "other"}
    flag_candidate(assignment=row, reason_code="other", reason="too long for today")
    recuse(assignment=row, reason="too long for today")
    assert "too long" not in str(list(AuditEvent.objects.values()))


def test_what_is_rated_or_left_already_is_not_skipped(cast) -> None:
    rated, left, recused = cast.assign(cast.alice, cast.reference("r1", 3))
    cast.submit(rated)
    skip_assignment(assignment=left, reason_code="not-now")
    Assignment.objects.filter(pk=recused.pk).update(status="recused")
    before = places()
    for row in (rated, left, recused):
        with pytest.raises(OutOfDate, match="already rated or left"):
            skip_assignment(assignment=row, reason_code="not-now")
    assert places() == before
    assert Departure.objects.count() == 1 and Rating.objects.count() == 1


def test_a_lapsed_one_is_skipped_without_freeing_a_place_twice(cast) -> None:
    cast.reference("r1", 1)
    row = cast.take(cast.alice)
    past = timezone.now() - timedelta(minutes=1)
    Assignment.objects.filter(pk=row.pk).update(lease_expires_at=past)
    lapse_leases(cast.campaign)
    cast.take(cast.bob)
    skip_assignment(assignment=row, reason_code="not-now")
    assert places() == [(1, True)]
    assert take_next(slug=cast.campaign.slug, annotator=cast.alice) is None


LONG = "x" * (LONGEST_REASON + 1)


@pytest.mark.parametrize(
    ("code", "reason", "field"),
    [
        ("", "", "reason_code"),
        ("no-such", "", "reason_code"),
        ("conflict-of-interest", "", "reason_code"),
        ("other", " \t\n", "reason"),
        ("not-now", LONG, "reason"),
        ("not-now", "a\x00b", "reason"),
    ],
)
def test_a_skip_without_a_good_reason_is_refused_and_changes_nothing(cast, code, reason, field):
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    with pytest.raises(Refused) as refused:
        skip_assignment(assignment=row, reason_code=code, reason=reason)
    assert refused.value.status == 422 and set(refused.value.fields) == {field}
    row.refresh_from_db()
    assert row.status == "open" and places() == [(1, True)]
    assert not Departure.objects.exists()


def test_a_recusal_takes_the_whole_reference_and_leaves_other_references(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 3))
    (other,) = cast.assign(cast.alice, cast.reference("r2", 1))
    cast.submit(rows[0])
    skip_assignment(assignment=rows[1], reason_code="not-now")
    departures = recuse(assignment=rows[2], reason="I drafted it")
    assert {d.assignment_id for d in departures} == {rows[1].pk, rows[2].pk}
    assert {(d.kind, d.reason_code, d.reason) for d in departures} == {
        ("recusal", "conflict-of-interest", "I drafted it")
    }
    statuses = dict(Assignment.objects.filter(annotator=cast.alice).values_list("pk", "status"))
    assert [statuses[row.pk] for row in rows] == ["submitted", "recused", "recused"]
    assert statuses[other.pk] == "open"
    actions = AuditEvent.objects.values_list("action", flat=True)
    assert list(actions).count("assignment.recusal") == 2
    with pytest.raises(OutOfDate, match="Nothing of this reference"):
        recuse(assignment=rows[2])


def test_what_was_assigned_by_name_goes_to_the_least_busy_who_may_rate_it(cast) -> None:
    busy, idle, recused_too = (member(cast, name) for name in ("busy", "idle", "aa-recused"))
    away = grant(make_user("ab-away", is_active=False), cast.campaign, "annotator")
    keyless = grant(make_user("ac-keyless", password="!x"), cast.campaign, "annotator")
    reference = cast.reference("r1", 1)
    cast.assign(cast.bob, reference)
    cast.assign(busy, cast.reference("r2", 2))
    cast.assign(idle, cast.reference("r3", 1))
    (theirs,) = cast.assign(recused_too, reference)
    assert rerouted(recuse(assignment=theirs)[0]).annotator == cast.alice
    Assignment.objects.filter(annotator=cast.alice).update(annotator=away)
    (row,) = cast.assign(cast.alice, reference)
    (departure,) = recuse(assignment=row)
    got = rerouted(departure)
    # Bob has it already, alice and one more are recused, two can not work: idle has less than busy.
    assert got.annotator == idle and got.candidate == row.candidate
    assert (got.status, got.lease_expires_at) == ("open", None)
    assert (got.position, got.label) == (2, "Candidate 2")
    assert Departure.objects.get(pk=departure.pk).rerouted_to == got
    event = AuditEvent.objects.get(action="assignment.rerouted", object_id=str(got.pk))
    assert (event.actor, event.details) == (cast.alice, {"from": str(row.pk)})
    assert not keyless.assignments.exists()


def test_who_is_recused_from_one_candidate_of_a_reference_is_given_no_other_of_it(cast) -> None:
    cast.reference("r1", 2)
    theirs = cast.take(cast.bob)
    recuse(assignment=theirs)
    other = Candidate.objects.exclude(pk=theirs.candidate_id).get()
    (row,) = assign_candidates(campaign=cast.campaign, annotator=cast.alice, candidates=[other])
    assert recuse(assignment=row)[0].rerouted_to is None


def test_each_of_several_goes_its_own_way_and_the_places_stay_held(cast) -> None:
    carl, dora = member(cast, "carl"), member(cast, "dora")
    rows = cast.assign(cast.alice, cast.reference("r1", 4))
    cast.assign(cast.bob, cast.reference("r2", 5))
    got = [rerouted(departure).annotator for departure in recuse(assignment=rows[0])]
    assert (got.count(carl), got.count(dora)) == (2, 2)
    assert set(places()[:4]) == {(1, True)}


def test_what_was_taken_on_demand_is_free_for_all_but_never_theirs_again(cast) -> None:
    cast.reference("r1", 2)
    row = cast.take(cast.alice)
    (departure,) = recuse(assignment=row)
    assert departure.rerouted_to is None and places() == [(0, True)] * 2
    with pytest.raises(OutOfDate):
        return_to(assignment=row)
    assert take_next(slug=cast.campaign.slug, annotator=cast.alice) is None
    assert cast.take(cast.bob).status == "open"


def test_a_skipped_one_whose_place_is_taken_is_not_rerouted_beyond_the_overlap(cast) -> None:
    spread(cast.campaign, 1)
    member(cast, "carl")
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    skip_assignment(assignment=row, reason_code="not-now")
    cast.take(cast.bob)
    (departure,) = recuse(assignment=row)
    assert departure.rerouted_to is None
    assert places() == [(1, False)]


@pytest.mark.parametrize("is_named", [True, False])
def test_a_skipped_one_is_taken_back_with_its_place_and_whole_time(cast, is_named) -> None:
    reference = cast.reference("r1", 1)
    row = cast.assign(cast.alice, reference)[0] if is_named else cast.take(cast.alice)
    if not is_named:
        row.lease_expires_at = timezone.now() - timedelta(hours=1)
        row.save()
    skip_assignment(assignment=row, reason_code="not-now")
    return_to(assignment=row)
    row.refresh_from_db()
    assert row.status == "open" and places() == [(1, True)]
    assert (row.lease_expires_at is None) == is_named
    if row.lease_expires_at is not None:
        left = row.lease_expires_at - timezone.now()
        assert left > timedelta(minutes=cast.campaign.lease_minutes - 1)
    assert AuditEvent.objects.filter(action="assignment.returned").count() == 1
    with pytest.raises(OutOfDate, match="yours again already"):
        return_to(assignment=row)
    assert places() == [(1, True)]


def test_a_place_that_others_took_is_not_taken_back(cast) -> None:
    spread(cast.campaign, 1)
    cast.reference("r1", 1)
    row = cast.take(cast.alice)
    skip_assignment(assignment=row, reason_code="not-now")
    cast.take(cast.bob)
    with pytest.raises(OutOfDate, match="Somebody else"):
        return_to(assignment=row)
    row.refresh_from_db()
    assert row.status == "skipped" and places() == [(1, False)]


def test_a_recusal_is_undone_for_all_that_nobody_has_begun(cast) -> None:
    spread(cast.campaign, 1)
    carl = member(cast, "carl")
    rows = cast.assign(cast.alice, cast.reference("r1", 3))
    cast.assign(cast.bob, cast.reference("r2", 9))
    given = [rerouted(departure) for departure in recuse(assignment=rows[0])]
    assert {row.annotator for row in given} == {carl}
    save_draft(assignment=given[1], typed={"comment": "begun"}, version=0, rating_version=0)
    before = places()
    assert take_recusal_back(assignment=rows[2]) == (2, 1)
    assert [status(row) for row in rows] == ["open", "withdrawn", "open"]
    assert [status(row) for row in given] == ["withdrawn", "open", "withdrawn"]
    assert places() == before, "each place changed hands"
    actions = list(AuditEvent.objects.values_list("action", flat=True))
    assert actions.count("assignment.returned") == actions.count("assignment.taken_back") == 2


@pytest.mark.parametrize("is_taken", [True, False])
def test_what_was_taken_on_demand_comes_back_if_its_place_is_free(cast, is_taken) -> None:
    spread(cast.campaign, 1)
    cast.reference("r1", 1)
    row = cast.take(cast.alice)
    recuse(assignment=row)
    if is_taken:
        cast.take(cast.bob)
    assert take_recusal_back(assignment=row) == ((0, 1) if is_taken else (1, 0))
    assert status(row) == ("recused" if is_taken else "open")
    assert places() == [(1, False)]


def test_a_recusal_stands_once_its_time_to_be_undone_is_over(cast) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    recuse(assignment=row)
    with pytest.raises(OutOfDate):
        return_to(assignment=row)
    Departure.objects.update(made_at=timezone.now() - TAKEN_BACK_WITHIN - timedelta(seconds=1))
    with pytest.raises(OutOfDate, match="no longer"):
        take_recusal_back(assignment=row)
    assert status(row) == "recused"


def test_a_flag_needs_a_good_reason_and_leaves_the_assignment_open(cast) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    wrong = (
        ("", ""),
        ("not-now", ""),
        ("other", " "),
        ("wrong-text", LONG),
        ("wrong-text", "\x00"),
    )
    for code, reason in wrong:
        with pytest.raises(Refused):
            flag_candidate(assignment=row, reason_code=code, reason=reason)
        assert not Flag.objects.exists(), (code, reason)
    flag_candidate(assignment=row, reason_code="wrong-text", reason="cut off after claim 3")
    assert Flag.objects.get().reason == "cut off after claim 3"
    row.refresh_from_db()
    assert row.status == "open"
    assert AuditEvent.objects.get(action="candidate.flagged").details == {"reason": "wrong-text"}


SCRIPT = {"HX-Request": "true"}
ACTIONS = {
    "skip/": {"leave_code": "not-now", "confirmed": "1"},
    "recuse/": {"leave_reason": "my client", "confirmed": "1"},
    "take-back/": {},
    "flag/": {"flag_code": "wrong-text"},
}


def path(row: Assignment, action: str = "") -> str:
    return f"/rate/{row.pk}/{action}"


def status(row: Assignment) -> str:
    return Assignment.objects.get(pk=row.pk).status


def test_a_skip_goes_on_with_the_next_and_keeps_what_was_typed(client, rows, typed) -> None:
    sent = typed(comment="half", draft_version=0, leave_code="other", leave_reason=" why\r\nnot ")
    answer = client.post(path(rows[0], "skip/"), sent | {"confirmed": "1"})
    assert (answer.status_code, answer["Location"]) == (303, path(rows[1]))
    assert status(rows[0]) == "skipped"
    assert Departure.objects.get().reason == "why\nnot"
    assert Draft.objects.get().typed["comment"] == "half"
    page = client.get(path(rows[0])).content.decode()
    assert "half</textarea>" in page and ">Take it back</button>" in page
    assert "Submit rating" not in page


def test_a_skip_says_first_what_it_does_and_does_nothing(client, rows, typed) -> None:
    sent = typed(comment="half", draft_version=0, leave_code="other", leave_reason="why")
    page = client.post(path(rows[0], "skip/"), sent)
    text = page.content.decode()
    assert page.status_code == 200 and "<strong>1 candidate</strong>" in text
    assert "while nobody else has taken it" in text and 'value="why"' in text
    assert f'<a class="button" href="{path(rows[0])}" autofocus>' in text
    # Enter in the reason presses the first button of the form, which does nothing.
    form = text[text.index(f'action="{path(rows[0], "skip/")}"') :]
    assert re.findall(r"<button[^>]*>", form)[0] == '<button type="submit" disabled hidden>'
    assert status(rows[0]) == "open" and Draft.objects.get().typed["comment"] == "half"


def test_who_comes_back_later_keeps_the_candidate_and_what_was_typed(client, rows, typed) -> None:
    sent = typed(comment="half", draft_version=0, later="1")
    answer = client.post(path(rows[0], "skip/"), sent)
    assert (answer.status_code, answer["Location"]) == (303, path(rows[1]))
    assert status(rows[0]) == "open" and not Departure.objects.exists()
    assert "half</textarea>" in client.get(path(rows[0])).content.decode()
    assert client.post(path(rows[0]), typed(draft_version=1)).status_code == 303


def test_who_comes_back_later_is_leased_another_and_keeps_the_lease(client, cast) -> None:
    cast.reference("r1", 2)
    User.objects.filter(pk=cast.alice.pk).update(time_zone="Asia/Tokyo")
    client.force_login(cast.alice)
    row = cast.take(cast.alice)
    answer = client.post(path(row, "skip/"), {"later": "1"}, follow=True)
    other = Assignment.objects.exclude(pk=row.pk).get()
    assert answer.redirect_chain[0][0] == path(other)
    assert re.search(rf"{row.label} stays yours until \d\d:\d\d JST", answer.content.decode())
    assert {status(row), status(other)} == {"open"}
    assert client.post(path(other, "skip/"), {"later": "1"})["Location"] == path(row)


def test_the_last_one_skipped_leads_home(client, rows) -> None:
    for row, target in zip(rows, [path(rows[1]), path(rows[2]), "/"], strict=True):
        assert client.post(path(row, "skip/"), ACTIONS["skip/"])["Location"] == target


def test_a_recusal_says_first_what_it_takes_and_takes_nothing(client, rows, typed) -> None:
    sent = typed(comment="half", draft_version=0, leave_reason="my client")
    page = client.post(path(rows[1], "recuse/"), sent).content.decode()
    assert "<strong>3 open candidates</strong>" in page and "1 of them with a draft" in page
    assert 'value="my client"' in page and ">Give 3 candidates away</button>" in page
    assert {status(row) for row in rows} == {"open"}
    assert Draft.objects.get().typed["comment"] == "half"
    unsaid = client.post(path(rows[1], "recuse/"), {"confirmed": "1", "leave_reason": " "})
    assert unsaid.status_code == 422 and b"Say in a few words what the conflict" in unsaid.content
    assert {status(row) for row in rows} == {"open"}


@pytest.mark.parametrize("action", ["recuse/", "skip/", "draft/discard/"])
def test_a_question_names_the_reference_by_its_title_or_how_it_opens(
    client, rows, typed, action: str
) -> None:
    client.post(path(rows[1], "draft/"), typed(comment="half", draft_version=0))
    page = client.post(path(rows[1], action)).content.decode()
    assert "<dt>Reference</dt>" in page and ">Title of r1</dd>" in page
    is_of_one = action != "recuse/"
    assert (f"<dt>{rows[1].label}</dt>" in page) == is_of_one
    assert (f">{rows[1].candidate.claims.removeprefix('1. ')}</dd>" in page) == is_of_one
    Reference.objects.update(title="")
    page = client.post(path(rows[1], action)).content.decode()
    assert ">A cup comprising a body and a handle.</dd>" in page
    title = re.findall("<title>(.*?)</title>", page, re.DOTALL)
    assert title and "cup" not in title[0], "claim text is never in a title"


def test_a_recusal_takes_the_reference_and_can_be_taken_back(client, rows) -> None:
    answer = client.post(path(rows[1], "recuse/"), ACTIONS["recuse/"], follow=True)
    told = answer.content.decode()
    assert "You are recused from this reference; 3 candidates went back." in told
    assert f'<a href="{path(rows[1])}">Take it back</a> within 30 minutes.' in told
    assert {status(row) for row in rows} == {"recused"}
    assert set(Departure.objects.values_list("reason", flat=True)) == {"my client"}
    page = client.get(path(rows[0])).content.decode()
    assert "You recused yourself" in page and ">Take it back</button>" in page
    back = client.post(path(rows[0], "take-back/"), follow=True).content.decode()
    assert "The recusal is undone: 3 candidates are yours again." in back
    assert {status(row) for row in rows} == {"open"}
    client.post(path(rows[1], "recuse/"), ACTIONS["recuse/"], follow=True)
    Departure.objects.update(made_at=timezone.now() - TAKEN_BACK_WITHIN)
    assert b"Take it back" not in client.get(path(rows[0])).content
    assert client.post(path(rows[0], "take-back/")).status_code == 409


def test_a_skipped_candidate_is_taken_back_and_rated(client, rows, typed, form_of) -> None:
    client.post(path(rows[0], "skip/"), typed(comment="half", draft_version=0) | ACTIONS["skip/"])
    answer = client.post(path(rows[0], "take-back/"), form_of(client.get(path(rows[0]))))
    assert (answer.status_code, answer["Location"]) == (303, path(rows[0]))
    shown = form_of(client.get(path(rows[0])))
    assert shown["comment"] == "half"
    assert client.post(path(rows[0]), shown).status_code == 303
    assert Rating.objects.get().comment == "half"


def test_a_flag_is_for_the_admin_and_one_stays_on_the_page(client, rows, typed) -> None:
    sent = typed(flag_code="other", flag_reason="reads oddly", comment="half", draft_version=0)
    answer = client.post(path(rows[0], "flag/"), sent)
    assert (answer.status_code, answer["Location"]) == (303, path(rows[0]))
    page = client.get(path(rows[0])).content.decode()
    assert "flagged for the campaign" in page and "half</textarea>" in page
    assert Flag.objects.get().reason == "reads oddly" and status(rows[0]) == "open"


def test_a_late_submit_counts_while_the_place_is_free(client, cast, typed) -> None:
    cast.reference("r1", 1)
    client.force_login(cast.alice)
    row = cast.take(cast.alice)
    Assignment.objects.update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    assert lapse_leases(cast.campaign) == 1
    assert b"Your lease of this candidate expired" in client.get(path(row)).content
    assert client.post(path(row), typed()).status_code == 303
    assert Candidate.objects.get().held == 1


@pytest.mark.parametrize("action", ["skip/", "recuse/", "take-back/"])
def test_nothing_changes_hands_in_a_closed_campaign(client, rows, action: str) -> None:
    if action == "take-back/":
        client.post(path(rows[0], "skip/"), ACTIONS["skip/"])
    before = status(rows[0])
    Campaign.objects.update(status="closed")
    answer = client.post(path(rows[0], action), ACTIONS[action])
    assert answer.status_code == 409
    assert b"closed" in answer.content
    assert status(rows[0]) == before


def test_a_refused_skip_asks_again_and_does_not_call_unset_scores_a_fault(client, rows, form_of):
    sent = form_of(client.get(path(rows[0]))) | {"leave_reason": "why", "confirmed": "1"}
    answer = client.post(path(rows[0], "skip/"), sent | {"leave_code": ""})
    assert answer.status_code == 422
    html = answer.content.decode()
    assert "Choose a reason." in html and 'value="why"' in html
    assert "Choose a score" not in html
    for code, reason in (("other", " "), ("outside-field", "x" * 2001)):
        wrong = {"leave_code": code, "leave_reason": reason, "confirmed": "1"}
        assert client.post(path(rows[0], "skip/"), wrong).status_code == 422
    assert status(rows[0]) == "open"


def test_a_refusal_that_the_script_repeats_as_a_page_is_recorded_once(client, cast, rows, typed):
    cast.submit(rows[0])
    sent = typed(version="0", draft_version="0", key="late")
    for headers in (SCRIPT, {}):
        assert client.post(path(rows[0]), sent, headers=headers).status_code == 409
    assert AuditEvent.objects.filter(action="rating.refused").count() == 1
