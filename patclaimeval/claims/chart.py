"""The claim chart of a pair: where each limitation of one claim set stands in the other."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from patclaimeval.claims.antecedents import AntecedentGap
from patclaimeval.claims.ledger import TermChange
from patclaimeval.claims.notes import Note


class Verdict(StrEnum):
    """Where a limitation stands in the other claim set."""

    IN = "in"
    DEMOTED = "demoted"
    PROMOTED = "promoted"
    SPLIT = "split"
    MERGED = "merged"
    PART = "part"
    NOWHERE = "nowhere"


class Scope(StrEnum):
    """How the candidate's wording of a limitation changes what is claimed."""

    SAME = "same"
    BROADER = "broader"
    NARROWER = "narrower"
    DIFFERENT = "different"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class ChartRow:
    """One limitation of a side, with its place in the other claim set.

    `start` and `end` count characters in the claim set of `side`; `where` are numbers of claims of
    the other side, the main place first; `places` are the spans there.
    """

    side: str
    claim: int | None
    limitation: str
    start: int
    end: int
    verdict: Verdict
    where: tuple[int, ...] = ()
    scope: Scope = Scope.SAME
    reason: str = ""
    places: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """Two claim sets compared: limitations both ways, terms, antecedents, citations and notes.

    `antecedents`, `citations` and `notes` have an entry for each side, "reference" and "candidate".
    """

    rows: tuple[ChartRow, ...]
    terms: tuple[TermChange, ...]
    antecedents: Mapping[str, tuple[AntecedentGap, ...]]
    citations: Mapping[str, tuple[Any, ...]]
    notes: tuple[Note, ...]
