"""Why an encoder scores so: what is scored for it besides, which a worker leaves with a request."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from patclaimeval.models.data import Pair
from patclaimeval.models.explanation import leading
from patclaimeval.models.occlusion import (
    Move,
    Name,
    Occlusion,
    Piece,
    explain_by_occlusion,
    matched,
    occlude,
)

Texts = tuple[str, Sequence[str]]
"""A reference and its candidates."""


@dataclass(frozen=True, slots=True)
class ShownMove:
    """A limitation that moved the score, in words; quotes are "" where texts are not shown."""

    sentence: str
    quote: str
    matched: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ShownOcclusion:
    """An explanation as a page shows it; `texts` by name, none of them without permission."""

    found: Occlusion
    texts: Mapping[Name, str]

    @property
    def strongest(self) -> list[ShownMove]:
        return [*self._shown(self.found.strongest)]

    @property
    def rest(self) -> list[ShownMove]:
        return [*self._shown(self.found.rest)]

    def _shown(self, moves: Sequence[Move]) -> Iterator[ShownMove]:
        for move in moves:
            others = tuple(
                (matched(one), self._quote(one.of, one.piece)) for one in move.counterparts
            )
            sentence, quote = self.found.sentence(move), self._quote(move.of, move.piece)
            yield ShownMove(sentence, quote, others)

    def _quote(self, of: Name, piece: Piece | None) -> str:
        if piece is None or of not in self.texts:
            return ""
        return " ".join(self.texts[of][piece.start : piece.end].split())


def compared(entries: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the places of the best candidate with a score and of the next; [] of none."""
    known = [place for place, entry in enumerate(entries) if "score" in entry]
    if not known:
        return []
    return [known[at] for at in leading([entries[place]["score"] for place in known])]


def occluded_pairs(texts: Texts, places: Sequence[int]) -> list[Pair]:
    """Return the pairs whose scores explain those of the candidates at the places."""
    return occlude(texts[0], [texts[1][place] for place in places]).pairs if places else []


Given = Sequence[float | None]
"""Scores of `occluded_pairs`, in their order; None for a pair that cannot be scored."""


def known_occlusion(
    texts: Texts,
    places: Sequence[int],
    given: Given | None,
    names: Sequence[int | str] = (),
) -> Occlusion | None:
    """Return why the candidates at the places score so; None where not all scores are `given`.

    `names` are those of the candidates, their numbers from 1 without any.
    """
    if not places or given is None:
        return None
    occluded = occlude(texts[0], [texts[1][place] for place in places])
    # Others than the pairs of today were scored by a release that cut texts otherwise.
    if len(given) != len(occluded.pairs):
        return None
    found = {
        pair: score for pair, score in zip(occluded.pairs, given, strict=True) if score is not None
    }
    return explain_by_occlusion(occluded, found, names or [place + 1 for place in places])
