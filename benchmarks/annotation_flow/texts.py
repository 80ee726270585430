"""Makes claim sets of about 400 words from the demo references, alike in every run."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DEMO = Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "references"
WORDS = 400
CANDIDATES_PER_REFERENCE = 10
# Words that drafts swap without changing what the text is about.
SWAPS = (
    ("comprising", "including"),
    ("configured to", "adapted to"),
    ("arranged", "disposed"),
    ("coupled", "connected"),
    ("first", "primary"),
    ("second", "further"),
)


@dataclass(frozen=True, slots=True)
class Item:
    """One candidate with the number and the text of its reference."""

    number: int
    reference_number: int
    reference: str
    candidate: str


def make_items(count: int) -> Iterator[Item]:
    """Yield `count` candidates in the order of their references; equal counts give equal texts."""
    reference = ""
    for number in range(count):
        reference_number, place = divmod(number, CANDIDATES_PER_REFERENCE)
        if place == 0:
            reference = _reference(reference_number)
        yield Item(number, reference_number, reference, _varied(reference, number))


@cache
def _claims() -> tuple[tuple[str, ...], ...]:
    """Return the claims of every demo reference, without their numbers."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(DEMO.glob("*.txt"))]
    return tuple(
        tuple(claim.strip() for claim in re.split(r"(?m)^\d+\.\s", text) if claim.strip())
        for text in texts
    )


def _reference(number: int) -> str:
    """Return claims of two or more demo references until there are enough words."""
    sets = _claims()
    claims: list[str] = []
    words, step = 0, 0
    while words < WORDS:
        for claim in sets[(number + step) % len(sets)]:
            if words >= WORDS:
                break
            claims.append(claim)
            words += len(claim.split())
        step += 1 + number // len(sets) % 5
    # The mark separates references of the same claims, as their digests are.
    return _numbered([*claims, f"A kit of parts number {number} for the use of claim 1."])


def _varied(reference: str, seed: int) -> str:
    """Return a draft of the reference: one claim left out, some words swapped."""
    chance = random.Random(seed)
    claims = re.split(r"(?m)^\d+\. ", reference)[1:]
    del claims[chance.randrange(1, len(claims))]
    text = _numbered([claim.strip() for claim in claims])
    for old, new in SWAPS:
        if chance.random() < 0.5:
            text = text.replace(old, new)
    return f"{text}\n{len(claims) + 1}. The use of draft {seed} of the foregoing claims."


def _numbered(claims: list[str]) -> str:
    return "\n".join(f"{number}. {claim}" for number, claim in enumerate(claims, 1))
