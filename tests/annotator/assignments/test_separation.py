"""B7, P20: who rates does not rule, in the database itself; nobody signs for another."""

import pytest
from django.db import IntegrityError, transaction

from annotator.adjudication.rulings.queries import record_sha256, signature_holds
from annotator.adjudication.rulings.services import void_adjudication
from annotator.assignments.services import assign_candidates, take_next
from annotator.models import (
    Adjudication,
    Assignment,
    AssignmentStatus,
    AuditEvent,
    Conflict,
    Membership,
    Rating,
    Ruling,
)
from annotator.planning.services import assign_by_name
from core.errors import Forbidden, Refused
from tests.annotator.adjudication.discrepant import member, rate_all
from tests.annotator.adjudication.rulings import decide

pytestmark = pytest.mark.postgres


@pytest.fixture
def conflict(cast, carol) -> Conflict:
    reference = cast.reference("r1", 1)
    for person, clarity in ((cast.alice, 1), (cast.bob, 9)):
        rate_all(cast, person, reference, [(5, clarity, 5, 5)])
    return Conflict.objects.get()


@pytest.fixture
def given_back(cast, carol, conflict) -> Adjudication:
    """Give a ruling of carol's that ada has voided, with carol an annotator since."""
    row = decide(conflict, carol)
    void_adjudication(adjudication_id=row.pk, reason="A slip.", by=cast.ada)
    Membership.objects.create(user=carol, campaign=cast.campaign, role="annotator")
    candidate = conflict.candidate
    candidate.places, candidate.has_room = 3, True
    candidate.save()
    return row


def test_the_database_takes_no_rating_of_who_has_ruled(cast, carol, conflict, given_back) -> None:
    (row,) = assign_candidates(
        campaign=cast.campaign, annotator=carol, candidates=[conflict.candidate]
    )
    with pytest.raises(Forbidden, match="You have ruled on this candidate"):
        cast.submit(row)
    assert not Rating.objects.filter(annotator=carol).exists()
    copied = Rating.objects.get(annotator=cast.bob)
    copied.pk, copied.assignment, copied.annotator, copied._state.adding = None, row, carol, True
    with pytest.raises(IntegrityError), transaction.atomic():
        copied.save(force_insert=True)


def test_the_database_takes_no_ruling_of_who_has_rated(cast, carol, conflict) -> None:
    """As the ORM, a command or another program would write it, past every service."""
    signed = decide(conflict, carol)
    ruling = signed.rulings.get()
    signed.pk, signed.adjudicator, signed._state.adding = None, cast.alice, True
    signed.save(force_insert=True)
    for is_valid in (True, False):
        of = {"candidate": ruling.candidate, "scores": ruling.scores}
        copy = Ruling(adjudication=signed, is_valid=is_valid, **of)
        with pytest.raises(IntegrityError), transaction.atomic():
            copy.save(force_insert=True)


def test_who_has_ruled_is_not_given_the_candidate_to_rate(cast, carol, given_back) -> None:
    assert take_next(slug="cups", annotator=carol) is None
    references = list(cast.campaign.references.all())
    to = {"campaign": cast.campaign, "annotator": carol, "references": references}
    with pytest.raises(Refused, match="has ruled on one of these"):
        assign_by_name(**to, due_at=None, by=cast.ada)
    assert cast.take(member(cast, "eve"))
    assert not Assignment.objects.filter(annotator=carol, status=AssignmentStatus.OPEN).exists()


def test_nobody_signs_as_another(cast, carol, conflict) -> None:
    for name in ("bob", "Carol", "carol ", "ada"):
        with pytest.raises(Forbidden, match="as yourself"):
            decide(conflict, carol, signed_as=name)
    dave = member(cast, "dave", "adjudicator")
    dave.set_password("another long phrase")
    # Carol's password does not sign for dave, however he is called.
    with pytest.raises(Refused, match="not your password"):
        decide(conflict, dave, signed_as="dave")
    assert not Adjudication.objects.exists()
    assert decide(conflict, carol, signed_as="carol").signed_as == "carol"


def test_a_changed_ruling_with_a_digest_computed_anew_does_not_hold(carol, conflict) -> None:
    row = Adjudication.objects.get(pk=decide(conflict, carol).pk)
    assert signature_holds(row)
    row.reason = "Something that carol never wrote."
    row.record_sha256 = record_sha256(row, list(row.rulings.all()))
    row.save()
    assert not signature_holds(Adjudication.objects.get(pk=row.pk))


def test_a_whole_signature_copied_to_another_record_does_not_hold(cast, carol, conflict) -> None:
    """The planted fault of P20: every field of the signature, digest computed anew included."""
    one = decide(conflict, carol)
    assert AuditEvent.objects.filter(action="conflict.ruled").count() == 1
    copy = Adjudication.objects.get(pk=one.pk)
    rulings = list(copy.rulings.all())
    copy.pk, copy._state.adding = None, True
    for digest in (one.record_sha256, None):
        copy.pk = None
        copy.save(force_insert=True)
        copy.record_sha256 = digest or record_sha256(copy, [])
        copy.save()
        assert not signature_holds(Adjudication.objects.get(pk=copy.pk))
        copy._state.adding = True
    assert rulings and signature_holds(Adjudication.objects.get(pk=one.pk))
