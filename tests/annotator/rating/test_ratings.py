"""Submitting and revising ratings."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.assignments.services import assign_candidates, lapse_leases
from annotator.models import (
    Assignment,
    AuditEvent,
    Campaign,
    Candidate,
    Conflict,
    Draft,
    IdempotencyKey,
    Membership,
    Rating,
    RatingRevision,
    Reference,
    User,
    WorkTime,
)
from annotator.rating.services import revise_rating, submit_rating
from annotator.rubric import CRITERIA
from core.errors import OutOfDate, Refused

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


class Scene:
    """One reference with two candidates, assigned to alice and bob."""

    def __init__(self) -> None:
        self.campaign = Campaign.objects.create(slug="room", name="Room")
        reference = Reference.objects.create(
            campaign=self.campaign, reference_id="r1", claims="1. A cup.", claims_sha256="a" * 64
        )
        self.candidates = [
            Candidate.objects.create(
                reference=reference,
                campaign=reference.campaign,
                queue_position=reference.position,
                candidate_id=f"c{n}",
                claims=f"1. A cup {n}.",
                claims_sha256=str(n),
            )
            for n in (1, 2)
        ]
        self.alice, self.bob = (self._annotator(name) for name in ("alice", "bob"))

    def _annotator(self, name: str) -> User:
        user = User.objects.create(username=name)
        Membership.objects.create(campaign=self.campaign, user=user, role="annotator")
        assign_candidates(campaign=self.campaign, annotator=user, candidates=self.candidates)
        return user

    def assignment(self, user: User, number: int = 0) -> Assignment:
        return Assignment.objects.get(annotator=user, candidate=self.candidates[number])

    def submit(self, user: User, *values: int, number: int = 0, **more: object) -> Rating:
        return submit_rating(
            assignment_id=self.assignment(user, number).pk,
            annotator=user,
            scores=dict(zip(CRITERIA, values, strict=True)),
            **more,  # type: ignore[arg-type]
        )


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_a_submit_stores_rating_revision_and_audit_row(scene: Scene) -> None:
    rating = scene.submit(scene.alice, 8, 6, 7, 9, comment="fine")
    assert rating.overall_numerator == 85
    revision = RatingRevision.objects.get(rating=rating)
    assert (revision.number, revision.scores, revision.comment) == (1, rating.scores, "fine")
    event = AuditEvent.objects.get(action="rating.submitted")
    assert event.object_id == str(rating.pk)
    assert event.actor == scene.alice
    assert scene.assignment(scene.alice).status == "submitted"


def test_nothing_is_stored_when_the_audit_row_cannot_be_written(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError("disk full")

    monkeypatch.setattr(AuditEvent.objects, "create", fail)
    with pytest.raises(RuntimeError):
        scene.submit(scene.alice, 1, 1, 1, 1, idempotency_key="k")
    assert not Rating.objects.exists()
    assert not RatingRevision.objects.exists()
    assert not IdempotencyKey.objects.exists()
    assert scene.assignment(scene.alice).status == "open"


@pytest.mark.parametrize("wrong", [11, -1, True, 9.0, "9"])
def test_a_score_off_the_scale_is_refused_and_nothing_stored(scene: Scene, wrong: int) -> None:
    with pytest.raises(Refused):
        scene.submit(scene.alice, wrong, 1, 1, 1)
    assert not Rating.objects.exists()


def test_a_second_rating_of_the_same_candidate_is_out_of_date(scene: Scene) -> None:
    scene.submit(scene.alice, 5, 5, 5, 5)
    with pytest.raises(OutOfDate):
        scene.submit(scene.alice, 6, 6, 6, 6)
    assert Rating.objects.get().scores == dict.fromkeys(CRITERIA, 5)


def test_the_same_key_gives_the_same_rating_and_another_request_is_refused(scene: Scene) -> None:
    first = scene.submit(scene.alice, 5, 5, 5, 5, idempotency_key="k", request_sha256="1")
    again = scene.submit(scene.alice, 5, 5, 5, 5, idempotency_key="k", request_sha256="1")
    assert again.pk == first.pk
    with pytest.raises(OutOfDate):
        scene.submit(scene.alice, 6, 5, 5, 5, idempotency_key="k", request_sha256="2")
    assert Rating.objects.count() == RatingRevision.objects.count() == 1


def test_nobody_submits_anothers_assignment(scene: Scene) -> None:
    with pytest.raises(Assignment.DoesNotExist):
        submit_rating(
            assignment_id=scene.assignment(scene.bob).pk,
            annotator=scene.alice,
            scores=dict.fromkeys(CRITERIA, 5),
        )


def test_a_closed_campaign_takes_no_rating(scene: Scene) -> None:
    Campaign.objects.update(status="closed")
    with pytest.raises(OutOfDate):
        scene.submit(scene.alice, 5, 5, 5, 5)


def test_a_second_rating_that_disagrees_opens_a_conflict_in_its_transaction(scene: Scene) -> None:
    scene.submit(scene.alice, 8, 8, 8, 8)
    assert not Conflict.objects.exists()
    scene.submit(scene.bob, 5, 8, 8, 8)
    conflict = Conflict.objects.get()
    assert (conflict.kind, conflict.criterion, conflict.gap) == (
        "criterion_gap",
        "feature_completeness",
        3,
    )
    assert AuditEvent.objects.filter(action="conflict.opened").count() == 1


def test_a_revision_that_agrees_lets_the_conflict_lapse(scene: Scene) -> None:
    scene.submit(scene.alice, 8, 8, 8, 8)
    rating = scene.submit(scene.bob, 5, 8, 8, 8)
    revise_rating(
        rating_id=rating.pk,
        annotator=scene.bob,
        version=1,
        scores=dict.fromkeys(CRITERIA, 8),
    )
    assert Conflict.objects.get().status == "lapsed"
    assert [r.number for r in RatingRevision.objects.filter(rating=rating)] == [1, 2]


def test_of_two_revisions_of_one_version_the_second_is_out_of_date(scene: Scene) -> None:
    rating = scene.submit(scene.alice, 8, 8, 8, 8)
    for number, expected in ((7, None), (6, OutOfDate)):
        change = {
            "rating_id": rating.pk,
            "annotator": scene.alice,
            "version": 1,
            "scores": dict.fromkeys(CRITERIA, number),
        }
        if expected is None:
            revise_rating(**change)  # type: ignore[arg-type]
        else:
            with pytest.raises(expected):
                revise_rating(**change)  # type: ignore[arg-type]
    assert Rating.objects.get().feature_completeness == 7


def test_a_locked_rating_is_not_revised(scene: Scene) -> None:
    rating = scene.submit(scene.alice, 8, 8, 8, 8)
    scene.submit(scene.bob, 8, 8, 8, 8)
    Rating.objects.update(revised_at=timezone.now() - timedelta(hours=25))
    with pytest.raises(OutOfDate):
        revise_rating(
            rating_id=rating.pk,
            annotator=scene.alice,
            version=1,
            scores=dict.fromkeys(CRITERIA, 1),
        )


def test_a_lapsed_lease_is_honoured_while_the_place_is_free(scene: Scene) -> None:
    past = timezone.now() - timedelta(minutes=1)
    Assignment.objects.filter(annotator=scene.alice).update(lease_expires_at=past)
    assert lapse_leases(scene.campaign) == 2
    assert Candidate.objects.filter(held=1, has_room=True).count() == 2
    scene.submit(scene.alice, 5, 5, 5, 5)
    assert Candidate.objects.get(pk=scene.candidates[0].pk).held == 2
    carl = User.objects.create(username="carl")
    assign_candidates(campaign=scene.campaign, annotator=carl, candidates=scene.candidates[1:])
    with pytest.raises(OutOfDate, match="given to another"):
        scene.submit(scene.alice, 5, 5, 5, 5, number=1)


@pytest.mark.parametrize("status", ["skipped", "recused"])
def test_what_was_left_is_not_rated_before_it_is_taken_back(scene: Scene, status: str) -> None:
    Assignment.objects.filter(annotator=scene.alice).update(status=status)
    with pytest.raises(OutOfDate, match="take it back"):
        scene.submit(scene.alice, 5, 5, 5, 5)


def test_a_submit_keeps_note_aids_and_active_time_and_ends_the_draft(scene: Scene) -> None:
    assignment = scene.assignment(scene.alice)
    Draft.objects.create(assignment=assignment, saved_at=timezone.now())
    WorkTime.objects.create(assignment=assignment, seconds=61.6, last_ping_at=timezone.now())
    shown = {"aligned": True, "diff": False, "marks": True}
    rating = scene.submit(scene.alice, 5, 5, 5, 5, note="see claim 2", shown=shown, draft_version=1)
    revision = rating.revisions.get()
    for row in (rating, revision):
        assert (row.note, row.shown, row.active_seconds) == ("see claim 2", shown, 62)
    assert not Draft.objects.exists()


def test_error_tags_are_stored_clean_and_bad_ones_are_refused_by_field(scene: Scene) -> None:
    rating = scene.submit(scene.alice, 5, 5, 5, 5, error_tags=["Vagueness"])
    assert rating.error_tags == [{"tag": "vagueness", "side": "candidate"}]
    with pytest.raises(Refused) as refused:
        scene.submit(scene.alice, 5, 5, 5, 5, number=1, error_tags=["no such tag"])
    assert set(refused.value.fields) == {"error_tags"}
    assert scene.assignment(scene.alice, 1).status == "open"


def test_a_submit_never_ends_a_draft_that_was_typed_elsewhere(scene: Scene) -> None:
    assignment = scene.assignment(scene.alice)
    Draft.objects.create(assignment=assignment, version=3, saved_at=timezone.now())
    with pytest.raises(OutOfDate, match="Another tab"):
        scene.submit(scene.alice, 5, 5, 5, 5, draft_version=2)
    assert not Rating.objects.exists()
    scene.submit(scene.alice, 5, 5, 5, 5)
    assert Draft.objects.get().version == 3
