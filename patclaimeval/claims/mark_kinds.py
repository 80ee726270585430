"""The kinds of mark that a reading has, and which of them are right often enough to be shown."""

from dataclasses import dataclass
from typing import Final

from patclaimeval.claims.invisible import KIND as INVISIBLE

FOREIGN: Final = "foreign"
NO_ANTECEDENT: Final = "no-antecedent"
LIKELY_BASIS: Final = "likely-basis"
RENAMED: Final = "renamed"
SIGN: Final = "sign"
BROKEN: Final = "broken"
PREAMBLE: Final = "preamble"
MISREAD: Final = "misread"


@dataclass(frozen=True, slots=True)
class MarkKind:
    """A kind of mark: its class on a page, its label in the legend, and whether it is certain.

    Certain: of at least ten marks on published claims that a person judged, nine in ten were right
    (figures: `benchmarks/RESULTS.md`), or the mark states what is written and interprets nothing.
    The others are shown on request.
    """

    name: str
    label: str
    is_certain: bool


KINDS: Final = (
    MarkKind(FOREIGN, "new term", is_certain=True),
    MarkKind(NO_ANTECEDENT, "no antecedent", is_certain=True),
    MarkKind(BROKEN, "broken", is_certain=True),
    MarkKind(PREAMBLE, "other preamble than its claim", is_certain=True),
    MarkKind(SIGN, "two names", is_certain=True),
    MarkKind(INVISIBLE, "invisible", is_certain=True),
    MarkKind(LIKELY_BASIS, "antecedent in other words", is_certain=False),
    MarkKind(RENAMED, "renamed", is_certain=False),
    MarkKind(MISREAD, "number perhaps misread", is_certain=False),
)
CERTAIN: Final = frozenset(kind.name for kind in KINDS if kind.is_certain)
"""The kinds that are shown whenever marks are."""
LESS_CERTAIN: Final = "less-certain"
"""The switch for all others."""
