"""What an export tells of ratings: in one order, and by names that cannot be joined."""

from uuid import uuid4

import pytest

from annotator.exports import rows as exports_rows
from annotator.exports.rows import (
    EXACT_BITS,
    Detail,
    exported_lines,
    number_of,
    pseudonyms,
    user_names,
)
from annotator.formats.ratings_jsonl import PREFERENCE_KEYS, RATING_KEYS
from annotator.models import Purpose
from tests.annotator.rating_rows import prefer, random_ratings, rate
from tests.conftest import make_user

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def lines(cast) -> list[dict]:
    naming = pseudonyms(cast.campaign, "key")
    return list(exported_lines(cast.campaign, Detail(naming, frozenset(), True, True)))


@pytest.fixture
def rated(cast):
    random_ratings(cast, [cast.alice, cast.bob], references=4)
    for number in range(4):
        first, second, _ = cast.campaign.candidates.filter(
            reference__reference_id=f"ref-{number}"
        ).order_by("candidate_id")
        prefer(cast.alice, second, first, overall_quality=1)
    return cast


def test_batches_of_one_tell_the_same_in_the_same_order(rated, monkeypatch) -> None:
    expected = lines(rated)
    monkeypatch.setattr(exports_rows, "REFERENCES_AT_ONCE", 1)
    assert lines(rated) == expected
    assert len({line["id"] for line in expected}) == len(expected) > 20


def test_references_come_in_their_order_and_candidates_by_their_ids(rated) -> None:
    other = rated.reference("far", 1, campaign=rated.elsewhere).candidates.get()
    rate(rated.mallory, other, (1, 1, 1, 1))
    found = lines(rated)
    assert "far" not in {line["reference_id"] for line in found}
    places = [(line["reference_id"], line.get("candidate_id") or line["left_id"]) for line in found]
    assert places == sorted(places)
    keys = {"rating": RATING_KEYS, "preference": PREFERENCE_KEYS}
    assert all(tuple(line) == keys[line["kind"]] for line in found)


def test_more_ratings_ask_no_more_questions(rated, django_assert_max_num_queries) -> None:
    with django_assert_max_num_queries(6):
        lines(rated)


def test_keys_inside_are_in_one_order_whatever_the_database_keeps(cast) -> None:
    candidate = cast.reference("r1", 1).candidates.get()
    tag = {"remark": "x", "end": 4, "start": 3, "side": "candidate", "tag": "vagueness"}
    shown = {"marks": True, "diff": False, "aligned": True}
    rate(cast.alice, candidate, (1, 1, 1, 1), error_tags=[tag], shown=shown)
    (line,) = lines(cast)
    assert list(line["error_tags"][0]) == ["tag", "side", "start", "end", "remark"]
    assert list(line["shown"].items()) == [("aligned", True), ("diff", False), ("marks", True)]


def test_a_repeat_names_what_it_repeats(cast) -> None:
    first, again = cast.reference("r1", 2).candidates.order_by("candidate_id")
    again.purpose, again.original = Purpose.REPEAT, first
    again.save()
    rate(cast.alice, again, (1, 1, 1, 1))
    (line,) = lines(cast)
    assert (line["purpose"], line["repeats"]) == ("repeat", first.candidate_id)


def test_one_key_gives_one_name_and_another_key_secret_or_campaign_another(cast, settings) -> None:
    pk = cast.alice.pk
    name = pseudonyms(cast.campaign, "a").name(pk)
    assert pseudonyms(cast.campaign, "a").name(pk) == name
    others = [
        pseudonyms(cast.campaign, "b").name(pk),
        pseudonyms(cast.elsewhere, "a").name(pk),
        pseudonyms(cast.campaign, "a").name(cast.bob.pk),
    ]
    settings.SECRET_KEY = "another secret that is long enough to be one"
    others.append(pseudonyms(cast.campaign, "a").name(pk))
    assert len({name, *others}) == 5


def test_numbers_can_be_read_by_every_reader_of_json(cast) -> None:
    naming = pseudonyms(cast.campaign, "a")
    numbers = [naming.number(uuid4()) for _ in range(200)] + [number_of(uuid4())]
    assert len(set(numbers)) == 201
    assert all(0 <= number < 1 << EXACT_BITS for number in numbers)


def test_names_are_of_those_who_worked_here_and_imported_ones_keep_their_number(cast):
    first, second = cast.reference("r1", 2).candidates.all()
    rate(cast.alice, first, (1, 1, 1, 1))
    prefer(cast.bob, first, second, overall_quality=1)
    naming = user_names(cast.campaign)
    assert (naming.name(cast.alice.pk), naming.name(cast.bob.pk)) == ("alice", "bob")
    with pytest.raises(KeyError):
        naming.name(cast.carol.pk)
    seven, odd = make_user("label-studio-7"), make_user("label-studio-x")
    for user in (seven, odd):
        prefer(user, first, second, overall_quality=1)
    naming = user_names(cast.campaign)
    assert naming.number(seven.pk) == 7
    assert naming.number(odd.pk) == number_of(odd.pk)
    assert naming.number_elsewhere(99, None) == 99
