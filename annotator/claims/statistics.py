"""Owns the figures that describe a claim set, and the count of edits between two versions."""

import re
from dataclasses import dataclass
from itertools import chain

from annotator.claims.word_diff import raw_gaps
from annotator.claims.words import read_tokens
from core.claim_text import Claim, parse_claims

# Words that open a subordinate clause in claims; "such that" and "so that" count as their "that".
_SUBORDINATOR_WORDS = """
although as because before after if once since than that though unless until when whenever where
whereas whereby wherein which while who whom whose
"""
_SUBORDINATORS = frozenset(_SUBORDINATOR_WORDS.split())
# A claim of these words alone is none any more.
_CANCELLED = frozenset(
    ["canceled", "cancelled", "deleted", "withdrawn", "previously", "not", "entered", "and", "to"]
)
_LATIN_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
# The e of "wide", "moves" and "turned"; not that of "table", "boxes" or "coated".
_SILENT = re.compile(r"[^aeiouyl]e$|[aeiouy]le$|[^aeiouysxzcgh]es$|[^aeiouytd]ed$")
_VOWELS = re.compile(r"[aeiouy]+")


@dataclass(frozen=True, slots=True)
class ClaimStatistics:
    """The figures of one claim set; `describe_claims` defines how each is counted."""

    tokens: int
    claims: int
    independent_claims: int
    tokens_per_claim: float
    longest_claim: int
    clauses_per_sentence: float
    flesch_kincaid_grade: float | None


@dataclass(frozen=True, slots=True)
class EditCounts:
    """Words added, deleted and replaced on the way from one text to another."""

    added: int
    deleted: int
    replaced: int


def describe_claims(text: str) -> ClaimStatistics:
    """Return the statistics of a claim set, after the claim statistics of [CR, appendix B.1].

    Input: the text of a claim set. All counts are 0 and up.
    tokens: words, numbers and characters of unspaced scripts, without punctuation, claim numbers
    and words before the first claim. claims: as `parse_claims` finds them, a text without numbers
    being one, cancelled claims none. independent_claims: those that cite no claim.
    tokens_per_claim: tokens / claims. longest_claim: the most tokens in one.
    clauses_per_sentence: 1 + subordinating words / claims, a claim being one sentence by the rules
    of the offices; 0.0 without claims. This is a surface proxy of structural complexity: the paper
    counts subordinate clauses by a dependency parser, so the figures do not compare with its own.
    flesch_kincaid_grade: 0.39 words / sentences + 11.8 syllables / words - 15.59 (Kincaid et al.
    1975) over words in Latin letters, a syllable being a run of vowels, less a silent e near the
    end, at least one a word; None where fewer than half of the tokens are such words.
    """
    counted = _with_words(text)
    claims, words = [claim for claim, _ in counted], [own for _, own in counted]
    tokens = sum(map(len, words))
    subordinate = sum(word in _SUBORDINATORS for word in chain.from_iterable(words))
    return ClaimStatistics(
        tokens=tokens,
        claims=len(claims),
        independent_claims=sum(claim.is_independent for claim in claims),
        tokens_per_claim=tokens / len(claims) if claims else 0.0,
        longest_claim=max(map(len, words), default=0),
        clauses_per_sentence=1 + subordinate / len(claims) if claims else 0.0,
        flesch_kincaid_grade=_grade(words),
    )


def count_edits(before: str, after: str) -> EditCounts:
    """Count the words added, deleted and replaced between two versions of a text.

    Inputs: two texts, say a draft and the claims as granted. Output: counts, 0 and up, over all
    words that `describe_claims` counts and those before the first claim; what a longest common
    subsequence leaves out. Where a words stand for b others, min(a, b) are replaced and the rest is
    added or deleted: deleted + replaced of one direction is added + replaced of the other.
    """
    left, right = (
        list(chain.from_iterable(_words(claim) for claim in parse_claims(text)))
        for text in (before, after)
    )
    added = deleted = replaced = 0
    for gap in raw_gaps(left, right):
        lost, new = gap.high - gap.low, gap.stop - gap.start
        replaced += min(lost, new)
        deleted += max(0, lost - new)
        added += max(0, new - lost)
    return EditCounts(added, deleted, replaced)


def _with_words(text: str) -> list[tuple[Claim, list[str]]]:
    """Return the claims that count, with their words."""
    claims = parse_claims(text)
    read = [
        (claim, _words(claim)) for claim in claims if claim.number is not None or len(claims) == 1
    ]
    return [(claim, words) for claim, words in read if not _CANCELLED.issuperset(words)]


def _words(claim: Claim) -> list[str]:
    keys = read_tokens(claim.text[claim.body_offset :]).keys
    return [key for key in keys if key[0].isalnum()]


def _grade(sentences: list[list[str]]) -> float | None:
    words = [word for word in chain.from_iterable(sentences) if _LATIN_WORD.fullmatch(word.lower())]
    if not words or 2 * len(words) < sum(map(len, sentences)):
        return None
    syllables = sum(map(_syllables, words))
    return 0.39 * len(words) / len(sentences) + 11.8 * syllables / len(words) - 15.59


def _syllables(word: str) -> int:
    """Count the runs of vowels, less that of a silent ending; at least one."""
    lowered = word.lower()
    return max(1, len(_VOWELS.findall(lowered)) - bool(_SILENT.search(lowered)))
