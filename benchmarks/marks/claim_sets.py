"""A claim set as an editor sees it: limitations that can be moved, and claims renumbered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from patclaimeval.claims.parsing import Claim, find_references, parse_claims
from patclaimeval.claims.splitting import split_features
from patclaimeval.claims.terms import Mention, find_mentions, singular

Span = tuple[int, int]
Change = tuple[int, int, str]
"""Characters of a text, and what replaces them."""

# How a dependent claim opens: "The pump according to claim 1, ".
_OPENING = re.compile(
    r"(?P<subject>(?:The|A|An)\s[^,:;]{3,90}?)"
    r"\s(?P<form>according to|of|as claimed in|as recited in)"
    r"\s(?:any(?: one)? of )?claims?\s(?P<number>\d+)(?P<more>[^,:;]{0,30}),?\s+"
)
_WHEREIN = re.compile(r"[,;]\s*(?:and\s+)?(?P<clause>where(?:in)?\s)")
_CITED = re.compile(
    r"\b(?:(?:preceding|previous) claims?|claims?\s\d[\d,\s]*(?:(?:or|and|to)\s(?:claim\s)?\d+)?)\Z"
)
_END_OF_CLAUSE = re.compile(r"[;.:]|,\s*(?:and\s+)?where(?:in)?\s")
_LIST = re.compile(r"\b(?:compris(?:ing|es)|includ(?:ing|es)|steps of|operations including)\s*:\s*")
_TAIL = re.compile(r"[,;]\s*(?:and\s+)?(?:where(?:in)?|whereby|characteri[sz]ed)\b")
_AND = re.compile(r"(?:and|or)\s+")
_WORD = re.compile(r"[a-z][a-z-]{3,}")
_FUNCTION_WORDS = frozenset(
    [
        "according",
        "claim",
        "claims",
        "comprising",
        "comprises",
        "from",
        "further",
        "have",
        "having",
        "into",
        "method",
        "said",
        "such",
        "than",
        "that",
        "their",
        "thereof",
        "which",
        "with",
        "wherein",
        "where",
        "when",
    ]
)
# So much of a limitation's words in one other place makes it hard to say where it is.
_ELSEWHERE = 0.6
_LEAST_WORDS = 4
_BEGINNING = 5


@dataclass(frozen=True, slots=True)
class MovableLimitation:
    """A limitation that can be cut out of its claim and leaves a sentence behind."""

    claim: Claim
    start: int
    end: int
    cut: tuple[Change, ...]
    """What removes it from the set."""
    is_clause: bool
    """Whether it is a "wherein" clause, and no element of a list."""
    words: str


@dataclass(frozen=True)
class ClaimSet:
    """One claim set with the surface structure that the edits need."""

    text: str

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        return parse_claims(self.text)

    @cached_property
    def by_number(self) -> dict[int, Claim]:
        return {claim.number: claim for claim in self.claims if claim.number is not None}

    @property
    def is_regular(self) -> bool:
        """Whether claims count 1, 2, 3 ... and each cites earlier ones only."""
        numbers = [claim.number for claim in self.claims]
        return numbers == [*range(1, len(numbers) + 1)] and all(
            number < (claim.number or 0) for claim in self.claims for number in claim.depends_on
        )

    @cached_property
    def cited(self) -> frozenset[int]:
        """The numbers that some claim names."""
        return frozenset(
            found.number for claim in self.claims for found in find_references(body_of(claim)[1])
        )

    def opening(self, claim: Claim) -> re.Match[str] | None:
        """Return how a claim that depends on one claim opens; None for any other claim."""
        match = _OPENING.match(self.text, body_of(claim)[0], claim.end)
        return match if match and len(claim.depends_on) == 1 else None

    def limitations(self, claim: Claim) -> list[Span]:
        """Return the spans of a claim's limitations, without its number and outer punctuation."""
        found = []
        for item in split_features(claim.text):
            start = max(claim.start + item.start, body_of(claim)[0])
            words = self.text[start : claim.start + item.end]
            if words.strip():
                start += len(words) - len(words.lstrip())
                found.append((start, start + len(words.strip().rstrip(" ;,."))))
        return found

    def claim_at(self, place: int) -> Claim | None:
        """Return the claim in which a place of the text stands."""
        return next((one for one in self.claims if one.start <= place < one.end), None)

    def limitation_at(self, place: int) -> Span | None:
        """Return the span of the limitation in which a place of the text stands."""
        claim = self.claim_at(place)
        spans = self.limitations(claim) if claim else []
        return next(((start, end) for start, end in spans if start <= place < end), None)

    def places_of(self, words: str) -> list[Span]:
        """Return the spans of the limitations that say the same words, whatever the articles."""
        return self._by_words.get(fold(words), [])

    @cached_property
    def _by_words(self) -> dict[str, list[Span]]:
        found: dict[str, list[Span]] = {}
        for claim in self.claims:
            for start, end in self.limitations(claim):
                found.setdefault(fold(self.text[start:end]), []).append((start, end))
        return found

    def movable(self, claim: Claim) -> Iterator[MovableLimitation]:
        """Yield the clauses and list elements of a claim that can be cut out."""
        yield from self._clauses(claim)
        yield from self._elements(claim)

    def _clauses(self, claim: Claim) -> Iterator[MovableLimitation]:
        for match in _WHEREIN.finditer(self.text, body_of(claim)[0], claim.end):
            start = match.start("clause")
            end = _END_OF_CLAUSE.search(self.text, start + 6, claim.end)
            if (
                end is None
                or end.group() == ":"
                or self.text[end.start() :][:2].strip(".")[:1].isdigit()
            ):
                continue
            cut: tuple[Change, ...] = ((match.start(), end.start(), ""),)
            if _CITED.search(self.text, body_of(claim)[0], match.start()):
                # "The pump of claim 1, wherein A, and wherein B": B follows the opening.
                following = _WHEREIN.match(self.text, end.start())
                if following is None:
                    continue
                cut = ((start, following.start("clause"), ""),)
            yield self._limitation(claim, start, end.start(), cut, is_clause=True)

    def _elements(self, claim: Claim) -> Iterator[MovableLimitation]:
        head = _LIST.search(self.text, body_of(claim)[0], claim.end)
        if head is None or self.text.count(":", head.end(), claim.end):
            return
        tail = _TAIL.search(self.text, head.end(), claim.end)
        stop = tail.start() if tail else claim.start + len(claim.text.rstrip().rstrip("."))
        starts, place = [head.end()], head.end()
        while (place := self.text.find(";", place, stop) + 1) > 0:
            starts.append(place + len(self.text[place:stop]) - len(self.text[place:stop].lstrip()))
        if len(starts) < 3:
            return
        words = [_AND.match(self.text, start) for start in starts]
        inner = [
            found.end() if found else start for found, start in zip(words, starts, strict=True)
        ]
        if words[-1] is None or any(words[:-1]):
            return
        ends = [self.text.rindex(";", 0, start) for start in starts[1:]] + [stop]
        for place, (start, end) in enumerate(zip(inner, ends, strict=True)):
            if place < len(starts) - 1:
                cut: tuple[Change, ...] = ((starts[place], starts[place + 1], ""),)
            else:
                joint = (inner[place - 1], inner[place - 1], "and ")
                cut = (joint, (ends[place - 1], end, ""))
            yield self._limitation(claim, start, end, cut, is_clause=False)

    def _limitation(
        self, claim: Claim, start: int, end: int, cut: tuple[Change, ...], *, is_clause: bool
    ) -> MovableLimitation:
        words = self.text[start:end]
        return MovableLimitation(claim, start, start + len(words.rstrip()), cut, is_clause, words)

    def stands_alone(self, item: MovableLimitation) -> bool:
        """Whether nothing else says what a limitation says, or refers to what it names."""
        own = content(item.words)
        if len(own) < _LEAST_WORDS or re.search(r"\bclaims?\b", item.words):
            return False
        for claim in self.claims:
            for start, end in self.limitations(claim):
                if start < item.end and item.start < end:
                    continue
                if len(own & content(self.text[start:end])) > _ELSEWHERE * len(own):
                    return False
        return not self.names_used_elsewhere(item)

    def is_said_elsewhere(self, span: Span) -> bool:
        """Whether one other limitation has all words of the limitation in a span."""
        own = content(self.text[slice(*span)])
        return any(
            own <= content(self.text[start:end])
            for claim in self.claims
            for start, end in self.limitations(claim)
            if end <= span[0] or start >= span[1]
        )

    def names_used_elsewhere(self, item: MovableLimitation) -> list[Span]:
        """Return where the set refers back to a thing that only a limitation introduces."""
        heads = {
            mention.heads[0]
            for mention in find_mentions(item.words)
            if not mention.is_definite
            if not self.introductions(mention.heads[0], item.start)
        }
        return [
            (start, end)
            for mention, start, end in self.mentions
            if mention.is_definite and not item.start <= start < item.end
            if heads.intersection(mention.heads)
        ]

    @cached_property
    def mentions(self) -> list[tuple[Mention, int, int]]:
        """The noun phrases with an article, with their places in the set."""
        return [(item, item.start, item.end) for item in find_mentions(self.text)]

    def introductions(self, head: str, before: int) -> int:
        """Count the places before a place at which a noun stands, in the singular or plural."""
        words = re.findall(r"[a-z][a-z-]*", self.text[:before].lower())
        return sum(singular(word) == head for word in words)


def marker_of(claim: Claim) -> str:
    """Return the number of a claim as it is written, with its full stop or brackets."""
    return claim.text[: claim.body_offset].strip()


def body_of(claim: Claim) -> tuple[int, str]:
    """Return where a claim's words begin in the set, and the words, without the number."""
    rest = claim.text[claim.body_offset :]
    start = claim.body_offset + len(rest) - len(rest.lstrip())
    return claim.start + start, claim.text[start:]


def fold(words: str) -> str:
    """Return words in lower case, with single spaces and one definite article."""
    return " ".join(re.sub(r"\bsaid\b", "the", words.lower()).strip(" .,;").split())


def content(words: str) -> set[str]:
    """Return the words of a text that say something, by their beginnings."""
    found = set(_WORD.findall(words.lower())) - _FUNCTION_WORDS
    return {word[:_BEGINNING] for word in found}


def apply(text: str, changes: Sequence[Change]) -> str:
    """Return a text with characters replaced; the changes must not overlap."""
    done, place = [], 0
    for start, end, words in sorted(changes):
        done += [text[place:start], words]
        place = end
    return "".join([*done, text[place:]])


def moved(place: int, changes: Sequence[Change]) -> int:
    """Return where a place of a text stands after the changes."""
    shift = sum(len(words) - (end - start) for start, end, words in changes if end <= place)
    inside = [start for start, end, _ in changes if start < place < end]
    return (inside[0] if inside else place) + shift


def renumber(claims: Sequence[Claim], numbers: Mapping[int, int]) -> list[Change]:
    """Return the changes that give claims other numbers, citations included."""
    found: list[Change] = []
    for claim in claims:
        digits = re.search(r"\d+", claim.text[: claim.body_offset])
        if digits and claim.number is not None and claim.number in numbers:
            start = claim.start + digits.start()
            found.append((start, claim.start + digits.end(), str(numbers[claim.number])))
        start, body = body_of(claim)
        for item in find_references(body):
            new = str(numbers.get(item.number, item.number))
            found.append((start + item.start, start + item.end, new))
    return [change for change in found if change[2]]


def exchange(text: str, place: Span, new: str) -> list[Change]:
    """Return the changes that put another word in a place, with the article that it needs."""
    known = text[slice(*place)]
    changes: list[Change] = [(*place, new[0].upper() + new[1:] if known[0].isupper() else new)]
    article = re.search(r"\b(a)n?\s\Z", text[max(0, place[0] - 4) : place[0]], re.IGNORECASE)
    if article:
        begin = place[0] - (len(article.string) - article.start())
        changes.append((begin, place[0], f"{article[1]}{'n' * _sounds_open(new)} "))
    return changes


def _sounds_open(word: str) -> bool:
    return bool(re.match(r"[aeiouAEIO]|n-", word))
