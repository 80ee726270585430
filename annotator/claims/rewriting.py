"""Rewrites a claim set as language models do: seeded faults of drafting, mild to severe.

Observed in machine-written sets: claims added, elaborated, merged, copied with small changes, put
in another order; independent claims too broad or too narrow; features that the invention lacks;
dependent claims that would fit any invention; words changed and terms renamed. What it makes is
for measuring scales and for demonstrations: no person has judged it.
"""

import random
import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

from annotator.claims.damage import (
    NothingToDamage,
    break_dependency,
    delete_antecedent,
    drop_feature,
)
from core.claim_text import find_references, parse_claims

Part = tuple[int, str]
"""The number that a claim had before, 0 for a new one, and its words."""
Parts = list[Part]
Fault = Callable[[Parts, Parts, random.Random], Parts]
"""Takes the claims, those of another invention, and a generator; gives them with one fault."""

MOST_KINDS: Final = 6
MOST_TIMES: Final = 5
NEW_NUMBER: Final = 9000
"""In the words of a new claim the number n of its parent stands as 9000 + n until all are known."""
GENERIC: Final = (
    "further comprising a user interface that displays a state",
    "wherein the operation is repeated at intervals",
    "further comprising a communication module that transmits data to a remote device",
    "wherein the material is selected from metals, polymers and composites",
    "further comprising a memory with instructions for the operation",
    "wherein the operation starts automatically on a detected condition",
    "further comprising a housing that protects the parts",
    "wherein a value is adjusted according to a measured parameter",
    "wherein the parts are made in one piece",
    "further comprising an alarm that is triggered beyond a threshold",
    "wherein the steps are carried out in real time",
    "further comprising a power supply",
    "wherein the process is improved by a trained model",
    "further comprising a sensor that monitors the performance",
)
ADJECTIVES: Final = (
    *("suitable", "predetermined", "integrated", "improved"),
    *("respective", "additional", "dedicated", "optional"),
)
_LEFT_OVER = re.compile(r"\b9\d{3}\b")
_PREAMBLE = re.compile(
    r"(?:An?|The)\s+([\w\s-]{3,60}?)(?:\s+(?:of|according|as|for|comprising|which|wherein|that)|,)"
)
_LIMITATION = re.compile(r"(?:wherein|further comprising|in which|comprising|where)\b.*", re.DOTALL)
_TERM = re.compile(r"\b(the|an?|said) (\w{5,})")
_WORD = re.compile(r"\b[a-z]{5,}\b")
_CLAIM_WORDS = frozenset({"claim", "claims", "wherein", "comprising", "comprises", "according"})


def rewrite(text: str, other: str, seed: int) -> str:
    """Return the claim set with up to MOST_KINDS kinds of fault, each up to MOST_TIMES times.

    ``other`` is a claim set of another invention, from which foreign matter is taken. Neither may
    be without numbered claims. The same input gives the same text.
    """
    rng = random.Random(seed)
    parts, foreign = parts_of(text), parts_of(other)
    kinds = rng.sample(FAULTS, rng.randint(0, MOST_KINDS))
    for fault in kinds:
        for _ in range(rng.randint(1, MOST_TIMES)):
            parts = fault(parts, foreign, rng)
    rewritten = numbered(parts)
    for damage in (drop_feature, delete_antecedent, break_dependency):
        if rng.random() < 0.3:
            try:
                rewritten = damage(rewritten, rng.randint(1, MOST_TIMES), rng.randrange(2**32)).text
            except NothingToDamage:
                continue
    return rewritten


def parts_of(text: str) -> Parts:
    """Return the claims that have one number each, as faults take them."""
    return [
        (claim.number, claim.body)
        for claim in parse_claims(text)
        if claim.number is not None and claim.number == claim.last_number
    ]


def numbered(parts: Parts, unknown: Collection[int] = ()) -> str:
    """Number the claims anew, with what they cite; a claim that is gone is cited as the one before.

    Inputs: the claims; numbers that are cited and belong to no claim, which stay as they are.
    Source of the numbers: a part's place in the list.
    """
    place_of = {number: place for place, (number, _) in enumerate(parts, start=1) if number}
    place_of |= {number: number for number in unknown}
    lines = []
    for place, (_, words) in enumerate(parts, start=1):
        pieces, end = [], 0
        for found in find_references(words):
            number = found.number - NEW_NUMBER
            if number <= 0:
                number = place_of.get(found.number, max(1, place - 1))
            pieces += [words[end : found.start], str(number)]
            end = found.end
        # Words that were changed may have taken the word "claim", or the full stop.
        whole = _LEFT_OVER.sub(
            lambda found: str(int(found[0]) - NEW_NUMBER), f"{''.join(pieces)}{words[end:]}"
        )
        lines.append(f"{place}. {whole.rstrip(' .,;:')}.")
    return "\n".join(lines)


def _is_dependent(words: str) -> bool:
    return bool(find_references(words))


def _limitation(words: str) -> str:
    found = _LIMITATION.search(words)
    return (found[0] if found else f"wherein {words}").rstrip(". ")


def _extended(part: Part, words: str) -> Part:
    return part[0], f"{part[1].rstrip('. ')}, {words}."


def _dependent(parts: Parts, limitation: str, parent: int) -> Part:
    found = _PREAMBLE.match(parts[0][1])
    subject = found[1] if found else "subject-matter"
    return 0, f"The {subject} of claim {NEW_NUMBER + parent}, {limitation}."


def with_generic_claim(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    return [*parts, _dependent(parts, rng.choice(GENERIC), rng.randint(1, len(parts)))]


def with_foreign_claim(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    dependent = [words for _, words in foreign if _is_dependent(words)]
    chosen = _limitation(rng.choice(dependent or [foreign[0][1]]))
    return [*parts, _dependent(parts, chosen, 1)]


def with_near_copy(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    place = rng.randrange(len(parts))
    words = parts[place][1].split(" ")
    for _ in range(max(1, len(words) // 15)):
        words[rng.randrange(len(words))] = rng.choice(ADJECTIVES)
    return [*parts[: place + 1], (0, " ".join(words)), *parts[place + 1 :]]


def merged(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    """Join a dependent claim to the claim that it cites first."""
    dependent = [i for i, (_, words) in enumerate(parts) if i and _is_dependent(words)]
    if not dependent:
        return parts
    gone = rng.choice(dependent)
    cited = find_references(parts[gone][1])[0].number
    parent = next((i for i, (number, _) in enumerate(parts[:gone]) if number == cited), 0)
    longer = _extended(parts[parent], _limitation(parts[gone][1]))
    return [*parts[:parent], longer, *parts[parent + 1 : gone], *parts[gone + 1 :]]


def without_claim(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    dependent = [i for i, (_, words) in enumerate(parts) if i and _is_dependent(words)]
    gone = rng.choice(dependent) if dependent else -1
    return [part for i, part in enumerate(parts) if i != gone]


def elaborated(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    place = rng.randrange(len(parts))
    return [*parts[:place], _extended(parts[place], rng.choice(GENERIC)), *parts[place + 1 :]]


def with_adjectives(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    place = rng.randrange(len(parts))

    def qualified(match: re.Match[str]) -> str:
        between = f"{rng.choice(ADJECTIVES)} " if rng.random() < 0.3 else ""
        return f"{match[1]} {between}{match[2]}"

    number, words = parts[place]
    return [*parts[:place], (number, _TERM.sub(qualified, words)), *parts[place + 1 :]]


def segments(words: str) -> list[str]:
    return re.split(r"(?<=[;,])\s+", words)


def broadened(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    number, words = parts[0]
    listed = segments(words)
    if len(listed) > 2:
        del listed[rng.randrange(1, len(listed))]
    return [(number, " ".join(listed).rstrip(";,. ") + "."), *parts[1:]]


def narrowed(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    dependent = [words for _, words in parts if _is_dependent(words)]
    if not dependent:
        return parts
    return [_extended(parts[0], _limitation(rng.choice(dependent))), *parts[1:]]


def with_foreign_feature(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    number, words = parts[0]
    listed = segments(words)
    taken = rng.choice(segments(foreign[0][1])[1:] or ["a further unit,"]).rstrip(".")
    listed.insert(rng.randrange(1, len(listed) + 1), taken)
    return [(number, " ".join(listed)), *parts[1:]]


def reordered(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    if len(parts) < 3:
        return parts
    moved = rng.randrange(1, len(parts))
    rest = [*parts[:moved], *parts[moved + 1 :]]
    place = rng.randint(1, len(rest))
    return [*rest[:place], parts[moved], *rest[place:]]


def with_words_changed(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    """Change every tenth word of half the claims: left out, or another invention's."""
    others = [word for _, words in foreign for word in words.split()]

    def changed(word: str) -> str:
        if rng.random() > 0.1:
            return word
        return rng.choice(others) if rng.random() < 0.5 else ""

    return [
        (number, " ".join(filter(None, map(changed, words.split(" ")))))
        if rng.random() < 0.5
        else (number, words)
        for number, words in parts
    ]


def with_term_renamed(parts: Parts, foreign: Parts, rng: random.Random) -> Parts:
    """Rename one word everywhere, or in some places only."""
    old, new = (_content(side) for side in (parts, foreign))
    if not old or not new:
        return parts
    word, name, share = rng.choice(old), rng.choice(new), rng.choice((0.3, 0.6, 1.0))
    pattern = re.compile(rf"\b{word}\b")
    return [
        (number, pattern.sub(lambda found: name if rng.random() < share else found[0], words))
        for number, words in parts
    ]


def _content(parts: Sequence[Part]) -> list[str]:
    return sorted({word for _, words in parts for word in _WORD.findall(words)} - _CLAIM_WORDS)


FAULTS: Final[tuple[Fault, ...]] = (
    *(with_generic_claim, with_foreign_claim, with_near_copy, merged, without_claim),
    *(elaborated, with_adjectives, broadened, narrowed, with_foreign_feature, reordered),
    *(with_words_changed, with_term_renamed),
)
