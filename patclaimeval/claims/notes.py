"""What in the text of a claim set is no claim: chatter, disclaimers, repetitions, cancellations."""

from collections.abc import Sequence
from dataclasses import dataclass

from patclaimeval.claims.parsing import Claim


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that a reader should know before comparing: a sentence, and where it stands."""

    side: str
    claim: int | None
    start: int
    end: int
    sentence: str


def find_notes(side: str, text: str, claims: Sequence[Claim]) -> tuple[Note, ...]:
    """Return what in a claim set is no claim, each kind once, in the order of the text."""
    return ()
