from datetime import timedelta

import pytest

from annotator.models import Reference
from core.errors import Refused
from scoring.access.scopes import read_rows

pytestmark = pytest.mark.django_db


def test_only_the_criteria_that_were_asked_for_get_labels(rated) -> None:
    scene = rated(3).rate_all()
    chosen = ["overall_quality", "conceptual_clarity"]
    version = scene.freeze(criteria=chosen)
    assert {key for row in read_rows(version) for key in row.y} == set(chosen)
    assert {key for row in read_rows(version) for key in row.extras["y_soft"]} == set(chosen)
    assert version.card["criteria"] == ["conceptual_clarity", "overall_quality"]
    assert set(version.card["labels"]) == set(version.card["agreement"]) == set(chosen)
    assert len(scene.freeze().card["labels"]) == 5


@pytest.mark.parametrize(
    ("by", "field", "values"),
    [
        ("family", "family", ("F1", "F2", "F1", "F3", "F2", "F3")),
        ("ipc", "ipc", ("G06F 11/36", "A47G 1/00", "G06F 3/01", "h04l 9/00", "A47G 2/0", "H04L")),
    ],
)
def test_a_split_keeps_families_or_subclasses_on_one_side(rated, by, field, values) -> None:
    scene = rated(6).rate_all()
    for n, value in enumerate(values):
        Reference.objects.filter(reference_id=f"r{n}").update(**{field: value})
    for seed in range(4):
        version = scene.freeze(split_by=by, seed=seed)
        sides: dict[str, set[str]] = {}
        for row in read_rows(version):
            sides.setdefault(row.extras[field][:4].upper(), set()).add(row.split)
        assert sorted(map(len, sides.values())) == [1, 1, 1]
        assert set.union(*sides.values()) == {"train", "validation", "test"}
        assert version.card["split"]["by"] == by


def test_references_without_a_family_stand_alone(rated) -> None:
    scene = rated(3).rate_all()
    version = scene.freeze(split_by="family")
    assert version.card["splits"] == {"train": 3, "validation": 3, "test": 3}
    Reference.objects.update(family="one")
    with pytest.raises(Refused, match="1 independent patent families cannot fill 3 splits"):
        scene.freeze(split_by="family")


def test_a_split_by_time_tests_on_what_was_rated_last(rated) -> None:
    scene = rated(3)
    for reference, days in ((0, 4), (1, 9), (2, 6)):
        for number in (1, 2):
            for name in scene.people:
                scene.rate(name, reference, number, 9, 9, 9, number, ago=timedelta(days=days))
    splits = {row.reference_id: row.split for row in read_rows(scene.freeze(split_by="time"))}
    assert splits == {"r0": "test", "r2": "validation", "r1": "train"}
