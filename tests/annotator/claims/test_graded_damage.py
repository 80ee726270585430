"""Graded damage: each grade has what the one before has and more; the tree stays as it was."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from rapidfuzz.fuzz import ratio

from annotator.claims.damage import NothingToDamage
from annotator.claims.graded_damage import (
    KIND_NAMES,
    KINDS,
    MOST_CHARACTERS,
    Graded,
    graded_candidates,
)
from annotator.claims.rewriting import segments
from annotator.claims.tree import build_tree
from annotator.rubric import CRITERIA
from core.claim_text import dependencies, parse_claims
from tests.amounts import tries
from tests.claims_in_languages import CHINESE, GERMAN

REFERENCES = Path(__file__).parents[3] / "fixtures" / "demo" / "references"
ALL = [path.read_text(encoding="utf-8") for path in sorted(REFERENCES.glob("*.txt"))]
KETTLE = """1. A kettle comprising: a vessel; a lid; a heater, mounted on the vessel; and a spout.
2. The kettle of claim 1, wherein the lid has a hinge.
3. The kettle of claim 2, wherein the hinge has a spring.
4. The kettle of claim 1, further comprising a whistle on the spout.
5. A method of using the kettle of any one of claims 1 to 4, comprising heating the vessel.
6. The kettle of claim 1, wherein the heater is a coil."""
BICYCLE = """1. A bicycle comprising: a saddle, a pair of handlebars, a brake.
2. The bicycle of claim 1, wherein the saddle tilts."""
WHOLE = tuple(name for name in KIND_NAMES if name != "break_dependency")


def made(kind: str, seed: int, text: str = KETTLE) -> Graded:
    (found,) = graded_candidates(text, BICYCLE, seed, grades=1, faults=1, kinds=[kind])
    return found


def cited(text: str) -> dict[str, set[str]]:
    """Return for each claim, by its words without numbers, the words of those that it cites."""
    words: dict[int | None, str] = {}
    found: dict[str, set[str]] = {}
    for claim in parse_claims(text):
        body = re.sub(r"\d+", "", claim.body)
        found[body] = {words[n] for n in dependencies(claim.body)}
        words[claim.number] = body
    return found


@pytest.mark.parametrize("place", range(0, len(ALL), 6))
def test_each_grade_has_all_faults_of_the_one_before_and_as_many_more(place) -> None:
    for seed in range(tries(10)):
        chain = graded_candidates(ALL[place], ALL[place - 1], seed, grades=4, faults=3)
        assert [one.grade for one in chain] == [1, 2, 3, 4]
        assert [len(one.applied) for one in chain] == [3, 6, 9, 12]
        assert len({ALL[place], *(one.text for one in chain)}) == 5
        for better, worse in pairwise(chain):
            assert worse.applied[: len(better.applied)] == better.applied
            assert all(worse.places[key] >= count for key, count in better.places.items())
        assert chain == graded_candidates(ALL[place], ALL[place - 1], seed, grades=4, faults=3)
        assert len({damage.kind for damage in chain[-1].applied}) >= 11


def test_another_seed_gives_another_row() -> None:
    texts = {graded_candidates(ALL[0], ALL[1], seed)[-1].text for seed in range(8)}
    assert len(texts) == 8


@pytest.mark.parametrize("place", range(0, len(ALL), 6))
def test_numbers_run_on_and_no_citation_breaks_but_by_the_kind_that_breaks_them(place) -> None:
    own = len(build_tree(parse_claims(ALL[place])).faults)
    for seed in range(tries(10)):
        for one in graded_candidates(ALL[place], ALL[place - 1], seed, faults=4, kinds=WHOLE):
            claims = parse_claims(one.text)
            assert [claim.number for claim in claims] == list(range(1, len(claims) + 1))
            assert len(build_tree(claims).faults) == own == 0
        counts = [
            len(build_tree(parse_claims(one.text)).faults)
            for one in graded_candidates(ALL[place], ALL[place - 1], seed, faults=5)
        ]
        assert counts == sorted(counts) and counts[-1] > 0


@pytest.mark.parametrize("name", [name for name in WHOLE if name != "drop_feature"])
def test_claims_that_stay_cite_the_claims_that_they_cited(name) -> None:
    before = cited(KETTLE)
    seen = 0
    for seed in range(tries(30)):
        try:
            after = cited(made(name, seed).text)
        except NothingToDamage:
            continue
        for body in before.keys() & after.keys():
            assert after[body] & before.keys() == before[body] & after.keys()
            seen += 1
    assert seen


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_kind_is_repeated_by_its_seed_and_says_what_it_lowers(kind) -> None:
    assert kind.criterion is None or kind.criterion in CRITERIA
    for seed in range(3):
        found = made(kind.name, seed, ALL[2])
        assert found == made(kind.name, seed, ALL[2])
        (damage,) = found.applied
        assert (damage.kind, damage.criterion) == (kind.name, kind.criterion)
        assert 1 <= damage.severity <= 3
        assert found.places == ({kind.criterion: damage.severity} if kind.criterion else {})


def test_a_near_copy_is_near_and_depends_on_what_its_original_depends_on() -> None:
    copies = 0
    for seed in range(tries(30)):
        claims = parse_claims(made("near_copy", seed).text)
        originals = {re.sub(r"\d+", "", claim.body) for claim in parse_claims(KETTLE)}
        for before, claim in pairwise(claims):
            if re.sub(r"\d+", "", claim.body) in originals and claim.body != before.body:
                continue
            copies += 1
            assert ratio(claim.body, before.body) > 75
            assert dependencies(claim.body) == dependencies(before.body)
    assert copies


def test_a_merged_claim_leaves_its_limitation_in_the_claim_that_it_cited() -> None:
    limitations = ("the hinge has a spring", "a whistle on the spout", "heater is a coil")
    for seed in range(tries(30)):
        text = made("merged_claims", seed).text
        assert len(parse_claims(text)) < 6
        for words in limitations:
            assert text.count(words) == 1


def test_scope_is_lost_or_gained_in_the_independent_claim() -> None:
    own = segments(parse_claims(KETTLE)[0].body)
    for seed in range(tries(20)):
        broad, narrow, invented = (
            segments(parse_claims(made(name, seed).text)[0].body)
            for name in ("over_broad", "over_narrow", "invented_feature")
        )
        assert len(broad) < len(own) < min(len(narrow), len(invented))
        added = {piece.strip(";.,") for piece in invented} - {piece.strip(";.,") for piece in own}
        assert added and added <= {"a pair of handlebars", "a brake"}


def test_no_fault_is_undone_by_a_later_one() -> None:
    invented = ("handlebars", "brake", "saddle")
    kinds = ["invented_feature", "invented_claim", "missing_claim", "over_broad", "drop_feature"]
    for seed in range(tries(60)):
        try:
            chain = graded_candidates(KETTLE, BICYCLE, seed, grades=3, faults=1, kinds=kinds)
        except NothingToDamage:
            continue
        counts = [[one.text.count(word) for word in invented] for one in chain]
        for better, worse in pairwise(counts):
            assert all(a <= b for a, b in zip(better, worse, strict=True)), seed


def test_a_claim_with_a_broken_citation_is_not_taken_away_with_it() -> None:
    kinds = ["break_dependency", "drop_feature"]
    for seed in range(tries(60)):
        try:
            chain = graded_candidates(KETTLE, BICYCLE, seed, grades=2, faults=1, kinds=kinds)
        except NothingToDamage:
            continue
        if chain[0].applied[0].kind == "break_dependency":
            before, after = (len(build_tree(parse_claims(one.text)).faults) for one in chain)
            assert 0 < before <= after, seed


def test_a_citation_of_no_claim_stays_as_it_is_when_claims_move() -> None:
    broken = KETTLE.replace("of claim 2", "of claim 40")
    for seed in range(tries(20)):
        for kind in ("generic_claim", "near_copy", "reordered"):
            assert "of claim 40" in made(kind, seed, broken).text


@pytest.mark.parametrize("claims", [GERMAN[0], CHINESE[0]], ids=["de", "zh"])
def test_no_english_words_stand_in_another_language(claims) -> None:
    english = {kind.name for kind in KINDS if kind.is_english}
    language = "de" if claims is GERMAN[0] else "zh"
    found = 0
    for seed in range(tries(20)):
        try:
            chain = graded_candidates(
                claims.text, BICYCLE, seed, grades=1, faults=1, language=language
            )
        except NothingToDamage:
            continue
        found += 1
        assert not {damage.kind for damage in chain[0].applied} & english
        words = set(re.findall(r"[a-z]{4,}", chain[0].text))
        assert words <= set(re.findall(r"[a-z]{4,}", claims.text))
    assert found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A kettle without numbers.", "no numbered claims"),
        (f"1. {'a' * MOST_CHARACTERS}", "too long"),
        ("1. 一种泵。", "no place for more damage"),
    ],
)
def test_a_text_that_cannot_be_damaged_is_refused(text, words) -> None:
    with pytest.raises(NothingToDamage, match=words):
        graded_candidates(text, BICYCLE, 0)


def test_kinds_that_are_used_up_end_the_row() -> None:
    with pytest.raises(NothingToDamage):
        graded_candidates(KETTLE, BICYCLE, 0, grades=4, faults=1, kinds=["reordered"])
