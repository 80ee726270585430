"""Tests of the candidates made from one reference."""

from pathlib import Path

import pytest

from annotator.demo.candidates import LABELS, SYSTEMS, make_candidates
from annotator.demo.sources import read_sources
from annotator.rubric import CRITERIA

DEMO = Path(__file__).parents[3] / "fixtures" / "demo"
SOURCES = read_sources(DEMO).references


def test_candidates_have_labels_in_order_and_systems_out_of_order():
    drawn = [make_candidates(source, 0) for source in SOURCES]
    assert all(tuple(item.label for item in five) == LABELS for five in drawn)
    assert all({item.system for item in five} == set(SYSTEMS) for five in drawn)
    assert len({tuple(item.system for item in five) for five in drawn}) > 5


def test_candidates_are_the_same_for_a_seed_and_differ_between_seeds():
    assert make_candidates(SOURCES[0], 3) == make_candidates(SOURCES[0], 3)
    assert make_candidates(SOURCES[0], 3) != make_candidates(SOURCES[0], 4)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.reference_id)
def test_siblings_differ_on_every_criterion(source):
    five = make_candidates(source, 0)
    for criterion in CRITERIA:
        assert len({item.truth[criterion] for item in five}) >= 4
        assert max(item.truth[criterion] for item in five) == 10.0


def test_a_criterion_is_full_exactly_where_nothing_lowered_it():
    for source in SOURCES:
        for item in make_candidates(source, 0):
            lowered = {damage.criterion for damage in item.applied} - {None}
            assert lowered == {key for key in CRITERIA if item.truth[key] < 10.0}
