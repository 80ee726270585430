from datetime import timedelta

import pytest
from django.http import QueryDict
from django.utils import timezone

from annotator.assignments.services import assign_candidates, lapse_leases
from annotator.models import (
    Assignment,
    AuditEvent,
    Candidate,
    Conflict,
    Draft,
    Rating,
    RatingRevision,
    Reference,
    User,
    WorkTime,
)
from annotator.rating.forms import RatingForm, as_sent
from annotator.rating.services import submit_rating
from annotator.rating_values import TEXT_FIELDS
from core.errors import OutOfDate, Refused
from patclaimeval.rubric import CRITERIA
from tests.annotator.adjudication.discrepant import revise
from tests.conftest import make_user

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def reference(cast) -> Reference:
    reference = cast.reference("r1", 2)
    cast.assign(cast.alice, reference)
    cast.assign(cast.bob, reference)
    return reference


def assigned(user: User, number: int = 0) -> Assignment:
    return user.assignments.order_by("candidate__candidate_id")[number]


def test_a_submit_of_ones_own_stores_rating_revision_and_audit_row(cast) -> None:
    anothers, scores = assigned(cast.bob).pk, dict.fromkeys(CRITERIA, 5)
    with pytest.raises(Assignment.DoesNotExist):
        submit_rating(assignment_id=anothers, annotator=cast.alice, scores=scores)
    rating = cast.submit(assigned(cast.alice), (8, 6, 7, 9), comment="fine")
    assert rating.overall_numerator == 85
    revision = RatingRevision.objects.get(rating=rating)
    assert (revision.number, revision.scores, revision.comment) == (1, rating.scores, "fine")
    event = AuditEvent.objects.get(action="rating.submitted")
    assert event.object_id == str(rating.pk)
    assert event.actor == cast.alice
    assert assigned(cast.alice).status == "submitted"


@pytest.mark.parametrize("wrong", [11, -1, True, 9.0, "9"])
def test_a_score_off_the_scale_is_refused_and_nothing_stored(cast, wrong: int) -> None:
    with pytest.raises(Refused):
        cast.submit(assigned(cast.alice), (wrong, 1, 1, 1))
    assert not Rating.objects.exists()


def test_a_rating_that_disagrees_opens_a_conflict_and_one_that_agrees_ends_it(cast):
    cast.submit(assigned(cast.alice), (8, 8, 8, 8))
    assert not Conflict.objects.exists()
    rating = cast.submit(assigned(cast.bob), (5, 8, 8, 8))
    conflict = Conflict.objects.get()
    assert (conflict.kind, conflict.criterion) == ("criterion_gap", "feature_completeness")
    assert conflict.gap == 3
    assert AuditEvent.objects.filter(action="conflict.opened").count() == 1
    revise(cast.bob, rating.candidate, (8, 8, 8, 8))
    assert Conflict.objects.get().status == "lapsed"
    assert [r.number for r in RatingRevision.objects.filter(rating=rating)] == [1, 2]


def test_a_lapsed_lease_is_honoured_while_the_place_is_free(cast, reference) -> None:
    past = timezone.now() - timedelta(minutes=1)
    Assignment.objects.filter(annotator=cast.alice).update(lease_expires_at=past)
    assert lapse_leases(cast.campaign) == 2
    assert Candidate.objects.filter(held=1, has_room=True).count() == 2
    cast.submit(assigned(cast.alice), (5, 5, 5, 5))
    first, second = reference.candidates.order_by("candidate_id")
    assert first.held == 2
    assign_candidates(campaign=cast.campaign, annotator=make_user("carl"), candidates=[second])
    with pytest.raises(OutOfDate, match="another annotator has it now"):
        cast.submit(assigned(cast.alice, 1), (5, 5, 5, 5))


@pytest.mark.parametrize("status", ["skipped", "recused"])
def test_what_was_left_is_not_rated_before_it_is_taken_back(cast, status: str) -> None:
    Assignment.objects.filter(annotator=cast.alice).update(status=status)
    with pytest.raises(OutOfDate, match="Take it back"):
        cast.submit(assigned(cast.alice), (5, 5, 5, 5))


def test_a_submit_keeps_note_aids_and_active_time_and_ends_the_draft(cast) -> None:
    assignment = assigned(cast.alice)
    Draft.objects.create(assignment=assignment, saved_at=timezone.now())
    WorkTime.objects.create(assignment=assignment, seconds=61.6, last_ping_at=timezone.now())
    shown = {"aligned": True, "diff": False, "marks": True}
    rating = cast.submit(
        assigned(cast.alice), (5, 5, 5, 5), note="see claim 2", shown=shown, draft_version=1
    )
    revision = rating.revisions.get()
    for row in (rating, revision):
        assert (row.note, row.shown, row.active_seconds) == ("see claim 2", shown, 62)
    assert not Draft.objects.exists()


def test_error_tags_are_stored_clean_and_bad_ones_are_refused_by_field(cast) -> None:
    rating = cast.submit(assigned(cast.alice), (5, 5, 5, 5), error_tags=["Vagueness"])
    assert rating.error_tags == [{"tag": "vagueness", "side": "candidate"}]
    with pytest.raises(Refused) as refused:
        cast.submit(assigned(cast.alice, 1), (5, 5, 5, 5), error_tags=["no such tag"])
    assert set(refused.value.fields) == {"error_tags"}
    assert assigned(cast.alice, 1).status == "open"


def test_a_submit_never_ends_a_draft_that_was_typed_elsewhere(cast) -> None:
    assignment = assigned(cast.alice)
    Draft.objects.create(assignment=assignment, version=3, saved_at=timezone.now())
    with pytest.raises(OutOfDate, match="Another tab"):
        cast.submit(assigned(cast.alice), (5, 5, 5, 5), draft_version=2)
    assert not Rating.objects.exists()
    cast.submit(assigned(cast.alice), (5, 5, 5, 5))
    assert Draft.objects.get().version == 3


FIRST = CRITERIA[0]


def sent(**changes: str | list[str] | None) -> QueryDict:
    data = QueryDict(mutable=True)
    data.update(dict.fromkeys(CRITERIA, "5"))
    for name, value in changes.items():
        if value is None:
            del data[name]
        else:
            data.setlist(name, value if isinstance(value, list) else [value])
    return data


def test_a_whole_number_from_0_to_10_is_a_score_and_anything_else_is_none() -> None:
    for text in ("0", "9", "10", " 7 ", "\t3\r\n"):
        form = RatingForm(sent(**{FIRST: text}))
        assert form.is_valid() and form.scores[FIRST] == int(text), text
    for text in (
        *("10.5", "-1", "11", "", " ", "9.0", "9.", "+9", "09", "00", "1e1", "0x5", "1_0"),
        *("true", "[9]", "null", "9;drop", "9\x00", "9\u00a0", "\u0669", "\uff11"),
    ):
        form = RatingForm(sent(**{FIRST: text}))
        assert not form.is_valid() and list(form.errors) == [FIRST], text
        assert set(form.scores) == set(CRITERIA[1:]), text


def test_comment_keeps_its_words_and_loses_only_the_line_ends_of_forms() -> None:
    form = RatingForm(sent(comment="  <b>a</b>\r\nb {{7*7}} "))
    assert form.is_valid()
    assert form.cleaned_data["comment"] == "  <b>a</b>\nb {{7*7}} "


def test_a_refusal_of_the_service_is_shown_beside_its_field_or_above() -> None:
    form = RatingForm(sent())
    form.is_valid()
    form.take_refusal(Refused("Too long.", {"comment": ["Too long."]}))
    form.take_refusal(Refused("Too late."))
    assert form.errors["comment"] == ["Too long."]
    assert form.non_field_errors() == ["Too late."]


def test_a_stored_rating_reads_as_the_form_would_send_it() -> None:
    words = {field.name: f"a {field.name}" for field in TEXT_FIELDS}
    rating = Rating(**dict.fromkeys(CRITERIA, 10), **words, version=3)
    rating.error_tags = [{"tag": "vagueness"}]
    assert {"comment", "note"} <= words.keys()
    assert as_sent(rating) == dict.fromkeys(CRITERIA, "10") | words | {
        "error_tags": '[{"tag": "vagueness"}]',
        "version": "3",
    }
