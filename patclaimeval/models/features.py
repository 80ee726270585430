"""The named features of a (reference, candidate) pair, in groups.

Every feature is turned so that more of it speaks for the candidate. Claims, their pairs, content
words, noun phrases, antecedents and renamed terms are read by ``patclaimeval.claims``, as on the
pages. Noun phrases, antecedents, renamed terms and vague words are read in English only: in
another language those features are 0 for every candidate.
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
from rapidfuzz.distance import LCSseq
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

from patclaimeval.claims.antecedents import count_antecedents
from patclaimeval.claims.languages import (
    is_read_as_english,
    language_of,
    narrow,
    pair_language,
    words,
)
from patclaimeval.claims.ledger import Naming, TermChange, find_term_changes
from patclaimeval.claims.pairing import Content, align_claims, content_of
from patclaimeval.claims.parsing import VAGUE_WORDS, Claim, parse_claims
from patclaimeval.claims.term_changes import renamed_terms
from patclaimeval.claims.terms import find_mentions
from patclaimeval.metrics.rouge import rouge_l, rouge_n

FEATURE_VERSION: Final = "5"
"""Raise it when a feature changes its meaning: models trained before are then refused."""

_NUMBER: Final = re.compile(r"[0-9]+")
Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
ClaimPairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class CountedClaim:
    """One claim with its lower-case ``words`` and its ``content`` words, both in order.

    ``numbered_words`` are the words, each with how often it came before.
    """

    claim: Claim
    words: tuple[str, ...]
    content: tuple[str, ...]
    numbered_words: tuple[tuple[str, int], ...]

    @property
    def number(self) -> int:
        """Its number; a text without numbers is claim 1."""
        return 1 if self.claim.number is None else self.claim.number

    @property
    def cited(self) -> frozenset[int]:
        """The numbers of the claims that it cites."""
        return frozenset(self.claim.depends_on)


@dataclass(frozen=True, slots=True)
class ClaimSet:
    """A claim set as features read it.

    ``parsed`` and ``content`` are what ``align_claims`` takes. ``claims`` are the claims that
    features count: those with one number, and all where no claim has one. Text before the first
    number and cancelled ranges are left out. ``places`` gives for each of them its index in
    ``parsed``. An empty text has one claim without words, and no place.
    """

    parsed: tuple[Claim, ...]
    content: Content
    claims: tuple[CountedClaim, ...]
    places: tuple[int, ...]


# The candidates of a reference are compared with it one after the other.
@lru_cache(maxsize=256)
def read_claim_set(text: str) -> ClaimSet:
    """Read the claims of a text that features count, with their words."""
    parsed = parse_claims(text)
    content = content_of(parsed)
    numbered = [
        place
        for place, claim in enumerate(parsed)
        if claim.number is not None and claim.number == claim.last_number
    ]
    places = tuple(numbered or range(len(parsed)))
    claims = tuple(_read_claim(parsed[place], tuple(content[place])) for place in places)
    nothing = _read_claim(Claim(None, "", 0, 0, ()), ())
    return ClaimSet(parsed, content, claims or (nothing,), places)


def _read_claim(claim: Claim, content: tuple[str, ...]) -> CountedClaim:
    found = tuple(words(claim.body))
    return CountedClaim(claim, found, content, tuple(_occurrences(found)))


def pair_claims(reference: ClaimSet, candidate: ClaimSet) -> ClaimPairs:
    """Return the pairs (i, j) of corresponding claims, in the order of the reference.

    They are the rows that ``align_claims`` gives and the pages show, of claims that features
    count: i and j are indices into ``claims`` of each side.
    """
    left, right = (
        {place: index for index, place in enumerate(side.places)} for side in (reference, candidate)
    )
    rows = align_claims(reference.parsed, candidate.parsed, (reference.content, candidate.content))
    return tuple(
        (left[row.reference], right[row.candidate])
        for row in rows
        if row.reference in left and row.candidate in right
    )


@dataclass(frozen=True)
class Similarities:
    """How similar each claim of a reference is to each claim of a candidate.

    ``rouge_l``, ``rouge_1``, ``dice``: F-measures in [0, 1], shape [a, b], of the longest common
    subsequence of words, of words, and of content words, each once. These are numbers and no
    alignment: which claims correspond is what ``pair_claims`` says.
    """

    rouge_l: Matrix
    rouge_1: Matrix
    dice: Matrix


def compare_each(left: Sequence[CountedClaim], right: Sequence[CountedClaim]) -> Similarities:
    """Compare every claim of the reference with every claim of the candidate."""
    texts = [[claim.words for claim in side] for side in (left, right)]
    lengths = [np.array([len(one) for one in side], float) for side in texts]
    distinct = [[frozenset(claim.content) for claim in side] for side in (left, right)]
    sizes = [np.array([len(found) for found in side], float) for side in distinct]
    common = process.cdist(*texts, scorer=LCSseq.similarity, dtype=np.int32)
    return Similarities(
        _f_measures(common, *lengths),
        # The third "the" of a claim is another thing than its second: what is shared is a set.
        _f_measures(
            _shared(*([claim.numbered_words for claim in side] for side in (left, right))), *lengths
        ),
        _f_measures(_shared(*distinct), *sizes),
    )


def _occurrences(text: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield each word with how often it came before."""
    seen = Counter[str]()
    for word in text:
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


def _structure(
    left: Sequence[CountedClaim], right: Sequence[CountedClaim], pairs: ClaimPairs
) -> dict[str, float]:
    """Return how far the candidate keeps the claims of the reference, as a set with its tree.

    With a claims in the reference, b in the candidate, m pairs: m / b; 2m / (a + b); the mean
    Dice of the pairs; -|ln(b / a)|; -|ln| of the ratio of words to a claim; the Jaccard index of
    the cited claims, those of the reference mapped by the pairs, summed over the pairs and divided
    by a (1 where neither cites any); and for each similarity S, and for [Dice > 1/2],
    2 sum S min(l, l') / (L + L') over the one-to-one assignment that makes it largest, l the words
    of a claim plus 1, L their sum. That assignment is the most that can be kept and no alignment.
    """
    a, b = len(left), len(right)
    similar = compare_each(left, right)
    lengths = [np.array([len(claim.words) + 1 for claim in side], float) for side in (left, right)]
    total = lengths[0].sum() + lengths[1].sum()
    least = np.minimum.outer(*lengths)
    weighted = {
        "kept_rouge_l": similar.rouge_l,
        "kept_rouge_1": similar.rouge_1,
        "kept_dice": similar.dice,
        "kept_half": (similar.dice > 0.5).astype(float),
    }
    return {
        "claims_matched": len(pairs) / b,
        "claims_matched_f": 2 * len(pairs) / (a + b),
        "claims_alike": float(np.mean([similar.dice[i, j] for i, j in pairs] or [0.0])),
        "claim_count": -abs(math.log(b / a)),
        "claim_length": -abs(math.log((lengths[1].sum() / b) / (lengths[0].sum() / a))),
        "parents": _parents(left, right, pairs) / a,
        **{name: _largest(values * least) * 2 / total for name, values in weighted.items()},
    }


def _largest(worth: Matrix) -> float:
    return float(worth[linear_sum_assignment(worth, maximize=True)].sum())


def _parents(
    left: Sequence[CountedClaim], right: Sequence[CountedClaim], pairs: ClaimPairs
) -> float:
    number = {left[i].number: right[j].number for i, j in pairs}
    total = 0.0
    for i, j in pairs:
        # A cited claim without a counterpart can be cited by none of the candidate's.
        wanted = {number.get(cited, -cited) for cited in left[i].cited}
        given = right[j].cited
        total += len(wanted & given) / len(wanted | given) if wanted | given else 1.0
    return total


def _overlap(left: Sequence[CountedClaim], right: Sequence[CountedClaim]) -> dict[str, float]:
    """Return F-measures in [0, 1] of the whole texts: ROUGE-1, -2, -L, content words, rare words.

    A rare word counts ln((n + 1) / (d + 1/2)), with n claims on both sides and d that hold it.
    """
    one, two = ([word for claim in side for word in claim.words] for side in (left, right))
    held = Counter(word for claim in (*left, *right) for word in set(claim.words))
    claims = len(left) + len(right)
    weight = {word: math.log((claims + 1) / (count + 0.5)) for word, count in held.items()}
    return {
        "rouge_1": rouge_n(one, two, 1)[2],
        "rouge_2": rouge_n(one, two, 2)[2],
        "rouge_l": rouge_l(one, two)[2],
        "content_words": _weighted_f(_count_content(left), _count_content(right), {}),
        "rare_words": _weighted_f(Counter(one), Counter(two), weight),
    }


def _count_content(claims: Sequence[CountedClaim]) -> Counter[str]:
    return Counter(word for claim in claims for word in claim.content)


def _weighted_f(left: Counter[str], right: Counter[str], weight: dict[str, float]) -> float:
    def size(counts: Counter[str]) -> float:
        return sum(count * weight.get(word, 1.0) for word, count in counts.items())

    return 2 * size(left & right) / max(size(left) + size(right), 1e-9)


def _find_renamings(
    left: Sequence[CountedClaim], right: Sequence[CountedClaim], pairs: ClaimPairs
) -> tuple[TermChange, ...]:
    """Return the terms of the reference that the candidate calls by another name."""
    return find_term_changes([one.claim for one in left], [one.claim for one in right], pairs)


def _count_mixed_names(candidate: str, changes: Sequence[TermChange]) -> int:
    """Count the terms that go by two names in the candidate.

    They are the terms that drift in the ledger, and the pairs of names that the pages mark in the
    candidate as inconsistent, without the places of the first ones.
    """
    drifts = [one for one in changes if one.verdict is Naming.DRIFTS]
    ends = {end for one in drifts for _, end in one.spans}
    marked = {
        (mark.first.lower(), mark.then.lower())
        for mark in renamed_terms(candidate)
        if mark.end not in ends
    }
    return len(drifts) + len(marked)


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
    sets = read_claim_set(reference), read_claim_set(candidate)
    left, right = (side.claims for side in sets)
    pairs = pair_claims(*sets)
    # A short text does not tell its language by itself; the other one may.
    language = pair_language(reference, candidate) or ""
    reads = [is_read_as_english(language_of(text, language)) for text in (reference, candidate)]
    overlaps = _overlap(left, right)
    changes = _find_renamings(left, right, pairs) if all(reads) else ()
    mixed = _count_mixed_names(candidate, changes) if reads[1] else 0
    definite, missing = count_antecedents(candidate) if reads[1] else (0, 0)
    vague = len(VAGUE_WORDS.findall(candidate)) if reads[1] else 0
    return {
        "structure": _structure(left, right, pairs),
        "overlap": overlaps,
        "terms": {
            **_content_lost_and_new(left, right),
            "phrases_lost": _phrases_lost(left, right) if all(reads) else 0.0,
            "numbers_new": _numbers_new(reference, candidate),
            "antecedents_missing": -missing / len(right),
            "vague_share": -100 * vague / max(1, sum(len(claim.words) for claim in right)),
        },
        "antecedents": {
            "antecedents_share": -missing / max(1, definite),
            "antecedents_count": _fewer(missing),
        },
        "vagueness": {"vague_count": _fewer(vague)},
        "renaming": {
            "renamings_mixed": _fewer(mixed),
            "renamings_places": _fewer(sum(one.replaced for one in changes)),
        },
        "citations": _citations(left, right),
        "order": {
            "word_order": overlaps["rouge_l"] - overlaps["rouge_1"],
            "claim_order": _in_order(pairs),
        },
    }


def _content_lost_and_new(
    left: Sequence[CountedClaim], right: Sequence[CountedClaim]
) -> dict[str, float]:
    known, given = _count_content(left), _count_content(right)
    return {
        "terms_new": _fewer(sum(given[word] for word in given.keys() - known.keys())),
        "terms_lost": _fewer(len(known.keys() - given.keys())),
    }


@lru_cache(maxsize=1024)
def _find_phrases(text: str) -> frozenset[str]:
    """Return the noun phrases of a claim, in the singular."""
    return frozenset(mention.phrases[0] for mention in find_mentions(text))


def _phrases_lost(left: Sequence[CountedClaim], right: Sequence[CountedClaim]) -> float:
    """Return minus the share of the noun phrases of the reference that the candidate lacks."""
    phrases, kept = (
        frozenset().union(*(_find_phrases(claim.claim.text) for claim in side))
        for side in (left, right)
    )
    return -len(phrases - kept) / max(1, len(phrases))


def _numbers_new(reference: str, candidate: str) -> float:
    """Return minus the share of the candidate's numbers, claim numbers too, that are new."""
    known, given = (set(_NUMBER.findall(narrow(text))) for text in (reference, candidate))
    return -len(given - known) / max(1, len(given))


def _citations(left: Sequence[CountedClaim], right: Sequence[CountedClaim]) -> dict[str, float]:
    parents = {claim.number: claim.cited for claim in right}
    cited = [(claim.number, number) for claim in right for number in claim.cited]
    same = [parents[claim.number] == claim.cited for claim in left if claim.number in parents]
    dependent = [sum(bool(claim.cited) for claim in side) / len(side) for side in (left, right)]
    return {
        "citations_unknown": _fewer(sum(number not in parents for _, number in cited)),
        "citations_forward": _fewer(sum(number >= own for own, number in cited)),
        "citations_same": sum(same) / max(1, len(same)),
        "dependent_share": -abs(dependent[1] - dependent[0]),
    }


def _fewer(count: int) -> float:
    return -math.log1p(count)


def _in_order(pairs: ClaimPairs) -> float:
    """Return the share of neighbours that stand in the reference's order, in [0, 1]."""
    steps = [after > before for (_, before), (_, after) in pairwise(pairs)]
    return sum(steps) / len(steps) if steps else 1.0


GROUPS: Final = {
    group: tuple(values) for group, values in pair_features("1. A part.", "1. A part.").items()
}
"""The names of the features of each group."""
FEATURES: Final = tuple(name for names in GROUPS.values() for name in names)
