"""The ledger of terms: which term of the reference the candidate calls by another name."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from patclaimeval.claims.parsing import Claim


class Naming(StrEnum):
    """Whether a term was replaced everywhere, or only in some places."""

    RENAMED = "renamed"
    DRIFTS = "drifts"


@dataclass(frozen=True, slots=True)
class TermChange:
    """A term of the reference in the place of which the candidate has another one.

    `replaced` of `of` places of the reference's term in claims with a counterpart have the
    candidate's term instead; `spans` are the places of the candidate's term in the candidate.
    """

    reference: str
    candidate: str
    replaced: int
    of: int
    verdict: Naming
    spans: tuple[tuple[int, int], ...] = ()


def find_term_changes(
    reference: Sequence[Claim], candidate: Sequence[Claim], pairs: Sequence[tuple[int, int]]
) -> tuple[TermChange, ...]:
    """Return the terms that the candidate calls by another name, in the reference's order."""
    return ()
