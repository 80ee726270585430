"""Features and explanations count the pairs of claims that the pages show."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from patclaimeval.claims.damage import (
    NothingToDamage,
    break_dependency,
    drop_feature,
    rename_term,
)
from patclaimeval.claims.reading import ClaimView, read_pair
from patclaimeval.models.data import Pair
from patclaimeval.models.features import pair_claims, pair_features, read_claim_set
from patclaimeval.models.occlusion import Piece, explain_by_occlusion, occlude

SAMPLE = os.environ.get("PATENT_CE_SAMPLE", "")
REFERENCES = Path(__file__).parents[3] / "fixtures" / "demo" / "references"
DEMO = [path.read_text(encoding="utf-8") for path in sorted(REFERENCES.glob("*.txt"))]
Pairs = list[tuple[int, int]]


def pairs_of_page(reference: str, candidate: str) -> Pairs:
    """Return where the claims begin that the compare page shows in one row."""
    found = read_pair(reference, candidate)
    assert not found.is_plain
    return [
        (left.start, right.start)
        for left, right in found.rows
        if left and right and is_claim(left) and is_claim(right)
    ]


def is_claim(view: ClaimView) -> bool:
    # Words before the first number stand in a row of their own.
    return view.number is not None


def pairs_of_features(reference: str, candidate: str) -> Pairs:
    left, right = read_claim_set(reference), read_claim_set(candidate)
    return [
        (left.claims[i].claim.start, right.claims[j].claim.start)
        for i, j in pair_claims(left, right)
    ]


def demo_pairs() -> Iterator[Pair]:
    for place, text in enumerate(DEMO):
        yield text, text
        yield text, DEMO[place - 1]
        for damage in (drop_feature, rename_term, break_dependency):
            try:
                yield text, damage(text, 3, place).text
            except NothingToDamage:
                continue


def published_pairs() -> list[Pair]:
    items = json.loads(Path(SAMPLE).read_text(encoding="utf-8"))
    return list(dict.fromkeys((item["gold_claim"], item[side]) for item in items for side in "AB"))


def check(pairs: list[Pair]) -> None:
    for pair in pairs:
        shown = pairs_of_page(*pair)
        assert pairs_of_features(*pair) == shown
        left, right = (len(read_claim_set(text).claims) for text in pair)
        structure = pair_features(*pair)["structure"]
        assert structure["claims_matched"] == pytest.approx(len(shown) / right)
        assert structure["claims_matched_f"] == pytest.approx(2 * len(shown) / (left + right))


def test_the_pairs_of_the_page_are_those_of_the_features_on_the_demo() -> None:
    check(list(demo_pairs()))


@pytest.mark.skipif(not SAMPLE, reason="PATENT_CE_SAMPLE names no file: the sample is not shipped")
def test_the_pairs_of_the_page_are_those_of_the_features_on_every_published_candidate() -> None:
    pairs = published_pairs()
    assert len(pairs) == 96
    check(pairs)


def start_of_claim(text: str, piece: Piece) -> int:
    """Return where the claim begins in which a piece lies."""
    starts = [claim.claim.start for claim in read_claim_set(text).claims]
    return max(start for start in starts if start <= piece.start)


def test_limitations_are_matched_within_the_pairs_of_the_page() -> None:
    matched = 0
    for reference, candidate in list(demo_pairs())[:10]:
        shown = pairs_of_page(reference, candidate)
        texts = occlude(reference, [candidate])
        # Every limitation moves the score, so that each is listed with its counterpart.
        scores = {pair: 0.5 + place / 1000 for place, pair in enumerate(texts.pairs)}
        for move in explain_by_occlusion(texts, scores).moves:
            (other,) = move.counterparts
            if other.piece is None:
                continue
            pieces = (move.piece, other.piece) if move.of is None else (other.piece, move.piece)
            left, right = pieces
            starts = start_of_claim(reference, left), start_of_claim(candidate, right)
            assert starts in shown
            matched += 1
    assert matched > 50
