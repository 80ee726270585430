"""Surface features of a (reference, candidate) pair: overlap, length, terms, antecedents, links."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np

from scoring.patclaimeval import overlap
from scoring.patclaimeval.claim_text import Claim, antecedents, read_claims, singular

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
    left, right = overlap.rouge_tokens(reference), overlap.rouge_tokens(candidate)
    features: dict[str, float] = {}
    for name, scores in (
        ("rouge1", overlap.rouge_n(left, right, 1)),
        ("rouge2", overlap.rouge_n(left, right, 2)),
        ("rougel", overlap.rouge_l(left, right)),
    ):
        for part, value in zip(("p", "r", "f"), scores, strict=True):
            features[f"{name}_{part}"] = value
    features["order_loss"] = features["rouge1_f"] - features["rougel_f"]
    features["log_length"] = math.log((len(right) + 1) / (len(left) + 1))
    features["log_length_size"] = abs(features["log_length"])
    features["compression"] = overlap.compression_distance(reference, candidate)
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
    words = overlap.rouge_tokens(text)
    clauses = [len(overlap.rouge_tokens(part)) for part in re.split(r"[,;:.]", text)]
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
