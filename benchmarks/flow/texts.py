"""Make claim sets of about 400 words from the demo references, the same ones in every run."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DEMO = Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "references"
WORDS = 400
# Words that drafts replace without changing the meaning.
SWAPS = {"comprising": "including", "arranged": "disposed", "first": "primary"}


@dataclass(frozen=True, slots=True)
class Item:
    """One candidate with the number and the text of its reference."""

    number: int
    reference_number: int
    reference: str
    candidate: str


def make_items(references: int, candidates: int) -> Iterator[Item]:
    """Yield so many candidates of each reference; every text is distinct."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(DEMO.glob("*.txt"))]
    sets = [[claim.strip() for claim in re.split(r"(?m)^\d+\.\s", text)[1:]] for text in texts]
    for number in range(references):
        claims = _reference_claims(sets, number)
        reference = _numbered(claims)
        for place in range(candidates):
            item = number * candidates + place
            yield Item(item, number, reference, _draft(claims, item))


def _reference_claims(sets: list[list[str]], number: int) -> list[str]:
    """Return claims of two or more demo references, together WORDS words."""
    claims: list[str] = []
    step = number
    while sum(len(claim.split()) for claim in claims) < WORDS:
        claims += sets[step % len(sets)]
        step += 1 + number // len(sets) % 5
    while sum(len(claim.split()) for claim in claims[:-1]) > WORDS:
        claims.pop()
    return [*claims, f"A kit of parts number {number} for the use of claim 1."]


def _draft(claims: list[str], seed: int) -> str:
    """Return a draft of the reference: one claim left out, some words replaced."""
    chance = random.Random(seed)
    left_out = chance.randrange(1, len(claims))
    text = _numbered([*claims[:left_out], *claims[left_out + 1 :], f"The use of draft {seed}."])
    for old, new in SWAPS.items():
        if chance.random() < 0.5:
            text = text.replace(old, new)
    return text


def _numbered(claims: list[str]) -> str:
    return "\n".join(f"{number}. {claim}" for number, claim in enumerate(claims, 1))
