"""Tests of the candidates made from one reference."""

from annotator.demo import LABELS, SYSTEMS, make_candidates
from annotator.rubric import CRITERIA


def test_candidates_have_labels_in_order_and_systems_out_of_order(plan):
    drawn = [reference.candidates for reference in plan.references]
    assert all(tuple(item.label for item in five) == LABELS for five in drawn)
    assert all({item.system for item in five} == set(SYSTEMS) for five in drawn)
    assert len({tuple(item.system for item in five) for five in drawn}) > 5


def test_candidates_are_the_same_for_a_seed_and_differ_between_seeds(plan):
    first = plan.references[0]
    assert make_candidates(first.source, 0) == first.candidates
    assert make_candidates(first.source, 4) != first.candidates


def test_siblings_differ_on_every_criterion(plan):
    for reference in plan.references:
        for criterion in CRITERIA:
            truths = {item.truth[criterion] for item in reference.candidates}
            assert len(truths) >= 4, (reference.source.reference_id, criterion)
            assert max(truths) == 10.0, (reference.source.reference_id, criterion)


def test_a_criterion_is_full_exactly_where_nothing_lowered_it(plan):
    for reference in plan.references:
        for item in reference.candidates:
            lowered = {damage.criterion for damage in item.applied} - {None}
            assert lowered == {key for key in CRITERIA if item.truth[key] < 10.0}
