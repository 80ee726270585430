"""The named features of a (reference, candidate) pair, in groups.

Every feature is turned so that more of it speaks for the candidate. The word lists behind
antecedents, phrases and vague words are English: in another script those features are 0 for every
candidate, and in other languages with Latin letters they say next to nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import LCSseq, Levenshtein
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

from patclaimeval.claims.languages import is_read_as_english, language_of, narrow, pair_language
from patclaimeval.claims.parsing import VAGUE_WORDS
from patclaimeval.metrics.rouge import rouge_l, rouge_n
from patclaimeval.models.claims import (
    Claim,
    Words,
    antecedents,
    is_term,
    read_claims,
    singular,
    terms,
)

FEATURE_VERSION: Final = "4"
"""Raise it when a feature changes its meaning: models trained before are then refused."""

_NUMBER: Final = re.compile(r"[0-9]+")
Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Matching:
    """Claims of a reference and a candidate, compared each with each.

    ``rouge_l``, ``rouge_1``, ``dice``: F-measures in [0, 1], shape [a, b], of the longest common
    subsequence of words, of words, and of content words, each once. ``pairs``: places (i, j) of
    the one-to-one matching with the largest sum of ``dice``; claims that share nothing stay alone.
    """

    rouge_l: Matrix
    rouge_1: Matrix
    dice: Matrix
    pairs: tuple[tuple[int, int], ...]


def match_claims(left: Sequence[Claim], right: Sequence[Claim]) -> Matching:
    """Compare every claim of the reference with every claim of the candidate, and match them."""
    words = [[claim.words for claim in side] for side in (left, right)]
    lengths = [np.array([len(one) for one in side], float) for side in words]
    distinct = [[terms(one).keys() for one in side] for side in words]
    sizes = [np.array([len(found) for found in side], float) for side in distinct]
    common = process.cdist(*words, scorer=LCSseq.similarity, dtype=np.int32)
    dice = _f_measures(_shared(*distinct), *sizes)
    rows, columns = linear_sum_assignment(dice, maximize=True)
    return Matching(
        _f_measures(common, *lengths),
        # The third "the" of a claim is another thing than its second: what is shared is a set.
        _f_measures(_shared(*([[*_occurrences(one)] for one in side] for side in words)), *lengths),
        dice,
        tuple((int(i), int(j)) for i, j in zip(rows, columns, strict=True) if dice[i, j] > 0),
    )


def _occurrences(words: Words) -> Iterator[tuple[str, int]]:
    """Yield each word with how often it came before."""
    seen = Counter[str]()
    for word in words:
        yield word, seen[word]
        seen[word] += 1


def _shared(left: Sequence[Collection[object]], right: Sequence[Collection[object]]) -> Matrix:
    """Return how many things each two of the collections share, shape [a, b]."""
    known = {
        thing: place
        for place, thing in enumerate({t for side in (left, right) for one in side for t in one})
    }
    one, two = (
        csr_array(
            (
                np.ones(sum(map(len, side))),
                [known[thing] for one in side for thing in one],
                np.cumsum([0, *map(len, side)]),
            ),
            shape=(len(side), len(known)),
        )
        for side in (left, right)
    )
    return np.asarray((one @ two.T).toarray())


def _f_measures(hits: NDArray[Any], left: Matrix, right: Matrix) -> Matrix:
    """Return 2 hits / (left + right), 0 where both are 0; shapes [a, b], [a], [b]."""
    return 2 * hits / np.maximum(np.add.outer(left, right), 1)


def _structure(left: Sequence[Claim], right: Sequence[Claim], found: Matching) -> dict[str, float]:
    """Return how far the candidate keeps the claims of the reference, as a set with its tree.

    With a claims in the reference, b in the candidate, m matched: m / b; 2m / (a + b); the mean
    Dice of those matched; -|ln(b / a)|; -|ln| of the ratio of words to a claim; the Jaccard
    index of the cited claims, those of the reference mapped by the matching, summed over matched
    claims and divided by a (1 where neither cites any); and for each similarity S, and for
    [Dice > 1/2], 2 sum S min(l, l') / (L + L') over the one-to-one matching that makes it
    largest, l the words of a claim plus 1, L their sum.
    """
    a, b, matched = len(left), len(right), found.pairs
    words = [np.array([len(claim.words) + 1 for claim in side], float) for side in (left, right)]
    total = words[0].sum() + words[1].sum()
    least = np.minimum.outer(*words)
    weighted = {
        "kept_rouge_l": found.rouge_l,
        "kept_rouge_1": found.rouge_1,
        "kept_dice": found.dice,
        "kept_half": (found.dice > 0.5).astype(float),
    }
    return {
        "claims_matched": len(matched) / b,
        "claims_matched_f": 2 * len(matched) / (a + b),
        "claims_alike": float(np.mean([found.dice[i, j] for i, j in matched] or [0.0])),
        "claim_count": -abs(math.log(b / a)),
        "claim_length": -abs(math.log((words[1].sum() / b) / (words[0].sum() / a))),
        "parents": _parents(left, right, matched) / a,
        **{name: _largest(values * least) * 2 / total for name, values in weighted.items()},
    }


def _largest(worth: Matrix) -> float:
    return float(worth[linear_sum_assignment(worth, maximize=True)].sum())


def _parents(
    left: Sequence[Claim], right: Sequence[Claim], matched: Sequence[tuple[int, int]]
) -> float:
    number = {left[i].number: right[j].number for i, j in matched}
    total = 0.0
    for i, j in matched:
        # A cited claim without a counterpart can be cited by none of the candidate's.
        wanted = {number.get(cited, -cited) for cited in left[i].cited}
        given = set(right[j].cited)
        total += len(wanted & given) / len(wanted | given) if wanted | given else 1.0
    return total


def _overlap(left: Sequence[Claim], right: Sequence[Claim]) -> dict[str, float]:
    """Return F-measures in [0, 1] of the whole texts: ROUGE-1, -2, -L, content words, rare words.

    A rare word counts ln((n + 1) / (d + 1/2)), with n claims on both sides and d that hold it.
    """
    one, two = (_joined(side) for side in (left, right))
    held = Counter(word for claim in (*left, *right) for word in set(claim.words))
    claims = len(left) + len(right)
    weight = {word: math.log((claims + 1) / (count + 0.5)) for word, count in held.items()}
    return {
        "rouge_1": rouge_n(one, two, 1)[2],
        "rouge_2": rouge_n(one, two, 2)[2],
        "rouge_l": rouge_l(one, two)[2],
        "content_words": _weighted_f(terms(one), terms(two), {}),
        "rare_words": _weighted_f(Counter(one), Counter(two), weight),
    }


def _joined(claims: Sequence[Claim]) -> list[str]:
    return [word for claim in claims for word in claim.words]


def _weighted_f(left: Counter[str], right: Counter[str], weight: dict[str, float]) -> float:
    def size(counts: Counter[str]) -> float:
        return sum(count * weight.get(word, 1.0) for word, count in counts.items())

    return 2 * size(left & right) / max(size(left) + size(right), 1e-9)


@dataclass(frozen=True)
class Renamings:
    """Terms of the reference in the place of which the candidate has another: in how many places,
    which pairs (old, new), and those of them whose old term the candidate has too."""

    places: int
    pairs: frozenset[tuple[str, str]]
    mixed: frozenset[tuple[str, str]]


def _find_renamings(
    left: Sequence[Claim], right: Sequence[Claim], matched: Sequence[tuple[int, int]]
) -> Renamings:
    """Find terms replaced one for one in matched claims, new to the reference or lost by it."""
    known, given = (terms(_joined(side)) for side in (left, right))
    places = Counter[tuple[str, str]]()
    for i, j in matched:
        old, new = ([singular(word) for word in claim.words] for claim in (left[i], right[j]))
        for change in Levenshtein.opcodes(old, new):
            if change.tag == "replace":
                places.update(
                    (one, two)
                    for one, two in zip(
                        old[change.src_start : change.src_end],
                        new[change.dest_start : change.dest_end],
                        strict=True,
                    )
                    if is_term(one) and is_term(two) and (two not in known or one not in given)
                )
    mixed = frozenset((one, two) for one, two in places if one in given and two not in known)
    return Renamings(places.total(), frozenset(places), mixed)


@lru_cache(maxsize=8192)
def feature_vector(reference: str, candidate: str) -> Vector:
    """Return the numbers of ``pair_features`` in the order of FEATURES, shape [size], read-only.

    Kept while the process runs, as the models of five criteria ask for the same pairs.
    """
    groups = pair_features(reference, candidate)
    found = np.array([value for values in groups.values() for value in values.values()])
    found.setflags(write=False)
    return found


def pair_features(reference: str, candidate: str) -> dict[str, dict[str, float]]:
    """Return every feature of a candidate beside its reference by group and name, all finite.

    Counts n enter as -ln(1 + n).
    """
    # A short text does not tell its language by itself; the other one may.
    language = pair_language(reference, candidate) or ""
    left, right = read_claims(reference, language), read_claims(candidate, language)
    found = match_claims(left, right)
    overlaps = _overlap(left, right)
    renamed = _find_renamings(left, right, found.pairs)
    definite, missing = antecedents(right)
    is_english = is_read_as_english(language_of(candidate, language))
    vague = len(VAGUE_WORDS.findall(candidate)) if is_english else 0
    return {
        "structure": _structure(left, right, found),
        "overlap": overlaps,
        "terms": {
            **_terms(left, right),
            "numbers_new": _numbers_new(reference, candidate),
            "terms_renamed": _fewer(len(renamed.pairs)),
            "antecedents_missing": -missing / len(right),
            "vague_share": -100 * vague / max(1, sum(len(claim.words) for claim in right)),
        },
        "antecedents": {
            "antecedents_share": -missing / max(1, definite),
            "antecedents_count": _fewer(missing),
        },
        "vagueness": {"vague_count": _fewer(vague)},
        "renaming": {
            "renamings_mixed": _fewer(len(renamed.mixed)),
            "renamings_places": _fewer(renamed.places),
        },
        "citations": _citations(left, right),
        "order": {
            "word_order": overlaps["rouge_l"] - overlaps["rouge_1"],
            "claim_order": _in_order(found.pairs),
        },
    }


def _terms(left: Sequence[Claim], right: Sequence[Claim]) -> dict[str, float]:
    words = [_joined(side) for side in (left, right)]
    known, given = map(terms, words)
    phrases, kept = (
        {found for claim in side for _, found in claim.phrases} for side in (left, right)
    )
    return {
        "terms_new": _fewer(sum(given[term] for term in given.keys() - known.keys())),
        "terms_lost": _fewer(len(known.keys() - given.keys())),
        "phrases_lost": -len(phrases - kept) / max(1, len(phrases)),
    }


def _numbers_new(reference: str, candidate: str) -> float:
    """Return minus the share of the candidate's numbers, claim numbers too, that are new."""
    known, given = (set(_NUMBER.findall(narrow(text))) for text in (reference, candidate))
    return -len(given - known) / max(1, len(given))


def _citations(left: Sequence[Claim], right: Sequence[Claim]) -> dict[str, float]:
    numbers = {claim.number for claim in right}
    cited = [(claim.number, number) for claim in right for number in claim.cited]
    parents = {claim.number: claim.cited for claim in right}
    same = [parents[claim.number] == claim.cited for claim in left if claim.number in parents]
    dependent = [sum(bool(claim.cited) for claim in side) / len(side) for side in (left, right)]
    return {
        "citations_unknown": _fewer(sum(number not in numbers for _, number in cited)),
        "citations_forward": _fewer(sum(number >= own for own, number in cited)),
        "citations_same": sum(same) / max(1, len(same)),
        "dependent_share": -abs(dependent[1] - dependent[0]),
    }


def _fewer(count: int) -> float:
    return -math.log1p(count)


def _in_order(matched: Sequence[tuple[int, int]]) -> float:
    """Return the share of neighbours that stand in the reference's order, in [0, 1]."""
    steps = [after > before for (_, before), (_, after) in pairwise(matched)]
    return sum(steps) / len(steps) if steps else 1.0


GROUPS: Final = {
    group: tuple(values) for group, values in pair_features("1. A part.", "1. A part.").items()
}
"""The names of the features of each group."""
FEATURES: Final = tuple(name for names in GROUPS.values() for name in names)
