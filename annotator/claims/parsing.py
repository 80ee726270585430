"""Owns the cut of a claim set's text into numbered claims, losing no byte of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from annotator.claims.dependencies import dependencies
from annotator.claims.markers import Marker, find_markers


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim as it stands in the text: text == source[start:end], marker and spaces included."""

    number: int | None
    text: str
    start: int
    end: int
    depends_on: tuple[int, ...]
    body_offset: int = 0
    """Where the words begin inside `text`."""
    last_number: int | None = None
    """The end of a cancelled range ("1-10. (canceled)"), or the number itself."""

    @property
    def body(self) -> str:
        """The words of the claim, without its number and without outer white space."""
        return self.text[self.body_offset :].strip()

    @property
    def is_independent(self) -> bool:
        """Whether the claim cites no other claim."""
        return not self.depends_on


# Every analysis of a pair begins here: the pair at hand is cut once.
@lru_cache(maxsize=8)
def parse_claims(text: str) -> tuple[Claim, ...]:
    """Cut a claim set into its claims.

    Input: any text. Output: claims in order of appearance whose `text` fields joined give the
    input, byte for byte; () for the empty text. Numbers are read from "1.", "1)", "(1)", "1\u3001"
    and "Claim 1" at the start of a line, and from "1." and "1)" inside a line. Words before the
    first number ("What is claimed is:") and text without numbers become one Claim with number
    None. Repeated, missing and falling numbers are kept as written; a cancelled range is one
    Claim with the range in `number` and `last_number`.
    """
    if not text:
        return ()
    markers = find_markers(text)
    starts = [marker.start for marker in markers] + [len(text)]
    claims: list[Claim] = []
    if not markers or text[: starts[0]].strip():
        claims.append(Claim(None, text[: starts[0]], 0, starts[0], ()))
    elif starts[0] > 0:
        starts[0] = 0
    earlier: list[int] = []
    for marker, start, end in zip(markers, starts, starts[1:], strict=False):
        claims.append(_make_claim(text, marker, start, end, earlier))
        earlier.append(marker.number)
    return tuple(claims)


def _make_claim(source: str, marker: Marker, start: int, end: int, earlier: Sequence[int]) -> Claim:
    offset = marker.end - start
    text = source[start:end]
    cited = dependencies(text[offset:], earlier)
    return Claim(marker.number, text, start, end, cited, offset, marker.last)
