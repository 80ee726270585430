"""Tests of the plan of the demo campaign."""

from dataclasses import replace

import pytest

from annotator import demo as module
from annotator.demo import build_demo_plan, read_sources
from tests.annotator.demo.conftest import DEMO


def places(reference):
    return {(reference.source.reference_id, item.label) for item in reference.candidates}


@pytest.mark.parametrize("references", [2, pytest.param(18, marks=pytest.mark.exhaustive)])
def test_two_builds_are_equal_and_another_seed_is_not(monkeypatch, references):
    source = read_sources(DEMO)
    some = replace(source, references=source.references[:references])
    monkeypatch.setattr(module, "read_sources", lambda directory: some)
    plan = build_demo_plan(DEMO)
    assert len(plan.references) == references
    assert build_demo_plan(DEMO) == plan
    other = build_demo_plan(DEMO, seed=1)
    assert (other.references != plan.references, other.ratings != plan.ratings) == (True, True)


def test_every_candidate_text_differs_from_every_other_text(plan):
    texts = [reference.source.text for reference in plan.references]
    texts += [item.text for reference in plan.references for item in reference.candidates]
    assert len(texts) == 18 * 6
    assert len(set(texts)) == len(texts)


def test_fourteen_references_are_rated_by_both_but_for_one_candidate(plan):
    expected = set().union(*(places(reference) for reference in plan.references[:14]))
    expected.remove((plan.references[13].source.reference_id, "c5"))
    for annotator in ("demo-1", "demo-2"):
        rated = [(r.reference_id, r.label) for r in plan.ratings if r.annotator == annotator]
        assert len(rated) == len(set(rated)) == 69
        assert set(rated) == expected
    assert {rating.annotator for rating in plan.ratings} == {"demo-1", "demo-2"}


def test_alice_and_bob_are_assigned_what_nobody_has_rated(plan):
    everything = set().union(*(places(reference) for reference in plan.references))
    unrated = everything - {(rating.reference_id, rating.label) for rating in plan.ratings}
    assert len(unrated) == 21
    for annotator in ("alice", "bob"):
        mine = [(a.reference_id, a.label) for a in plan.assignments if a.annotator == annotator]
        assert len(mine) == 21
        assert set(mine) == unrated


def test_known_damage_can_be_found_in_the_texts(plan):
    found = total = 0
    for reference in plan.references:
        for one in reference.candidates:
            for two in reference.candidates:
                truth = one.truth["feature_completeness"] - two.truth["feature_completeness"]
                if truth > 0:
                    total += 1
                    found += len(one.text.split()) > len(two.text.split())
    # Ordering by length alone has tau 2 * share - 1: well above what chance gives.
    assert found / total > 0.8
