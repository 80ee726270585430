"""Surface features of a (reference, candidate) pair: overlap, length, terms, antecedents, links."""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from core.claim_text import dependencies, parse_claims
from scoring.metrics.rouge import rouge_l, rouge_n

_WORD = re.compile(r"[a-z0-9]+")
_TOKEN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*|[,;:.()]")
_BREAK = frozenset(
    re.findall(
        r"\w+",
        """a an the said of for to in on at by with from into onto over under between through within
    along about around against via and or but that which who whose where wherein whereby when
    while is are was were be being been has have having comprising comprises comprise including
    includes include consisting consists configured arranged adapted coupled connected mounted
    disposed positioned located formed attached according as so if then than not can may will
    each at least one more any claim claims further also only using based first second""",
    )
)
_DEFINITE = frozenset({"the", "said"})
_INDEFINITE = frozenset({"a", "an", "one", "plurality", "least", "more", "two", "several", "each"})
_MAX_PHRASE = 4
Words = tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """One claim: its ``number``, lower-case ``words``, numbers ``cited``, and its noun phrases.

    ``definite`` holds (phrase, share of the claim read so far) of phrases after "the" or
    "said"; ``phrases`` holds every phrase in order as (is it definite, words).
    """

    number: int
    words: tuple[str, ...]
    cited: tuple[int, ...]
    phrases: tuple[tuple[bool, tuple[str, ...]], ...]


@lru_cache(maxsize=4096)
def read_claims(text: str) -> tuple[Claim, ...]:
    """Read each claim of a claim set; text without numbers is one claim with number 1.

    Words before the first number and ranges of cancelled claims are left out.
    """
    numbered = [
        _read(claim.number, claim.body, claim.depends_on)
        for claim in parse_claims(text)
        if claim.number is not None and claim.number == claim.last_number
    ]
    return tuple(numbered) or (_read(1, text, dependencies(text)),)


def _read(number: int, body: str, cited: Iterable[int]) -> Claim:
    lowered = body.lower()
    return Claim(
        number, tuple(_WORD.findall(lowered)), tuple(sorted(cited)), tuple(_phrases(lowered))
    )


def _phrases(lowered: str) -> list[tuple[bool, tuple[str, ...]]]:
    found: list[tuple[bool, tuple[str, ...]]] = []
    tokens = _TOKEN.findall(lowered)
    for place, token in enumerate(tokens):
        if token not in _DEFINITE and token not in _INDEFINITE:
            continue
        start = place + 1
        if start < len(tokens) and tokens[start] in ("of", "first", "second"):
            start += 1
        words: list[str] = []
        for word in tokens[start : start + _MAX_PHRASE]:
            if word in _BREAK or not word[0].isalnum():
                break
            words.append(singular(word))
        if words and words[0] not in ("method", "claim"):
            found.append((token in _DEFINITE, tuple(words)))
    return found


def singular(word: str) -> str:
    """Return ``word`` without a plural s (a rough rule, enough to match "bolts" with "bolt")."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def ancestors(claims: tuple[Claim, ...]) -> list[int]:
    """Return for each claim the claims that it depends on, directly or not: bit i is claims[i].

    Citations of itself, of later or of missing claims lead nowhere.
    """
    above: list[int] = []
    reached_by: dict[int, int] = {}
    for place, claim in enumerate(claims):
        reached = 0
        for number in claim.cited:
            reached |= reached_by.get(number, 0)
        above.append(reached)
        reached_by[claim.number] = reached | 1 << place
    return above


def antecedents(claims: tuple[Claim, ...]) -> tuple[int, int]:
    """Return (definite phrases, those of them never introduced).

    "the X" counts as introduced if an earlier phrase of the same claim, or any phrase of a
    claim it depends on, was indefinite and contains the first words of X.
    """
    total = missing = 0
    # By what a phrase introduces: the claims that have such a phrase, as bits.
    introduced: dict[Words, int] = {}
    for place, (claim, above) in enumerate(zip(claims, ancestors(claims), strict=True)):
        known = above | 1 << place
        for definite, phrase in claim.phrases:
            if definite:
                total += 1
                missing += not any(introduced.get(key, 0) & known for key in _asked(phrase))
            else:
                for key in _introduced(phrase):
                    introduced[key] = introduced.get(key, 0) | 1 << place
    return total, missing


def _introduced(phrase: Words) -> Iterator[Words]:
    """Yield each word of a phrase, each two neighbours, and the last word with nothing behind."""
    yield from ((word,) for word in phrase)
    yield from zip(phrase, (*phrase[1:], ""), strict=True)


def _asked(phrase: Words) -> tuple[Words, ...]:
    """Return what may introduce "the X": its first two words, or the first as a phrase's last."""
    return (phrase,) if len(phrase) == 1 else (phrase[:2], (phrase[0], ""))


"""(precision, recall, F), each in [0, 1]."""


def rouge_tokens(text: str) -> list[str]:
    """Return the lower-case runs of letters a-z and digits, as the rouge-score package does."""
    return re.findall(r"[a-z0-9]+", text.lower())


def compression_distance(reference: str, candidate: str) -> float:
    """Return (Z(PQ) - min(Z(P), Z(Q))) / max(Z(P), Z(Q)), Z the zlib size in bytes; about 0..1."""
    left, right = reference.encode(), candidate.encode()
    single = [len(zlib.compress(text, 9)) for text in (left, right)]
    joint = len(zlib.compress(left + b"\n" + right, 9))
    return (joint - min(single)) / max(single)


_COMMON = frozenset(
    re.findall(
        r"\w+",
        """that this with from into which wherein where said claim claims according comprising
    comprises comprise include includes including least more than each other being having have
    such when then also further between through configured based using first second one""",
    )
)
_VAGUE = re.compile(
    r"\b(?:about|approximately|substantially|essentially|generally|roughly|somewhat|possibly|"
    r"perhaps|maybe|suitable|suitably|appropriate|certain|some|kind|sort|etc|like|thing|things|"
    r"stuff|somehow|various|good|nice|better|preferably|optionally|usually|normally|it|they|"
    r"them|these|those|this)\b",
    re.IGNORECASE,
)


def surface_features(reference: str, candidate: str) -> dict[str, float]:
    """Return the named surface features of a candidate beside its reference, all finite.

    Shares lie in [0, 1], "excess" features are candidate minus reference, ratios are natural
    logarithms. A pair of equal texts gets overlap 1 and excess 0.
    """
    left, right = rouge_tokens(reference), rouge_tokens(candidate)
    features: dict[str, float] = {}
    for name, scores in (
        ("rouge1", rouge_n(left, right, 1)),
        ("rouge2", rouge_n(left, right, 2)),
        ("rougel", rouge_l(left, right)),
    ):
        for part, value in zip(("p", "r", "f"), scores, strict=True):
            features[f"{name}_{part}"] = value
    features["order_loss"] = features["rouge1_f"] - features["rougel_f"]
    features["log_length"] = math.log((len(right) + 1) / (len(left) + 1))
    features["log_length_size"] = abs(features["log_length"])
    features["compression"] = compression_distance(reference, candidate)
    features |= _term_features(left, right)
    features |= _claim_features(read_claims(reference), read_claims(candidate))
    own, other = _profile(candidate), _profile(reference)
    return features | {f"{name}_excess": own[name] - other[name] for name in own}


def _term_features(left: list[str], right: list[str]) -> dict[str, float]:
    known, given = ({*filter(_is_term, map(singular, tokens))} for tokens in (left, right))
    mentions = [word for word in map(singular, right) if _is_term(word)]
    digits = {w for w in right if w.isdigit()}
    return {
        "term_new": len(given - known) / max(1, len(given)),
        "term_lost": len(known - given) / max(1, len(known)),
        "term_new_mentions": sum(w not in known for w in mentions) / max(1, len(mentions)),
        "number_new": len(digits - set(left)) / max(1, len(digits)),
    }


def _is_term(word: str) -> bool:
    return len(word) > 3 and not word.isdigit() and word not in _COMMON


def _claim_features(left: tuple[Claim, ...], right: tuple[Claim, ...]) -> dict[str, float]:
    of_left, of_right, of_first = _most_shared_words(left, right)
    # Dividing keeps the order, so the most words in common are the largest share too.
    recalls = [_share(hits, claim) for hits, claim in zip(of_left, left, strict=True)]
    precisions = [_share(hits, claim) for hits, claim in zip(of_right, right, strict=True)]
    parents = {claim.number: claim.cited for claim in right}
    shared = [claim for claim in left if claim.number in parents]
    same = sum(parents[claim.number] == claim.cited for claim in shared)
    known, given = (
        {phrase for claim in side for _, phrase in claim.phrases} for side in (left, right)
    )
    return {
        "log_claims": math.log(len(right) / len(left)),
        "log_claims_size": abs(math.log(len(right) / len(left))),
        "claim_recall": sum(recalls) / len(recalls),
        "claim_recall_least": min(recalls),
        "claim_precision": sum(precisions) / len(precisions),
        "claim_precision_least": min(precisions),
        "first_claim_precision": _share(of_first, right[0]),
        "first_claim_recall": _share(of_first, left[0]),
        "same_parents": same / max(1, len(shared)),
        "phrase_new": len(given - known) / max(1, len(given)),
        "phrase_lost": len(known - given) / max(1, len(known)),
    }


def _share(hits: int, claim: Claim) -> float:
    return hits / max(1, len(claim.words))


def _most_shared_words(
    left: tuple[Claim, ...], right: tuple[Claim, ...]
) -> tuple[list[int], list[int], int]:
    """Return how many words a claim has in common with the one of the other side most like it.

    Output: that number for each claim on the left, for each on the right, and the words that the
    first claims share. A word counts as often as both claims have it. Each word is looked up
    where it stands; claims that share none are not compared.
    """
    places: dict[tuple[str, int], list[int]] = {}
    for place, claim in enumerate(right):
        for word in _occurrences(claim):
            places.setdefault(word, []).append(place)
    found = {word: np.array(where) for word, where in places.items()}
    of_left: list[int] = []
    of_right = np.zeros(len(right), np.intp)
    of_first = 0
    for claim in left:
        met = [found[word] for word in _occurrences(claim) if word in found]
        hits = np.bincount(np.concatenate(met or [of_right[:0]]), minlength=len(right))
        of_first = of_first if of_left else int(hits[0])
        of_left.append(int(hits.max()))
        of_right = np.maximum(of_right, hits)
    return of_left, of_right.tolist(), of_first


def _occurrences(claim: Claim) -> Iterator[tuple[str, int]]:
    """Yield each word with how often the claim had it before."""
    seen = Counter[str]()
    for word in claim.words:
        yield word, seen[word]
        seen[word] += 1


@lru_cache(maxsize=4096)
def _profile(text: str) -> dict[str, float]:
    """Features of one text, compared by subtraction."""
    claims = read_claims(text)
    numbers = {claim.number for claim in claims}
    citations = [(claim.number, cited) for claim in claims for cited in claim.cited]
    definite, missing = antecedents(claims)
    words = rouge_tokens(text)
    clauses = [len(rouge_tokens(part)) for part in re.split(r"[,;:.]", text)]
    clauses = [size for size in clauses if size] or [0]
    pairs = list(pairwise(words))
    phrases = [phrase for claim in claims for _, phrase in claim.phrases]
    return {
        "antecedent_missing": missing / max(1, definite),
        "antecedent_missing_log": math.log1p(missing),
        "definite_share": definite / max(1, len(phrases)),
        "dependent_share": sum(bool(claim.cited) for claim in claims) / len(claims),
        "citation_unknown": math.log1p(sum(cited not in numbers for _, cited in citations)),
        "citation_forward": math.log1p(sum(cited >= own for own, cited in citations)),
        "vague": 100 * len(_VAGUE.findall(text)) / max(1, len(words)),
        "clause_words": math.log1p(sum(clauses) / len(clauses)),
        "clause_longest": math.log1p(max(clauses)),
        "word_variety": len(set(words)) / max(1, len(words)),
        "pair_variety": len(set(pairs)) / max(1, len(pairs)),
        "phrase_variety": len(set(phrases)) / max(1, len(phrases)),
        "wherein": 100 * sum(w in ("wherein", "whereby") for w in words) / max(1, len(words)),
    }
