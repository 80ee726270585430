"""Preambles of dependent claims: whether they name what the claim that they cite is."""

import re
from dataclasses import dataclass
from functools import lru_cache

from patclaimeval.claims.definite_phrases import CITED
from patclaimeval.claims.dependency_paths import citation_runs
from patclaimeval.claims.parsing import Claim, citations, parse_claims
from patclaimeval.claims.terms import read_term, singular

_OPENING = re.compile(r"\s*(?:(?:the|an?|said|one or more)\s+)?", re.IGNORECASE)
# What a claim is about stands before the first of these words or marks.
_END_OF_NAME = re.compile(
    r"\s*[.:;]|(?:\s*,)?\s+(?:adapted|according|as|by|capable|characteri[sz]ed|claimed|comprises|comprising"
    r"|configured|consisting|containing|defined|for|from|having|in|included|including|into"
    r"|obtained|of|on|operable|providing|recited|that|to|used|using|wherein|which|with)\b|\s*\(\d|\s*$",
    re.IGNORECASE,
)
_LONGEST_NAME = 200
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_ACTS = frozenset(["method", "procedure", "process", "technique"])
# Nouns that drafters put for any thing, or for a group of things.
_GENERAL_WORDS = """
apparatus arrangement article assembly combination component construct construction device element
equipment implement installation instrument item kit machine means mechanism medium member object
package piece plurality product set structure subject system unit use
"""
_GENERAL = frozenset(_GENERAL_WORDS.split())
_CITED_WITHIN, _LONGEST_CITATION = 60, 160
_SAME_BEGINNING = 5
_READ_OF_CITED = 2_000


@dataclass(frozen=True, slots=True)
class PreambleMismatch:
    """A claim whose preamble names another thing than the claim that it cites.

    `phrase` is text[start:end] of the claim set, as "The dispenser"; `cited` is the first claim
    cited that is another thing, and `cited_phrase` what that claim is, as "A motor".
    """

    claim: int
    phrase: str
    start: int
    end: int
    cited: int
    cited_phrase: str

    @property
    def sentence(self) -> str:
        """The mismatch in plain English."""
        return f"“{self.phrase}”, but claim {self.cited} is “{self.cited_phrase}”"


@dataclass(frozen=True, slots=True)
class _Subject:
    """What a claim is about: its phrase, the noun, and all words that name it.

    `is_whole`: whether the phrase as read has all these words, so that its noun is sure.
    """

    start: int
    end: int
    noun: str
    words: frozenset[str]
    is_acronym: bool
    is_whole: bool


# The chart and the marks of a page both ask.
@lru_cache(maxsize=8)
def find_preamble_mismatches(text: str) -> tuple[PreambleMismatch, ...]:
    """Return the claims whose preamble names another thing than what the cited claim is.

    Input: the text of a claim set. Output: at most one mismatch a claim, in order. Only preambles
    that stand directly before the citation are read ("The dispenser according to claim 1"); a
    claim of another category that refers to one ("A vehicle comprising the motor of claim 1") has
    none. A shorter name for the thing ("the system" for "an image processing system"), a general
    noun ("the device"), an acronym, and a noun of the same beginning are no mismatches.
    """
    subjects: dict[int, tuple[Claim, _Subject | None]] = {}
    found: list[PreambleMismatch] = []
    earlier: list[int] = []
    for claim in parse_claims(text):
        if claim.number is None:
            continue
        subject = _subject(claim)
        if subject is not None:
            for number in _cited_by_preamble(claim, subject, earlier):
                of, other = subjects.get(number, (claim, None))
                if other is not None and _is_other(subject, other, of.text):
                    start, end = claim.start + subject.start, claim.start + subject.end
                    cited_phrase = of.text[other.start : other.end]
                    found.append(
                        PreambleMismatch(
                            claim.number, text[start:end], start, end, number, cited_phrase
                        )
                    )
                    break
        subjects[claim.number] = (claim, subject)
        earlier.append(claim.number)
    return tuple(found)


def _subject(claim: Claim) -> _Subject | None:
    """Return what a claim is about; None where it does not open with a noun phrase."""
    opening = _OPENING.match(claim.text, claim.body_offset)
    start = opening.end() if opening else claim.body_offset
    term, end = read_term(claim.text, start)
    if not term:
        return None
    limit = start + _LONGEST_NAME
    stop = _END_OF_NAME.search(claim.text, start, limit)
    name = claim.text[start : stop.start() if stop else min(limit, len(claim.text))]
    words = frozenset(singular(word.lower()) for word in _WORD.findall(name))
    whole = _END_OF_NAME.match(claim.text, end)
    noun = term.rsplit(" ", 1)[-1]
    last = claim.text[end - len(noun) : end]
    space = len(claim.text) - len(claim.text[claim.body_offset :].lstrip())
    return _Subject(space, end, singular(noun), words, last.isupper(), bool(whole))


def _cited_by_preamble(claim: Claim, subject: _Subject, earlier: list[int]) -> list[int]:
    """Return the claims cited right behind the subject of a claim."""
    if not claim.depends_on or not CITED.match(claim.text, subject.end):
        return []
    body = claim.text[subject.end : subject.end + _LONGEST_CITATION]
    runs = list(citation_runs(body, citations(body, earlier)))
    first = min(runs, key=lambda run: run[0].start, default=[])
    if not first or first[0].start > _CITED_WITHIN:
        return []
    return [number for item in first for number in item.numbers]


def _is_other(subject: _Subject, cited: _Subject, cited_text: str) -> bool:
    """Whether the subjects of a claim and of the claim that it cites are surely two things."""
    nouns = {subject.noun, cited.noun}
    if subject.noun == cited.noun or subject.is_acronym or cited.is_acronym or not cited.is_whole:
        return False
    if nouns & _ACTS:
        # A method is no thing, whatever the thing is called.
        return not (nouns <= _ACTS or nouns & {"use"})
    if subject.noun in _GENERAL or subject.noun in cited.words or cited.noun in subject.words:
        return False
    beginning = subject.noun[:_SAME_BEGINNING]
    if cited.noun in _GENERAL:
        # "A device for dispensing" may well be called a dispenser, but not a bottle.
        return beginning not in cited_text[:_READ_OF_CITED].lower()
    return all(not word.startswith(beginning) for word in cited.words)
