"""An erased reference is given to nobody, by whichever way work is given."""

from collections.abc import Callable
from typing import Any

import pytest

from annotator.comparisons.services import _pairs
from annotator.models import Assignment, Comparison, Reference
from annotator.planning.queries import plan_facts
from annotator.planning.sentinels import _originals, _references
from annotator.planning.services import assign_by_name, give_qualification, mark_qualification
from core.clock import database_now
from core.errors import Refused

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def erased(cast) -> Reference:
    """A reference whose texts are gone, beside one that is whole."""
    cast.reference("whole", 2)
    reference = cast.reference("erased", 2)
    reference.candidates.update(claims="", has_room=False)
    Reference.objects.filter(pk=reference.pk).update(claims="", erased_at=database_now())
    return reference


def by_name(cast, references: list[Reference]) -> Any:
    return assign_by_name(
        campaign=cast.campaign, annotator=cast.bob, references=references, due_at=None, by=cast.ada
    )


def as_qualification(cast, references: list[Reference]) -> Any:
    return mark_qualification(campaign=cast.campaign, references=references, by=cast.ada)


@pytest.mark.parametrize("give", [by_name, as_qualification])
def test_giving_it_by_name_is_refused_with_a_sentence_and_nothing_is_given(
    cast, erased: Reference, give: Callable[..., Any]
) -> None:
    with pytest.raises(Refused, match="erased and cannot be given") as refusal:
        give(cast, list(Reference.objects.filter(campaign=cast.campaign)))
    assert "references" in refusal.value.fields
    assert not Assignment.objects.exists()
    give(cast, list(Reference.objects.filter(reference_id="whole")))
    assert Assignment.objects.count() >= 2


def test_one_that_was_for_qualification_is_not_given_to_who_joins_later(cast, erased) -> None:
    erased.candidates.update(purpose="qualification")
    assert give_qualification(campaign=cast.campaign, annotator=cast.alice) == 0
    as_qualification(cast, [Reference.objects.get(reference_id="whole")])
    assert set(Assignment.objects.values_list("candidate__reference__reference_id", flat=True)) == {
        "whole"
    }
    assert not erased.candidates.filter(has_room=True).exists()


def test_plans_comparisons_sentinels_and_repeats_leave_it_out(cast, erased: Reference) -> None:
    whole = Reference.objects.get(reference_id="whole")
    facts = plan_facts(cast.campaign, [cast.alice])
    assert [one.key for one in facts.references] == [str(whole.pk)]
    assert {row.reference_id for pair in _pairs(cast.campaign) for row in pair} == {whole.pk}
    assert [row.pk for row in _references(cast.campaign, 1)] == [whole.pk]
    cast.campaign.repeat_percent, cast.campaign.repeat_lag = 100, 0
    for reference in (erased, whole):
        for row in cast.assign(cast.alice, reference):
            cast.submit(row)
    assert set(_originals(cast.campaign, cast.alice)) == set(
        whole.candidates.values_list("pk", flat=True)
    )
    assert not Comparison.objects.exists()
