"""Preferences: first, revised, resent, refused."""

from itertools import combinations

import pytest

from annotator.comparisons.queries import CLOSED_SENTENCE, RECUSED_SENTENCE
from annotator.comparisons.services import assign_comparisons, submit_preference
from annotator.models import AuditEvent, Campaign, Comparison, Preference
from annotator.rating.services import recuse
from annotator.rubric import ALL_CRITERIA
from core.errors import OutOfDate, Refused

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
SAID = dict(zip(ALL_CRITERIA, (1, 0, -1, 1, 0), strict=True))
OTHER = dict.fromkeys(ALL_CRITERIA, -1)


@pytest.fixture
def row(cast) -> Comparison:
    pairs = list(combinations(cast.reference().candidates.all(), 2))
    return assign_comparisons(campaign=cast.campaign, annotator=cast.alice, pairs=pairs[:1])[0]


def log(row: Comparison, judgements=SAID, **more: object) -> Preference:
    return submit_preference(
        comparison_id=row.pk, annotator=row.annotator, judgements=judgements, **more
    )


def test_a_preference_is_stored_with_its_audit_row(row, cast) -> None:
    stored = log(row, comment="why")
    assert stored.judgements == SAID
    assert (stored.comment, stored.version, stored.rubric_version) == ("why", 1, "1")
    event = AuditEvent.objects.get(action="preference.submitted")
    assert event.actor == cast.alice
    assert event.details == {"version": 1, "judgements": SAID}


def test_every_revision_is_stored_and_the_trail_holds_no_text(row) -> None:
    log(row, comment="old words")
    revised = log(row, OTHER, comment="new words", version=1)
    assert (revised.judgements, revised.version) == (OTHER, 2)
    kept = [(r.number, r.judgements, r.comment) for r in revised.revisions.all()]
    assert kept == [(1, SAID, "old words"), (2, OTHER, "new words")]
    event = AuditEvent.objects.get(action="preference.revised")
    assert event.details == {"version": 2, "judgements": OTHER}


@pytest.mark.parametrize("version", [0, 1])
def test_the_same_sent_again_changes_nothing(row, version: int) -> None:
    first = log(row, comment="why")
    again = log(row, comment="why", version=version)
    assert (again.pk, again.version, again.revised_at) == (first.pk, 1, first.revised_at)
    assert AuditEvent.objects.filter(object_type="preference").count() == 1


@pytest.mark.parametrize("version", [0, 1, 3])
def test_a_stale_version_is_out_of_date_and_changes_nothing(row, version: int) -> None:
    log(row)
    log(row, OTHER, version=1)
    with pytest.raises(OutOfDate):
        log(row, dict.fromkeys(ALL_CRITERIA, 0), version=version)
    assert Preference.objects.get().judgements == OTHER


def test_a_version_of_what_was_never_stored_is_out_of_date(row) -> None:
    with pytest.raises(OutOfDate):
        log(row, version=1)


@pytest.mark.parametrize("value", [2, -2, True, 1.0, "1", None])
def test_a_bad_answer_is_refused_by_its_field(row, value: object) -> None:
    with pytest.raises(Refused) as caught:
        log(row, SAID | {"logical_linkage": value})
    assert list(caught.value.fields) == ["logical_linkage"]
    assert not Preference.objects.exists()


def test_missing_and_unknown_criteria_and_bad_comments_are_refused_by_field(row) -> None:
    with pytest.raises(Refused) as caught:
        log(row, {"beauty": 1, **dict(list(SAID.items())[1:])}, comment="\x00")
    assert list(caught.value.fields) == ["feature_completeness", "beauty", "comment"]
    with pytest.raises(Refused) as caught:
        log(row, comment="x" * 20_001)
    assert "20,001" in caught.value.fields["comment"][0]


def test_a_closed_campaign_takes_no_preference_but_answers_a_resend(row) -> None:
    log(row)
    Campaign.objects.update(status="closed")
    assert log(row).version == 1
    with pytest.raises(OutOfDate, match=CLOSED_SENTENCE):
        log(row, OTHER, version=1)


def test_who_recused_themself_from_the_reference_states_nothing(row, cast) -> None:
    recuse(assignment=cast.assign(cast.alice, row.left.reference)[0])
    with pytest.raises(OutOfDate, match=RECUSED_SENTENCE):
        log(row)


def test_anothers_comparison_is_not_there(row, cast) -> None:
    with pytest.raises(Comparison.DoesNotExist):
        submit_preference(comparison_id=row.pk, annotator=cast.bob, judgements=SAID)


def test_error_tags_have_a_side_and_stay_when_not_sent(row) -> None:
    tag = {"tag": "vagueness", "side": "right", "start": 0, "end": 2}
    assert log(row, error_tags=[tag, tag]).error_tags == [tag]
    assert log(row, OTHER, version=1).error_tags == [tag]
    assert log(row, OTHER, version=2, error_tags=[]).error_tags == []


@pytest.mark.parametrize(
    ("tag", "why"),
    [
        ("vagueness", "tag 2: side"),
        ({"tag": "vagueness", "side": "candidate"}, "tag 2: side"),
        ({"tag": "vagueness", "side": "left", "start": 0, "end": 9_999}, "tag 2: start and end"),
        ({"tag": "no-such", "side": "left"}, "tag 2: 'no-such'"),
    ],
)
def test_a_wrong_error_tag_is_named_by_its_place(row, tag: object, why: str) -> None:
    good = {"tag": "vagueness", "side": "left"}
    with pytest.raises(Refused, match=why) as caught:
        log(row, error_tags=[good, tag])
    assert list(caught.value.fields) == ["error_tags"]
