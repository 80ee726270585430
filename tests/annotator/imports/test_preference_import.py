import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth import authenticate

from annotator.accounts.services import create_user
from annotator.assignments.services import take_next
from annotator.campaigns.members.services import grant_role
from annotator.formats.label_studio import TEXTS, PreferenceRecord, read
from annotator.imports.preferences.services import PreferenceCounts, import_preferences
from annotator.models import (
    AuditEvent,
    Campaign,
    Candidate,
    Comparison,
    ImportedAnnotation,
    Membership,
    Preference,
    Reference,
    User,
)
from core.errors import OutOfDate, Refused
from patclaimeval.rubric import ALL_CRITERIA, OVERALL
from patclaimeval.text_io.text import text_sha256
from tests.annotator.formats.exports import as_bytes, item

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

RECORD = PreferenceRecord(
    annotation=1,
    annotator="label-studio-7",
    reference_claims="1. A cup.",
    left="2. A mug.",
    right="2. A pot.",
    judgement=-1,
    created_at=datetime(2024, 3, 1, 12, tzinfo=UTC),
    updated_at=datetime(2024, 3, 2, 12, tzinfo=UTC),
    ipc="A",
    error_tags=({"tag": "vagueness", "side": "left", "start": 3, "end": 8},),
    right_comment="odd",
    highlights=2,
)
OTHERS = replace(RECORD, annotation=2, annotator="label-studio-8", judgement=1)


def bring(campaign: Campaign, *records: PreferenceRecord, **more: Any) -> PreferenceCounts:
    return import_preferences(campaign=campaign, records=records, **more)[1]


def test_a_record_becomes_a_comparison_with_a_preference_and_its_revision(campaign) -> None:
    claims, counts = import_preferences(campaign=campaign, records=[RECORD])
    assert (claims.references, claims.candidates) == (1, 2)
    assert counts == PreferenceCounts(1, 0, 0, 0, 0, 1, 0, 2, 1, 0, 0)
    row = Preference.objects.get()
    comparison = row.comparison
    assert (comparison.left.claims, comparison.right.claims) == ("2. A mug.", "2. A pot.")
    assert comparison.left.reference.claims == "1. A cup."
    assert comparison.left.reference.ipc == "A"
    assert (comparison.left.system, comparison.left.reference.may_train) == ("", False)
    assert row.judgements == {OVERALL: -1}
    assert all(getattr(row, name) is None for name in ALL_CRITERIA if name != OVERALL)
    assert (row.submitted_at, row.revised_at) == (RECORD.created_at, RECORD.updated_at)
    assert (row.comment, row.error_tags) == ("odd", list(RECORD.error_tags))
    revision = row.revisions.get()
    assert (revision.number, revision.made_at) == (1, RECORD.updated_at)
    assert (revision.judgements, revision.error_tags) == (row.judgements, row.error_tags)


def test_nobody_can_sign_in_as_an_imported_annotator(campaign: Campaign) -> None:
    bring(campaign, RECORD)
    user = User.objects.get(username="label-studio-7")
    assert not user.is_active and not user.has_usable_password()
    assert authenticate(username=user.username, password="") is None
    assert Membership.objects.get(user=user).role == "annotator"
    dora = create_user(username="dora", password=None)
    grant_role(user=dora, campaign=campaign, role="annotator")
    assignment = take_next(slug=campaign.slug, annotator=dora)
    assert assignment is not None
    assert assignment.candidate.claims in {RECORD.left, RECORD.right}


def test_equal_texts_are_one_claim_set(campaign: Campaign) -> None:
    bring(
        campaign,
        RECORD,
        OTHERS,
        replace(RECORD, annotation=3, left="2. A jug."),
        replace(RECORD, annotation=4, reference_claims="1. A bowl."),
    )
    assert Reference.objects.count() == 2
    assert Candidate.objects.count() == 3 + 2
    assert Preference.objects.count() == 4


def test_texts_that_the_campaign_has_under_other_ids_are_those(cast) -> None:
    reference = cast.reference("r1", 2)
    one, other = reference.candidates.order_by("candidate_id")
    for row in (reference, one, other):
        row.claims_sha256 = text_sha256(row.claims)
        row.save()
    record = replace(RECORD, reference_claims=reference.claims, left=other.claims, right=one.claims)
    claims, counts = import_preferences(campaign=cast.campaign, records=[record])
    assert (claims.references, claims.candidates, counts.preferences) == (0, 0, 1)
    assert Comparison.objects.get().left == other


def test_sent_again_nothing_changes_and_all_is_known(campaign: Campaign) -> None:
    bring(campaign, RECORD, OTHERS)
    before = list(Preference.objects.values())
    claims, counts = import_preferences(campaign=campaign, records=[RECORD, OTHERS])
    assert (claims.references, claims.known_references) == (0, 1)
    assert (counts.preferences, counts.known_preferences, counts.annotators) == (0, 2, 0)
    assert list(Preference.objects.values()) == before
    assert sum(row.revisions.count() for row in Preference.objects.all()) == 2


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_statements_on_a_pair_the_newest_counts(campaign: Campaign, order: int) -> None:
    older = replace(RECORD, annotation=9, judgement=1, updated_at=RECORD.created_at)
    counts = bring(campaign, *(RECORD, older)[::order])
    assert (counts.preferences, counts.superseded) == (1, 1)
    assert Preference.objects.get().overall_quality == RECORD.judgement


def test_the_same_pair_the_other_way_round_is_the_same_pair(campaign: Campaign) -> None:
    newer = replace(RECORD.turned(), annotation=9, updated_at=datetime(2024, 4, 1, tzinfo=UTC))
    counts = bring(campaign, RECORD, newer)
    assert (counts.preferences, counts.superseded) == (1, 1)
    # Turned back, it says what the stored one says: nothing is new.
    assert bring(campaign, RECORD).known_preferences == 1
    assert Preference.objects.get().overall_quality == 1


def test_a_newer_statement_in_a_later_file_is_a_revision(campaign: Campaign) -> None:
    bring(campaign, RECORD)
    newer = replace(RECORD, judgement=0, updated_at=datetime(2024, 4, 1, tzinfo=UTC))
    counts = bring(campaign, newer.turned())
    assert (counts.revised_preferences, counts.preferences) == (1, 0)
    row = Preference.objects.get()
    assert (row.version, row.overall_quality, row.revised_at) == (2, 0, newer.updated_at)
    assert row.error_tags == list(RECORD.error_tags)
    assert [one.overall_quality for one in row.revisions.all()] == [-1, 0]
    # The first file again is older, and does not bring its statement back.
    assert bring(campaign, RECORD).superseded == 1
    assert Preference.objects.get().version == 2


def test_two_outputs_with_one_text_are_counted_and_left_out(campaign: Campaign) -> None:
    counts = bring(campaign, RECORD, replace(RECORD, annotation=3, right=RECORD.left))
    assert (counts.preferences, counts.same_text) == (1, 1)


def test_words_are_not_put_into_the_mouth_of_who_can_sign_in(campaign: Campaign) -> None:
    create_user(username="LABEL-studio-8", password="correct horse battery")
    with pytest.raises(Refused, match="can sign in"):
        bring(campaign, RECORD, OTHERS)
    assert not Reference.objects.exists()
    assert not Preference.objects.exists()
    assert not User.objects.filter(username="label-studio-7").exists()


def test_a_closed_campaign_takes_nothing(campaign: Campaign) -> None:
    Campaign.objects.update(status="closed")
    with pytest.raises(OutOfDate):
        bring(campaign, RECORD)
    assert not Comparison.objects.exists()
    assert not User.objects.exists()


def test_a_wrong_record_in_the_middle_leaves_nothing(campaign: Campaign) -> None:
    # What no reader lets through: the database refuses it, and the rest goes with it.
    with pytest.raises(Exception, match="(?i)constraint"):
        bring(campaign, RECORD, replace(OTHERS, judgement=2))
    assert not Reference.objects.exists()


def test_the_trail_tells_of_the_import_without_texts(campaign: Campaign) -> None:
    ada = create_user(username="ada", password=None)
    bring(campaign, RECORD, imported_by=ada)
    event = AuditEvent.objects.get(action="preferences.imported")
    assert (event.actor, event.campaign) == (ada, campaign)
    assert (event.details["preferences"], event.details["annotators"]) == (1, 1)
    for one in AuditEvent.objects.all():
        assert "mug" not in str(one.details) and "odd" not in str(one.details)


def test_positions_follow_the_time_of_each_annotator(campaign: Campaign) -> None:
    early = replace(
        RECORD, annotation=3, left="2. A jug.", created_at=datetime(2024, 1, 1, tzinfo=UTC)
    )
    bring(campaign, RECORD, OTHERS, early)
    rows = Comparison.objects.filter(annotator__username="label-studio-7")
    assert [(row.position, row.left.claims) for row in rows] == [(1, "2. A jug."), (2, "2. A mug.")]
    bring(campaign, replace(early, annotation=4, left="2. A tin."))
    assert rows.get(position=3).left.claims == "2. A tin."


LATER = "2024-05-01T00:00:00Z"


def add(campaign: Campaign, *items: dict[str, Any]) -> PreferenceCounts:
    records = read(io.BytesIO(as_bytes(*items)))
    return import_preferences(campaign=campaign, records=records)[1]


def stored_items() -> list[dict[str, Any]]:
    found = []
    for row in ImportedAnnotation.objects.all():
        texts = (row.reference.claims, row.left.claims, row.right.claims)
        found.append(json.loads(row.fields) | dict(zip(TEXTS, texts, strict=True)))
    return found


def test_every_item_is_kept_with_its_place_superseded_and_equal_ones_too(campaign) -> None:
    older = item(updated_at="2024-03-23T00:00:00Z", comparison=[{"selected": "right"}])
    newer = item(comment2="blue?", lead_time=0.5)
    equal = item(output2="2. A lid.", output1="2. A lid.", input_claim="1. A pot.")
    counts = add(campaign, older, newer, equal)
    assert (counts.preferences, counts.superseded, counts.same_text) == (1, 1, 1)
    assert counts.annotations == 3
    assert stored_items() == [older, newer, equal]
    comparisons = [row.comparison for row in ImportedAnnotation.objects.all()]
    assert comparisons == [Preference.objects.get().comparison] * 2 + [None]


def test_a_pair_that_only_ever_stood_with_itself_is_one_candidate(campaign) -> None:
    add(campaign, item(output1="2. A lid.", output2="2. A lid."))
    row = ImportedAnnotation.objects.get()
    assert row.left == row.right == Candidate.objects.get()
    assert not Preference.objects.exists()


def test_a_turned_item_is_kept_as_it_stands(campaign) -> None:
    one = item()
    turned = item(output1=one["output2"], output2=one["output1"])
    add(campaign, one, turned)
    assert stored_items() == [one, turned]
    assert Preference.objects.count() == 1


def test_the_same_file_again_changes_nothing(campaign) -> None:
    items = [item(), item(output1="2. A jug.")]
    add(campaign, *items)
    before = list(ImportedAnnotation.objects.values())
    counts = add(campaign, *items[::-1])
    assert (counts.annotations, counts.renewed_annotations, counts.known_annotations) == (0, 0, 2)
    assert list(ImportedAnnotation.objects.values()) == before


def test_a_newer_item_of_the_same_number_takes_the_place_of_the_older(campaign) -> None:
    first, other = item(), item(output1="2. A jug.")
    add(campaign, first, other)
    newer = first | {"updated_at": LATER, "comparison": [{"selected": "right"}], "comment1": "no"}
    counts = add(campaign, newer)
    assert (counts.renewed_annotations, counts.revised_preferences) == (1, 1)
    assert stored_items() == [newer, other]
    # The older one again does not come back.
    assert add(campaign, first).known_annotations == 1
    assert stored_items() == [newer, other]


def test_a_number_of_other_texts_is_refused_and_nothing_stored(campaign) -> None:
    add(campaign, item(annotation_id=5))
    with pytest.raises(Refused, match="Annotation 5 is in this campaign with other texts"):
        add(campaign, item(annotation_id=5, output1="2. A jug.", updated_at=LATER))
    assert Reference.objects.count() == 1
    assert len(stored_items()) == 1


def test_positions_go_on_after_an_earlier_file(campaign) -> None:
    for number in range(3):
        add(campaign, item(input_claim=f"1. A cup {number}."), item(output2=f"2. {number}."))
    assert list(ImportedAnnotation.objects.values_list("position", flat=True)) == [*range(1, 7)]
