from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from annotator.assignments.services import take_next
from annotator.campaigns.members.services import grant_role
from annotator.campaigns.queries import campaign_progress
from annotator.campaigns.services import close_campaign
from annotator.exports.queries import FORMATS
from annotator.exports.services import request_export
from annotator.imports.erasing import erase_texts
from annotator.models import (
    Assignment,
    AuditEvent,
    CalibrationAnswer,
    CalibrationItem,
    Campaign,
    Candidate,
    Conflict,
    Rating,
    Reference,
    User,
)
from annotator.planning.services import assign_by_name, mark_qualification, preview_plan
from annotator.rating.calibration.queries import (
    EXAMPLES,
    calibration_of,
    due_calibrations,
    first_due,
    item_page,
)
from annotator.rating.calibration.rules import deviations, mean_absolute_deviations
from annotator.rating.calibration.services import (
    MOST_ITEMS,
    add_candidate,
    add_examples,
    answer_item,
    remove_item,
    switch_calibration,
)
from annotator.records import given_ratings
from core.errors import OutOfDate, Refused
from patclaimeval.rubric import CRITERIA, OVERALL
from tests.conftest import signed_in

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
AGREED = dict(zip(CRITERIA, (7, 6, 5, 4), strict=True))
REASONS = {key: f"zqreason {key}" for key in CRITERIA}
EXAMPLE = "logical_linkage-2"


def scores(*values: int) -> dict[str, int]:
    return dict(zip(CRITERIA, values, strict=True))


def add(cast, candidate: Candidate, **changed: Any) -> CalibrationItem:
    said = {"scores": AGREED, "reasons": REASONS} | changed
    return add_candidate(campaign=cast.campaign, candidate=candidate, by=cast.ada, **said)


def switch(cast, is_on: bool = True) -> None:
    switch_calibration(campaign=cast.campaign, is_on=is_on, by=cast.ada)
    cast.campaign.refresh_from_db()


@pytest.fixture
def items(cast) -> list[CalibrationItem]:
    """A candidate of `r0` and a worked example, which the campaign starts with."""
    first = add(cast, cast.reference("r0", 2).candidates.order_by("candidate_id")[0])
    (second,) = add_examples(campaign=cast.campaign, keys=[EXAMPLE], by=cast.ada)
    switch(cast)
    return [first, second]


def answer(user: User, *rows: CalibrationItem, given: tuple[int, ...] = (7, 7, 7, 7)) -> None:
    for row in rows:
        answer_item(item_id=row.pk, annotator=user, scores=scores(*given))


def test_deviations_are_own_minus_agreed_and_their_mean_is_exact() -> None:
    off = deviations(scores(9, 6, 4, 4), AGREED)
    assert [off[key] for key in CRITERIA] == [2, 0, -1, 0]
    assert off[OVERALL] == Fraction(4 * 2 - 2 * 1, 11)
    mean = mean_absolute_deviations([(scores(9, 6, 4, 4), AGREED), (scores(4, 6, 5, 4), AGREED)])
    assert [mean[key] for key in CRITERIA] == [Fraction(5, 2), 0, Fraction(1, 2), 0]
    assert mean[OVERALL] == (Fraction(6, 11) + Fraction(12, 11)) / 2
    assert set(mean_absolute_deviations([]).values()) == {None}


def test_nothing_is_rated_before_the_items_and_everything_after(cast, items, call) -> None:
    (row, *_) = cast.assign(cast.alice, cast.reference("r1", 2))
    client = signed_in(cast.alice)
    first = f"/calibrate/{items[0].pk}/"
    assert client.get(f"/rate/{row.pk}/")["Location"] == first
    assert client.post(f"/campaigns/{cast.campaign.slug}/next/")["Location"] == first
    home = client.get("/").content.decode()
    assert f'class="button" href="{first}"' in home and "2 of 2 candidates" in home
    with pytest.raises(OutOfDate, match="starts with a calibration"):
        cast.submit(row)
    sent = call(cast.alice, "post", f"campaigns/{cast.campaign.slug}/assignments/next/")
    assert sent.status_code == 409 and "calibration" in sent.json()["detail"]
    answer(cast.alice, items[0])
    assert first_due(cast.campaign, cast.alice) == items[1]
    assert "Go on with the calibration" in client.get("/").content.decode()
    answer(cast.alice, items[1])
    assert client.get(f"/rate/{row.pk}/").status_code == 200
    assert "calibration" not in client.get("/").content.decode().lower()
    cast.submit(row)
    assert first_due(cast.campaign, cast.bob) == items[0]


def test_who_has_rated_is_not_called_back_by_what_is_added_since(cast, items) -> None:
    answer(cast.alice, *items)
    row = cast.take(cast.alice)
    cast.submit(row)
    add_examples(campaign=cast.campaign, keys=["logical_linkage-1"], by=cast.ada)
    assert first_due(cast.campaign, cast.alice) is None
    assert due_calibrations(cast.alice) == () and len(due_calibrations(cast.bob)) == 1


def test_agreed_scores_are_shown_after_ones_own_answer_and_to_nobody_else(cast, items) -> None:
    path = f"/calibrate/{items[0].pk}/"
    alice, bob = signed_in(cast.alice), signed_in(cast.bob)
    before = alice.get(path)
    assert before.status_code == 200 and "zqreason" not in before.content.decode()
    page = item_page(cast.alice, items[0].pk)
    assert page and page.item.get_deferred_fields() >= {"scores", "reasons"}
    sent = alice.post(path, dict(zip(CRITERIA, "9648", strict=True)))
    assert (sent.status_code, sent["Location"]) == (303, path)
    after = alice.get(path).content.decode()
    assert all(REASONS[key] in after for key in CRITERIA)
    assert [text in after for text in (">+2<", ">same<", ">-1<", ">+4<")] == [True] * 4
    assert f'href="/calibrate/{items[1].pk}/" data-action="next"' in after
    assert "zqreason" not in bob.get(path).content.decode()
    for who in (cast.carol, cast.rita, cast.ada):
        assert signed_in(who).get(path).status_code in (403, 404)
    assert signed_in(cast.mallory).get(path).status_code == 404


def test_a_worked_example_shows_its_texts_and_its_reasoning(cast, items) -> None:
    lesson, example = EXAMPLES[EXAMPLE]
    client, path = signed_in(cast.alice), f"/calibrate/{items[1].pk}/"
    assert lesson.title in client.get(path).content.decode()
    client.post(path, dict.fromkeys(CRITERIA, "5"))
    page = client.get(path).content.decode()
    assert "Humidity is measured for nothing" in page and example.why.startswith("Humidity")
    assert f'href="/calibrate/{items[0].pk}/" data-action="next"' in page


@pytest.mark.parametrize(
    "sent", [{}, {"logical_linkage": "11"}, {"logical_linkage": "5", "overall_quality": "5"}]
)
def test_an_answer_that_is_no_rating_is_refused(cast, items, sent) -> None:
    body = {key: "5" for key in CRITERIA if key != "logical_linkage"} | sent
    path = f"/calibrate/{items[0].pk}/"
    refused = signed_in(cast.alice).post(path, body)
    assert refused.status_code == 422 and "zqreason" not in refused.content.decode()
    assert not CalibrationAnswer.objects.exists()


def test_the_first_answer_counts_however_often_it_is_sent(cast, items) -> None:
    answer(cast.alice, items[0], given=(1, 2, 3, 4))
    answer(cast.alice, items[0], given=(9, 9, 9, 9))
    assert CalibrationAnswer.objects.get().scores == scores(1, 2, 3, 4)
    assert AuditEvent.objects.filter(action="calibration.answered").count() == 1
    with pytest.raises(Refused):
        answer_item(item_id=items[1].pk, annotator=cast.alice, scores={"logical_linkage": 5})


def test_answers_end_with_the_campaign_and_items_with_their_switch(cast, items) -> None:
    answer(cast.alice, items[0])
    switch(cast, is_on=False)
    assert first_due(cast.campaign, cast.alice) is None
    client = signed_in(cast.alice)
    assert [client.get(f"/calibrate/{one.pk}/").status_code for one in items] == [200, 404]
    with pytest.raises(CalibrationItem.DoesNotExist):
        answer(cast.alice, items[1])
    switch(cast)
    close_campaign(campaign=cast.campaign, reason="done", closed_by=cast.ada)
    with pytest.raises(OutOfDate, match="closed"):
        answer(cast.alice, items[1])
    assert "campaign is closed" in client.get(f"/calibrate/{items[1].pk}/").content.decode()


def counted(cast) -> dict[str, Any]:
    """Return everything that counts ratings: progress, conflicts, figures, exports."""
    progress = campaign_progress(cast.campaign)
    files = {}
    for name in FORMATS:
        export = request_export(campaign=cast.campaign, format=name, key="same")
        files[name] = b"".join(export.pieces())
    return {
        "progress": [
            getattr(progress, name) for name in progress.__slots__ if name != "counted_at"
        ],
        "conflicts": list(Conflict.objects.values_list("pk", "gap", "status")),
        "given": given_ratings(cast.campaign).rows,
        "ratings": Rating.objects.count(),
        "assignments": list(Assignment.objects.values_list("pk", "status")),
        **files,
    }


def test_no_count_figure_or_file_knows_of_an_answer(cast, items) -> None:
    switch(cast, is_on=False)
    reference = cast.reference("r1", 1)
    for user, given in ((cast.alice, (9, 9, 9, 9)), (cast.bob, (1, 1, 1, 1))):
        cast.submit(cast.assign(user, reference)[0], given)
    switch(cast)
    before = counted(cast)
    answer(cast.alice, *items, given=(0, 10, 0, 10))
    answer(cast.bob, *items, given=(10, 0, 10, 0))
    assert CalibrationAnswer.objects.count() == 4
    assert counted(cast) == before


def test_an_items_candidate_is_given_to_nobody(cast, items) -> None:
    item = items[0].candidate
    reference = item.reference
    (other,) = reference.candidates.exclude(pk=item.pk)
    previewed = preview_plan(campaign=cast.campaign, annotators=[cast.alice, cast.bob], seed=1)
    planned = {key for share in previewed.plan.shares for key in share.candidates}
    assert planned == {str(other.pk)}
    answer(cast.alice, *items)
    assert cast.take(cast.alice).candidate == other
    cast.submit(Assignment.objects.get())
    assert take_next(slug=cast.campaign.slug, annotator=cast.alice) is None
    assign_by_name(
        campaign=cast.campaign,
        annotator=cast.bob,
        references=[reference],
        due_at=None,
        by=cast.ada,
    )
    mark_qualification(campaign=cast.campaign, references=[reference], by=cast.ada)
    grant_role(user=cast.mallory, campaign=cast.campaign, role="annotator", granted_by=cast.ada)
    assert not Assignment.objects.filter(candidate=item).exists()
    assert Assignment.objects.count() == 3


def test_a_candidate_is_taken_back_into_the_work_unless_somebody_practised_on_it(
    cast, items
) -> None:
    cast.reference("r1", 2)
    other = add(cast, Candidate.objects.filter(reference__reference_id="r1").first())
    answer(cast.alice, other)
    for item, count, facts in (
        (items[0], 0, ("rated", cast.campaign.overlap, True)),
        (other, 1, ("calibration", 0, False)),
    ):
        candidate = item.candidate
        assert candidate
        assert remove_item(campaign=cast.campaign, item_id=item.pk, by=cast.ada) == count
        candidate.refresh_from_db()
        assert (candidate.purpose, candidate.places, candidate.has_room) == facts
    remove_item(campaign=cast.campaign, item_id=items[1].pk, by=cast.ada)
    cast.campaign.refresh_from_db()
    assert not cast.campaign.has_calibration
    with pytest.raises(Refused, match="Add an item first"):
        switch(cast)


Wrong = Callable[[Any, Candidate], dict[str, Any]]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (lambda cast, row: cast.assign(cast.bob, row.reference) and {}, "has been given"),
        (lambda cast, row: erase_texts(row.reference) and {}, "texts"),
        (lambda cast, row: {"scores": AGREED | {"logical_linkage": 11}}, "whole number"),
        (lambda cast, row: {"reasons": REASONS | {"logical_linkage": " "}}, "in a sentence"),
        (lambda cast, row: {"scores": add(cast, row).scores}, "already"),
    ],
)
def test_what_cannot_be_an_item_is_refused(cast, wrong: Wrong, why) -> None:
    row = cast.reference("r1", 1).candidates.get()
    changed = wrong(cast, row)
    Reference.objects.filter(claims="").update(erased_at=cast.campaign.created_at)
    count = CalibrationItem.objects.count()
    with pytest.raises(Refused, match=why):
        add(cast, row, **changed)
    assert CalibrationItem.objects.count() == count


def test_examples_are_added_once_and_not_without_end(cast, items) -> None:
    for keys, why in (([EXAMPLE], "not there yet"), (["logical_linkage-9"], "no worked example")):
        with pytest.raises(Refused, match=why):
            add_examples(campaign=cast.campaign, keys=keys, by=cast.ada)
    CalibrationItem.objects.bulk_create(
        CalibrationItem(
            campaign=cast.campaign,
            example=f"x{number}",
            position=number,
            scores=AGREED,
            reasons={},
            made_by=cast.ada,
            made_at=cast.campaign.created_at,
        )
        for number in range(3, MOST_ITEMS + 1)
    )
    with pytest.raises(Refused, match="at most"):
        add_examples(campaign=cast.campaign, keys=["logical_linkage-1"], by=cast.ada)


def test_an_erased_reference_takes_its_items_and_answers_along(cast, items) -> None:
    answer(cast.alice, *items)
    assert erase_texts(items[0].candidate.reference)["calibration"] == 2
    assert list(CalibrationItem.objects.all()) == [items[1]]
    assert CalibrationAnswer.objects.count() == 1


def test_admins_see_how_far_each_annotator_is_from_what_is_agreed(
    cast, items, client: Client
) -> None:
    answer(cast.alice, items[0], given=(9, 6, 4, 4))
    answer(cast.alice, items[1], given=tuple(EXAMPLES[EXAMPLE][1].scores.values()))
    rows = {one.username: one for one in calibration_of(cast.campaign, cast.ada).people}
    assert rows["alice"].deviations == ("1.00", "0.00", "0.50", "0.00", "0.27")
    assert (rows["alice"].done, rows["bob"].done, set(rows["bob"].deviations)) == (2, 0, {""})
    client.force_login(cast.ada)
    page = client.get(f"/campaigns/{cast.campaign.slug}/calibration/").content.decode()
    assert "2 of 2" in page and "zqreason" in page and ">0.50<" in page


def test_an_admin_who_rates_sees_what_is_agreed_once_they_have_rated_it(cast, items) -> None:
    grant_role(user=cast.bob, campaign=cast.campaign, role="admin", granted_by=cast.ada)
    client, path = signed_in(cast.bob), f"/campaigns/{cast.campaign.slug}/calibration/"
    assert [item.is_hidden for item in calibration_of(cast.campaign, cast.bob).items] == [True] * 2
    assert "zqreason" not in client.get(path).content.decode()
    answer(cast.bob, items[0])
    assert "zqreason" in client.get(path).content.decode()
    add_examples(campaign=cast.campaign, keys=["logical_linkage-1"], by=cast.bob)
    hidden = [item.is_hidden for item in calibration_of(cast.campaign, cast.bob).items]
    assert hidden == [False, True, False]


def test_the_page_of_admins_adds_switches_and_removes(cast, client: Client) -> None:
    client.force_login(cast.ada)
    base = f"/campaigns/{cast.campaign.slug}/calibration/"
    candidate = cast.reference("r0", 1).candidates.get()
    hidden = cast.reference("r1", 1).candidates.get()
    Candidate.objects.filter(pk=hidden.pk).update(purpose="sentinel", candidate_id="hidden-one")
    page = client.get(base).content.decode()
    assert '<option value="r1">' in page and "hidden-one" not in page
    assert f'<option value="{candidate.candidate_id}">' in page
    sent = {"reference": "r0", "candidate": candidate.candidate_id}
    sent |= {key: str(AGREED[key]) for key in CRITERIA}
    sent |= {f"reason_{key}": REASONS[key] for key in CRITERIA}
    refused = client.post(f"{base}candidate/", sent | {"candidate": "nothing", CRITERIA[0]: "12"})
    assert refused.status_code == 422 and "no candidate of this id" in refused.content.decode()
    assert client.post(f"{base}switch/", {"is_on": "1"}).status_code == 422
    assert client.post(f"{base}candidate/", sent).status_code == 303
    assert client.post(f"{base}examples/", {"examples": [EXAMPLE]}).status_code == 303
    assert client.post(f"{base}examples/", {"examples": [EXAMPLE]}).status_code == 422
    assert client.post(f"{base}switch/", {"is_on": "1"}).status_code == 303
    assert Campaign.objects.get(pk=cast.campaign.pk).has_calibration
    assert [row.scores for row in CalibrationItem.objects.all()][0] == AGREED
    item = CalibrationItem.objects.get(candidate=candidate)
    assert client.post(f"{base}{item.pk}/remove/").status_code == 303
    assert client.post(f"{base}{item.pk}/remove/").status_code == 404
    assert client.post(f"{base}switch/", {"is_on": "0"}).status_code == 303
    assert not Campaign.objects.get(pk=cast.campaign.pk).has_calibration
    acts = AuditEvent.objects.filter(action__startswith="calibration.", actor=cast.ada)
    assert [act.action.partition(".")[2] for act in acts.order_by("pk")] == [
        *("added", "added", "switched", "removed", "switched")
    ]


def test_another_campaigns_item_is_not_there(cast, items) -> None:
    other = grant_role(user=cast.ada, campaign=cast.elsewhere, role="admin", granted_by=cast.ada)
    client = signed_in(other.user)
    path = f"/campaigns/{cast.elsewhere.slug}/calibration/{items[0].pk}/remove/"
    assert client.post(path).status_code == 404
    assert CalibrationItem.objects.count() == 2


def test_no_item_is_removed_from_a_closed_campaign_and_the_page_says_so(cast, items) -> None:
    client = signed_in(cast.ada)
    close_campaign(campaign=cast.campaign, reason="done", closed_by=cast.ada)
    answer = client.post(f"/campaigns/{cast.campaign.slug}/calibration/{items[0].pk}/remove/")
    assert answer.status_code == 409
    assert "closed" in answer.content.decode()
    assert CalibrationItem.objects.count() == 2
