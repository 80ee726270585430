"""How an export calls annotators: names that cannot be joined, or user names."""

from uuid import uuid4

import pytest

from annotator.exports.rows import EXACT_BITS, number_of, pseudonyms, user_names
from tests.annotator.rating_rows import prefer, rate
from tests.conftest import make_user

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_one_key_gives_one_name_and_another_key_or_campaign_another(cast) -> None:
    pk = cast.alice.pk
    name = pseudonyms(cast.campaign, "a").name(pk)
    assert pseudonyms(cast.campaign, "a").name(pk) == name
    others = [
        pseudonyms(cast.campaign, "b").name(pk),
        pseudonyms(cast.elsewhere, "a").name(pk),
        pseudonyms(cast.campaign, "a").name(cast.bob.pk),
    ]
    assert len({name, *others}) == 4


def test_the_secret_of_the_install_goes_into_a_pseudonym(cast, settings) -> None:
    before = pseudonyms(cast.campaign, "a").name(cast.alice.pk)
    settings.SECRET_KEY = "another secret that is long enough to be one"
    assert pseudonyms(cast.campaign, "a").name(cast.alice.pk) != before


def test_numbers_can_be_read_by_every_reader_of_json(cast) -> None:
    naming = pseudonyms(cast.campaign, "a")
    numbers = [naming.number(uuid4()) for _ in range(200)] + [number_of(uuid4())]
    assert len(set(numbers)) == 201
    assert all(0 <= number < 1 << EXACT_BITS for number in numbers)


def test_user_names_are_of_those_who_rated_or_compared_here(cast) -> None:
    first, second = cast.reference("r1", 2).candidates.all()
    rate(cast.alice, first, (1, 1, 1, 1))
    prefer(cast.bob, first, second, overall_quality=1)
    naming = user_names(cast.campaign)
    assert (naming.name(cast.alice.pk), naming.name(cast.bob.pk)) == ("alice", "bob")
    with pytest.raises(KeyError):
        naming.name(cast.carol.pk)


def test_who_came_by_import_keeps_their_number(cast) -> None:
    first, second = cast.reference("r1", 2).candidates.all()
    seven, odd = make_user("label-studio-7"), make_user("label-studio-x")
    for user in (seven, odd):
        prefer(user, first, second, overall_quality=1)
    naming = user_names(cast.campaign)
    assert naming.number(seven.pk) == 7
    assert naming.number(odd.pk) == number_of(odd.pk)
    assert naming.number_elsewhere(99, None) == 99
