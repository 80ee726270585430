"""Claim sets rewritten as language models do: repeatable, each fault of its kind, numbered anew."""

import random
import re
from pathlib import Path

import pytest

from annotator.claims import rewriting
from annotator.claims.rewriting import ADJECTIVES, FAULTS, GENERIC, NEW_NUMBER, Parts, rewrite
from core.claim_text import find_references, parse_claims
from tests.amounts import tries

REFERENCES = Path(__file__).parents[3] / "fixtures" / "demo" / "references"
ALL = [path.read_text(encoding="utf-8") for path in sorted(REFERENCES.glob("*.txt"))]
PUMP, OTHER = ALL[0], ALL[1]
PARTS: Parts = [
    (1, "A pump comprising: a housing; an inlet valve; a spring; and a sensor."),
    (2, "The pump of claim 1, wherein the spring presses the valve."),
    (3, "The pump of claim 2, further comprising a copper pipe."),
    (4, "A method of pumping, comprising moving the spring."),
]
FOREIGN: Parts = [
    (1, "A bicycle comprising: a saddle, handlebars, brakes."),
    (2, "The bicycle of claim 1, wherein the saddle tilts."),
]
BY_NAME = {fault.__name__: fault for fault in FAULTS}


def applied(name: str, seed: int = 0) -> Parts:
    before = list(PARTS)
    found = BY_NAME[name](before, list(FOREIGN), random.Random(seed))
    assert before == PARTS, "a fault changes the claims that it is given"
    return found


def words(parts: Parts) -> list[str]:
    return [text for _, text in parts]


def changed(found: Parts) -> list[int]:
    """Return the places of the claims whose words are others now."""
    assert [number for number, _ in found] == [1, 2, 3, 4]
    return [place for place in range(4) if found[place] != PARTS[place]]


def test_the_same_seed_gives_the_same_text_and_others_give_others() -> None:
    found = [rewrite(PUMP, OTHER, seed) for seed in range(12)]
    assert [rewrite(PUMP, OTHER, seed) for seed in range(12)] == found
    assert len(set(found)) > 9


@pytest.mark.parametrize("name", BY_NAME)
def test_each_fault_is_repeated_by_its_seed_and_changes_something(name: str) -> None:
    found = [applied(name, seed) for seed in range(20)]
    assert [applied(name, seed) for seed in range(20)] == found
    assert any(one != PARTS for one in found)


@pytest.mark.parametrize("seed", range(8))
def test_added_claims_depend_on_a_claim_and_fit_anything_or_another_invention(seed: int) -> None:
    for name, ends in (
        ("with_generic_claim", GENERIC),
        ("with_foreign_claim", ("wherein the saddle tilts",)),
    ):
        *rest, (number, text) = applied(name, seed)
        assert rest == PARTS
        assert number == 0
        assert text.startswith("The pump of claim 9")
        (cited,) = find_references(text)
        assert 1 <= cited.number - NEW_NUMBER <= 4
        assert any(text.endswith(f", {one}.") for one in ends)


@pytest.mark.parametrize("seed", range(8))
def test_a_near_copy_stands_behind_its_claim_and_differs_by_little(seed: int) -> None:
    found = applied("with_near_copy", seed)
    (place,) = (n for n, (number, _) in enumerate(found) if number == 0)
    assert found[:place] + found[place + 1 :] == PARTS
    copy, original = (found[n][1].split(" ") for n in (place, place - 1))
    assert len(copy) == len(original)
    other = [word for word, was in zip(copy, original, strict=True) if word != was]
    assert len(other) == 1
    assert other[0] in ADJECTIVES


@pytest.mark.parametrize("seed", range(8))
def test_a_merged_claim_is_gone_and_what_it_added_stands_in_the_claim_it_cited(seed: int) -> None:
    found = applied("merged", seed)
    gone = {2, 3} - {number for number, _ in found}
    assert gone in ({2}, {3})
    joined = dict(found)
    if gone == {2}:
        assert joined[1] == f"{PARTS[0][1][:-1]}, wherein the spring presses the valve."
    else:
        assert joined[2] == f"{PARTS[1][1][:-1]}, further comprising a copper pipe."


def test_a_claim_left_out_is_a_dependent_one() -> None:
    for seed in range(8):
        found = applied("without_claim", seed)
        assert set(PARTS) - set(found) in ({PARTS[1]}, {PARTS[2]})
    alone = [PARTS[0], PARTS[3]]
    assert BY_NAME["without_claim"](alone, FOREIGN, random.Random(0)) == alone


def test_elaborated_and_narrowed_claims_have_more_to_them() -> None:
    for seed in range(8):
        found = applied("elaborated", seed)
        (place,) = changed(found)
        assert any(found[place][1] == f"{PARTS[place][1][:-1]}, {phrase}." for phrase in GENERIC)
        narrowed = applied("narrowed", seed)
        assert changed(narrowed) == [0]
        assert narrowed[0][1].removeprefix(f"{PARTS[0][1][:-1]}, ") in (
            "wherein the spring presses the valve.",
            "further comprising a copper pipe.",
        )


def test_a_broadened_claim_lacks_one_feature_and_a_foreign_one_has_one_of_another() -> None:
    for seed in range(8):
        broad = applied("broadened", seed)
        assert changed(broad) == [0]
        features = ("an inlet valve", "a spring", "a sensor")
        assert sum(feature in broad[0][1] for feature in features) == 2
        foreign = applied("with_foreign_feature", seed)
        assert changed(foreign) == [0]
        assert all(feature in foreign[0][1] for feature in features)
        assert ("handlebars" in foreign[0][1]) != ("brakes" in foreign[0][1])


def test_a_claim_in_another_place_is_never_the_first() -> None:
    orders = {tuple(number for number, _ in applied("reordered", seed)) for seed in range(30)}
    assert all(order[0] == 1 and sorted(order) == [1, 2, 3, 4] for order in orders)
    assert len(orders) > 3


def test_adjectives_are_put_in_and_nothing_else() -> None:
    count = 0
    for seed in range(20):
        found = applied("with_adjectives", seed)
        for (_, text), (_, was) in zip(found, PARTS, strict=True):
            left = [word for word in text.split() if word not in ADJECTIVES]
            count += len(text.split()) - len(left)
            assert " ".join(left) == was
    assert count > 0


def test_changed_words_are_left_out_or_come_from_the_other_invention() -> None:
    others = {word for text in words(FOREIGN) for word in text.split()}
    for seed in range(20):
        for (_, text), (_, was) in zip(applied("with_words_changed", seed), PARTS, strict=True):
            assert set(text.split()) <= set(was.split()) | others
            assert len(text.split()) <= len(was.split())


def test_a_renamed_term_is_one_word_of_the_other_invention_here_and_there_or_everywhere() -> None:
    everywhere = set[bool]()
    for seed in range(40):
        text, was = (" ".join(words(one)) for one in (applied("with_term_renamed", seed), PARTS))
        pairs = {(a, b) for a, b in zip(was.split(), text.split(), strict=True) if a != b}
        assert len({b.strip(";,.:") for _, b in pairs}) <= 1
        old = {a.strip(";,.:") for a, _ in pairs}
        assert len(old) <= 1
        for word in old:
            everywhere.add(re.search(rf"\b{word}\b", text) is None)
    assert everywhere == {True, False}


def test_citations_follow_their_claims_and_of_one_that_is_gone_name_the_one_before() -> None:
    parts = [PARTS[0], PARTS[2], (0, f"The pump of claim {NEW_NUMBER + 2}, blue."), PARTS[1]]
    assert rewriting.numbered(parts).splitlines() == [
        f"1. {PARTS[0][1]}",
        "2. The pump of claim 4, further comprising a copper pipe.",
        "3. The pump of claim 2, blue.",
        "4. The pump of claim 1, wherein the spring presses the valve.",
    ]
    assert rewriting.numbered([PARTS[0], PARTS[3], PARTS[2]]).splitlines()[2] == (
        "3. The pump of claim 2, further comprising a copper pipe."
    )

    unknown: Parts = [PARTS[0], (2, "The pump of claim 40, blue.")]
    assert rewriting.numbered(unknown, {40}).splitlines()[1] == "2. The pump of claim 40, blue."


def test_whatever_was_done_claims_are_numbered_from_1_on_and_no_makeshift_number_is_left() -> None:
    for place, text in enumerate(ALL):
        for seed in range(tries(50)):
            found = rewrite(text, ALL[place - 1], seed)
            numbers = [claim.number for claim in parse_claims(found)]
            assert numbers == list(range(1, len(numbers) + 1)), (place, seed)
            opening = [line for line in found.split("\n") if re.match(r"\d+\. ", line)]
            assert len(numbers) == len(opening), (place, seed)
            assert not re.search(r"\b9\d{3}\b", found), (place, seed)


@pytest.mark.parametrize(
    "text",
    ["1. A pump.", "1. A pump.\n2. A lid.", "1. A pump.\n2. That of claim 1.", "1. 一种泵。"],
)
def test_sets_with_hardly_anything_to_rewrite_are_rewritten_too(text: str) -> None:
    for seed in range(tries(100)):
        for found in (rewrite(text, OTHER, seed), rewrite(OTHER, text, seed)):
            numbers = [claim.number for claim in parse_claims(found)]
            assert numbers == list(range(1, len(numbers) + 1)), seed
