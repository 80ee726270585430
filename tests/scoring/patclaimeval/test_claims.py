"""Tests of reading claims, dependencies and antecedents from text."""

from __future__ import annotations

import pytest

from scoring.patclaimeval.surface import Claim, ancestors, antecedents, read_claims

SET = (
    "1. A pump comprising a housing and a plurality of bolts. "
    "2. The pump of claim 1, wherein the bolts are of steel. "
    "3. The pump of any one of claims 1 to 2, wherein the gasket is soft."
)


def test_claims_are_split_at_their_numbers_and_not_at_citations() -> None:
    text = "1. A pump. 2. A kit with the pump of claim 1. 3. The kit of claim 2, having a lid."
    assert [claim.number for claim in read_claims(text)] == [1, 2, 3]
    assert [claim.cited for claim in read_claims(text)] == [(), (1,), (2,)]


def test_text_without_numbers_is_one_claim() -> None:
    claims = read_claims("A pump comprising 2 valves.")
    assert [claim.number for claim in claims] == [1]


def test_what_stands_before_the_first_claim_and_what_was_cancelled_is_no_claim() -> None:
    claims = read_claims(
        "What is claimed is:\n1-2. (canceled)\n3. A pump.\n4. The pump of claim 3."
    )
    assert [(claim.number, claim.cited) for claim in claims] == [(3, ()), (4, (3,))]
    assert claims[0].words == ("a", "pump")


def test_ancestors_follow_the_chain_and_no_forward_citation() -> None:
    claims = read_claims(
        "1. A pump. 2. The pump of claim 1. 3. The pump of claim 2 or 4. 4. A lid."
    )
    assert ancestors(claims) == [0b0, 0b1, 0b11, 0b0]


def test_only_the_part_never_introduced_is_missing() -> None:
    total, missing = antecedents(read_claims(SET))
    assert (total, missing) == (4, 1)


def test_a_part_introduced_in_another_branch_is_missing() -> None:
    text = (
        "1. A pump. 2. The pump of claim 1, having a seal. 3. The pump of claim 1, the seal soft."
    )
    assert antecedents(read_claims(text))[1] == 1


@pytest.mark.parametrize("per_claim", [1, 10_000])
def test_a_definite_phrase_is_looked_up_and_not_compared_with_all_before(per_claim: int) -> None:
    class Word(str):
        __slots__ = ()
        looks = 0

        def __eq__(self, other: object) -> bool:
            Word.looks += 1
            return str.__eq__(self, other)

        def __hash__(self) -> int:
            Word.looks += 1
            return str.__hash__(self)

    def looks(count: int) -> int:
        """Read so many pairs "a sealN, the capN", in one claim or each citing all before."""
        words = [Word(f"{noun}{place}") for place in range(count) for noun in ("seal", "cap")]
        phrases = tuple((not word.startswith("seal"), (word, Word("x"))) for word in words)
        size = 2 * min(per_claim, count)
        claims = tuple(
            Claim(number, (), tuple(range(1, number)), phrases[start : start + size])
            for number, start in enumerate(range(0, 2 * count, size), start=1)
        )
        Word.looks = 0
        assert antecedents(claims) == (count, count)
        return Word.looks

    assert looks(400) < 3 * looks(200)
