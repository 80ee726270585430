"""The list of conflicts by pages, and the first one that is free."""

import pytest

from annotator.adjudication.rounds import take_turn
from annotator.adjudication.rulings.queries import case_count, first_free, references_to_rule
from annotator.models import Conflict, Turn, User
from tests.conftest import grant

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def references(cast):
    """Two references with a conflict on each candidate, and one without."""
    found = [cast.reference(name, count) for name, count in (("r1", 2), ("r2", 1), ("r3", 1))]
    for person, values in ((cast.alice, (1, 1, 5)), (cast.bob, (9, 9, 5))):
        for reference, value in zip(found, values, strict=True):
            for row in cast.assign(person, reference):
                cast.submit(row, [value] * 4)
    return found


@pytest.fixture
def cora(cast) -> User:
    return grant(User.objects.create(username="cora"), cast.campaign, "adjudicator")


def take(user: User, reference) -> None:
    for candidate in reference.candidates.all():
        conflict = Conflict.objects.filter(candidate=candidate)[0]
        take_turn(conflict_id=conflict.pk, adjudicator=user)


def test_references_with_an_open_conflict_stand_in_order_and_cases_are_counted(
    references, cast
) -> None:
    assert references_to_rule(cast.carol) == [references[0].pk, references[1].pk]
    assert case_count(cast.carol) == 3
    assert references_to_rule(cast.alice) == []


def test_the_first_free_conflict_is_the_first_that_nobody_else_has_open(
    references, cast, cora
) -> None:
    def whose() -> object:
        pk = first_free(cast.carol)
        return pk and Conflict.objects.get(pk=pk).candidate.reference_id

    assert whose() == references[0].pk
    take(cora, references[0])
    assert whose() == references[1].pk
    take(cast.carol, references[1])
    assert whose() == references[1].pk
    Turn.objects.filter(adjudicator=cast.carol).update(adjudicator=cora)
    assert whose() is None


def test_a_page_shows_its_references_and_leads_to_the_others(
    references, client, cast, monkeypatch
) -> None:
    monkeypatch.setattr("annotator.adjudication.rulings.views.REFERENCES_A_PAGE", 1)
    client.force_login(cast.carol)
    for number, titles in (("1", (True, False)), ("2", (False, True)), ("x", (True, False))):
        page = client.get(f"/adjudication/?page={number}").content.decode()
        assert tuple(f"Title of {name}" in page for name in ("r1", "r2")) == titles
        assert "of 2</span>" in page
        assert "3 open" in page
