"""Antecedent basis: which "the X" has no earlier X in its chain of claims."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from patclaimeval.claims.parsing import Claim, parse_claims
from patclaimeval.claims.terms import Mention, find_mentions, singular

WORD = re.compile(r"[A-Za-z][A-Za-z-]*")
# Nouns that need no introduction: properties and parts that every thing of their kind has.
_INHERENT_WORDS = """
amount art average back beginning bottom boundary bulk case center centre change circumference
claim combination dark decrease difference direction earth edge end environment equation
expression extent exterior fact first following foregoing former formula front ground group
increase inside interface interior internet invention last latter left length like majority manner
maximum mean middle minimum need number order other outcome outside part periphery plane position
presence present proviso rate ratio rear reduction remainder rest right same second side step sum
surface surroundings third time top total use user value variation vicinity way weight width world
"""
_INHERENT = frozenset(_INHERENT_WORDS.split())
ORDINALS = frozenset(["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"])
# "The lowest pressure", "the respective valve", "the visible range": unique by what they mean.
_UNIQUE_WORDS = """
appropriate best complete desired entire following foregoing least most next only opposite other
overall particular present previous proper remaining required respective same subsequent visible
whole worst
"""
_UNIQUE = frozenset(_UNIQUE_WORDS.split())
# Adjectives that may join a known noun without making it another thing.
_LIGHT_WORDS = """
actual associated certain current final given individual initial known new original resultant
resulting single specific specified various
"""
_LIGHT = _UNIQUE.union(ORDINALS, _LIGHT_WORDS.split())
_NO_SUPERLATIVE = frozenset(["guest", "harvest", "interest", "request", "test", "forest"])
# "The edge of the plate", "the gap between", "the current produced by": what follows shows which
# is meant. Not so "the method of claim 1", and never after "said".
_DEFINED = re.compile(
    r"(?:\s*\([^()]{1,24}\))?(?:\s+(?:and|or)(?:\s+[\w-]+){1,3}?)?\s+(?:of(?!\s+(?:claims?|any|one"
    r"|either)\b)|between|among|(?:in|at|to|on|by|from|for)\s+which|where|corresponding\s+to"
    r"|thereof|associated\s+therewith|ones?|(?:caused|created|emitted|generated|measured|obtained"
    r"|produced|provided|supplied)\s+by)\b",
    re.IGNORECASE,
)
# "The equation z = x + y".
_NAMED_AFTER = frozenset(["equation", "expression", "formula", "letter", "symbol", "word"])
# "The transmission" has basis in "transmitting"; "the heating step" in "heating".
_ACTION_ENDINGS = ("tion", "sion", "ment", "ance", "ence", "ysis", "ison", "ing", "al", "ure")
_ACT_NOUNS = frozenset(["act", "action", "operation", "procedure", "process", "stage", "step"])
_STEM = 5
_DEFINITE_OPENING = re.compile(r"(?:the|said)\b", re.IGNORECASE)


def chains_above(claims: tuple[Claim, ...]) -> Iterator[int]:
    """Yield for each claim the set of claims above it, as bits: bit i stands for claims[i].

    Sets as bits, because "any preceding claim" a hundred times over makes long unions.
    """
    above_number: dict[int, int] = {}
    for place, claim in enumerate(claims):
        above = 0
        for number in claim.depends_on:
            above |= above_number.get(number, 0)
        if not above and (claim.depends_on or _DEFINITE_OPENING.match(claim.body)):
            above = (1 << place) - 1
        yield above
        if claim.number is not None:
            own = above | 1 << place
            above_number[claim.number] = above_number.get(claim.number, 0) | own


@dataclass(frozen=True, slots=True)
class Reading:
    """One claim read: its definite terms in question, and the first place of every other word."""

    definite: list[Mention]
    words: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> "Reading":
        mentions = [item for item in find_mentions(text) if item.is_definite]
        reading = cls([item for item in mentions if not _defines_itself(item, text)])
        done = 0
        for mention in reading.definite:
            reading.take(text, done, mention.start)
            done = mention.end
        reading.take(text, done, len(text))
        return reading

    def take(self, text: str, start: int, end: int) -> None:
        """Note the words between two places: alone, in pairs, and by the stems of their acts."""
        before = ""
        for match in WORD.finditer(text, start, end):
            lowered = match.group().lower()
            word = singular(lowered)
            self.words.setdefault(word, match.start())
            self.words.setdefault(f"{before} {word}", match.start())
            if len(lowered) > _STEM:
                self.words.setdefault(lowered[:_STEM] + "*", match.start())
                if lowered.endswith(("ing", "ed")):
                    self.words.setdefault(lowered[: _STEM - 1] + "~", match.start())
            if lowered.endswith(("y", "ying")):
                self.words.setdefault(lowered.removesuffix("ing") + "*", match.start())
            # "coil-shaped", "semi-conductor": the parts are known too.
            for part in lowered.split("-") if "-" in lowered else ():
                self.words.setdefault(singular(part), match.start())
            before = word


@dataclass(slots=True)
class Basis:
    """Which claims introduce which word, as bits."""

    claims: dict[str, int] = field(default_factory=dict)

    def add(self, reading: Reading, place: int) -> None:
        for word in reading.words:
            self.claims[word] = self.claims.get(word, 0) | 1 << place

    def holds(self, mention: Mention, reading: Reading, above: int, *, loosely: bool) -> bool:
        """Whether a definite term has basis in its claim before it or in the claims above.

        Loosely: the noun is enough, as for "the insertion device of claim 1" after "a device".
        """

        def known(*keys: str) -> bool:
            return any(
                reading.words.get(key, mention.start) < mention.start
                or self.claims.get(key, 0) & above
                for key in keys
            )

        def described(words: list[str]) -> bool:
            return loosely or all(
                known(word, *_stems(word)) or (word in _LIGHT and word not in ORDINALS)
                for word in words
            )

        for phrase in mention.phrases:
            words = phrase.split(" ")
            if (known(words[-1]) or known(*_act_keys(words))) and described(words[:-1]):
                return True
        # "The base layer vary": two words known together are a term, whatever follows.
        words = mention.phrases[0].split(" ")
        return any(
            known(f"{words[last - 1]} {words[last]}") and described(words[: last - 1])
            for last in range(1, len(words) - 1)
        )


def _act_keys(words: list[str]) -> Iterator[str]:
    """Yield what else may introduce a noun that names an act: the verb it comes from."""
    head = words[-1]
    if head in _ACT_NOUNS and len(words) > 1:
        yield from _stems(words[-2])
    elif head.endswith(_ACTION_ENDINGS):
        yield from _stems(head)


def _stems(word: str) -> Iterator[str]:
    """Yield the keys under which a verb and the noun of its act meet: a shared beginning."""
    if len(word) > _STEM:
        yield word[:_STEM] + "*"
    # Four letters are enough where one of the two is a participle ("forming", "formation").
    if len(word) >= _STEM:
        yield word[: _STEM - 1] + "~"
    if word.endswith("ied"):
        yield word[:-3] + "y*"


def _defines_itself(mention: Mention, text: str) -> bool:
    """Whether a definite term needs no introduction: inherent, unique, or named by what follows."""
    words = mention.term.split(" ")
    if _INHERENT.intersection(mention.heads):
        return True
    if words[0] in _UNIQUE or (words[0].endswith("est") and words[0] not in _NO_SUPERLATIVE):
        return True
    if words[0] in _NAMED_AFTER or _holds_a_name(text[mention.start : mention.end].split()):
        return True
    return mention.article == "the" and _DEFINED.match(text, mention.end) is not None


def _holds_a_name(written: list[str]) -> bool:
    """Whether a term of several words has capitals in some, not all: "the Curie temperature"."""
    capitals = [word[:1].isupper() and word[1:].islower() for word in written[1:]]
    return any(capitals) and not all(capitals)


@dataclass(frozen=True, slots=True)
class MissingAntecedent:
    """One definite term without basis, and its span in the source."""

    term: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AntecedentGap:
    """A definite phrase without basis on at least one path of its claim's dependency.

    `path`: the claims cited on which the claim has no basis for the phrase when it depends on
    them; () where the claim cites none. `start` and `end` count characters in the claim set.
    """

    claim: int | None
    phrase: str
    start: int
    end: int
    path: tuple[int, ...]


def find_antecedent_gaps(text: str) -> tuple[AntecedentGap, ...]:
    """Return the definite phrases of a claim set that have no basis along some path."""
    return ()


def missing_antecedents(text: str) -> tuple[MissingAntecedent, ...]:
    """Return the definite terms of a claim set that nothing earlier introduces.

    Input: the text of a claim set. Output: one finding per term and claim, the first place of
    each, with offsets into `text`. "The X" has basis when the noun of X (or the act it names) and
    the words before the noun stand earlier outside every "the ..." and "said ...", in the same
    claim or in a claim on which it depends, directly or not; order and company of these words are
    free. "The X of Y" defines itself and introduces X. A term found missing in a claim is not
    reported again in its dependents. A claim that cites no earlier claim, but ought to (it cites
    an unknown one, or opens with "The ..."), is read after all earlier ones: its fault is the
    dependency. The reading is by surface words: a finding is a question, not a verdict.
    """
    claims = parse_claims(text)
    basis = Basis()
    reported: dict[str, int] = {}
    findings: list[MissingAntecedent] = []
    for place, (claim, above) in enumerate(zip(claims, chains_above(claims), strict=True)):
        reading = Reading.of(claim.text)
        chain = above | 1 << place
        for mention in reading.definite:
            before = claim.text[claim.body_offset : mention.start]
            opens = claim.number is not None and not before.strip()
            orphan = opens and bool(place) and not claim.depends_on
            if not orphan and basis.holds(mention, reading, above, loosely=opens):
                continue
            keys = _report_keys(mention)
            if not any(reported.get(key, 0) & chain for key in keys):
                start, end = claim.start + mention.start, claim.start + mention.end
                findings.append(MissingAntecedent(mention.term, start, end))
            for key in keys:
                reported[key] = reported.get(key, 0) | 1 << place
        basis.add(reading, place)
    return tuple(findings)


def count_antecedents(text: str) -> tuple[int, int]:
    """Count the definite phrases of a claim set that need basis, and those without it.

    Input: the text of a claim set. Output: the number of phrases after "the" or "said" that need
    an earlier introduction, at every place, and the number of those that `find_antecedent_gaps`
    reports, each phrase once per claim and chain.
    """
    checked = sum(len(Reading.of(claim.text).definite) for claim in parse_claims(text))
    return checked, len(missing_antecedents(text))


# Parts of every person, and what is everywhere.
_EVERYWHERE_WORDS = """
abdomen air ankle arm atmosphere brain chest ear eye face finger foot forehead hand head heart knee
leg mouth neck nose sea skin sky spine sternum sun thigh throat thumb torso waist wrist
"""
_EVERYWHERE = frozenset(_EVERYWHERE_WORDS.split())
# "The gene encoding ...", "the half-width 'a'".
_NAMED_BY = re.compile(r"\s+(?:encoding|having|named|called|known\s+as|['\u2018\u201c\"])")


def likely_basis(text: str, missing: Sequence[MissingAntecedent]) -> frozenset[int]:
    """Return the starts of those missing terms that a reader may well find introduced.

    Inputs: a claim set, and what `missing_antecedents` finds in it. A term is likely to have basis
    if it is a part of every person, if what follows names it, or if it is a noun that stands
    before, with a participle for what was done to it: "saving the form ... the saved form".
    """
    found: set[int] = set()
    known: dict[str, int] = {}
    if missing:
        for match in WORD.finditer(text):
            known.setdefault(singular(match.group().lower()), match.start())
    for item in missing:
        first, *rest = item.term.split(" ")
        is_done = first.endswith("ed") and not first.endswith("eed") and bool(rest)
        if (
            singular(item.term) in _EVERYWHERE
            or _NAMED_BY.match(text, item.end)
            or (is_done and all(known[singular(word)] < item.start for word in rest))
        ):
            found.add(item.start)
    return frozenset(found)


def unintroduced_phrases(text: str) -> frozenset[str]:
    """Return the definite noun phrases of a claim set that occur nowhere before as a whole.

    Input: the text of a claim set. Output: the phrases, in the singular. Stricter than
    `missing_antecedents` (all words must agree, not the noun alone: "the auxiliary coils" is not
    introduced by "a receiver coil"), and so with more false findings on a single text: it is
    meant for comparing a text before and after a change.
    """
    mentions = [item for item in find_mentions(text) if item.is_definite]
    found: set[str] = set()
    # Every run of up to four words outside definite phrases so far.
    runs: set[str] = set()
    latest: list[str] = []
    done = 0
    for mention in mentions:
        for match in WORD.finditer(text, done, mention.start):
            latest = [*latest[-3:], singular(match.group().lower())]
            runs.update(" ".join(latest[first:]) for first in range(len(latest)))
        if mention.start >= done:
            latest = []
        done = max(done, mention.end)
        if not runs.intersection(mention.phrases):
            found.add(mention.phrases[0])
    return frozenset(found)


def _report_keys(mention: Mention) -> tuple[str, ...]:
    """Return under which names a missing term is known as reported: its possible nouns."""
    first = mention.term.split(" ", 1)[0]
    if first in ORDINALS:
        return tuple(f"{first} {head}" for head in mention.heads)
    return mention.heads
