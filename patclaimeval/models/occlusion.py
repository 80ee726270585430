"""Which limitations move a model's score most: each is left out in turn, and the pair scored again.

It is for models whose score is no sum over features. Torch and numpy are not imported here: the
caller brings the scores, so that a web process may show what a worker has found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, Final

from patclaimeval.claims.chart import read_chart
from patclaimeval.claims.languages import LATIN, pair_language
from patclaimeval.claims.pairing import align_claims
from patclaimeval.claims.parsing import Claim, parse_claims
from patclaimeval.claims.placing import Verdict
from patclaimeval.claims.sides import REFERENCE
from patclaimeval.claims.splitting import split_features
from patclaimeval.claims.words import content_words
from patclaimeval.models.data import Pair
from patclaimeval.models.explanation import SHOWN

MOST_PIECES: Final = 40
"""So many pieces of one text are left out in turn, at most."""
Span = tuple[int, int]
Name = int | str | None
"""A candidate's number from 1 or its letter; None is the reference."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A limitation of a claim, counted from 1, or the whole claim where ``limitation`` is None.

    It is text[start:end]. ``claim`` is the number as written; None in a text without numbers.
    """

    claim: int | None
    limitation: int | None
    start: int
    end: int

    @property
    def label(self) -> str:
        claim = "" if self.claim is None else f"claim {self.claim}"
        if self.limitation is None:
            return claim or "the claim"
        of_claim = f" of {claim}" if claim else ""
        return f"limitation {self.limitation}{of_claim}"


@dataclass(frozen=True, slots=True)
class Pieces:
    """What of a text is left out in turn, of ``limitations`` that it has."""

    pieces: tuple[Piece, ...]
    limitations: int

    @property
    def note(self) -> str:
        """What was not tried, after the name of the text; "" where each limitation was."""
        tried = self.pieces
        if not tried:
            return "is one limitation, so nothing of it was left out."
        if len(tried) == self.limitations:
            return ""
        coarse = tried[0].limitation is None
        how = "whole claims were left out" if coarse else f"only the first {len(tried)} were tried"
        if coarse and len(tried) == MOST_PIECES:
            how += f", only the first {MOST_PIECES}"
        return f"has {self.limitations} limitations, more than {MOST_PIECES}: {how}."


def pieces_of(text: str) -> Pieces:
    """Return what of a claim set is left out in turn.

    Input: any text. Output: its limitations, as readers see them cut, in order; of more than
    MOST_PIECES the claims instead, or those of its only claim, MOST_PIECES at most. The number of a
    claim stays with the rest of it, and goes with a claim that is one limitation. Words before the
    first number and ranges of cancelled claims are not left out. () where nothing would remain.
    """
    claims = _numbered(text)
    found = list(chain.from_iterable(map(_limitations, claims)))
    chosen = found
    if len(found) > MOST_PIECES and len(claims) > 1:
        chosen = [Piece(one.number, None, one.start, one.end) for one in claims]
    return Pieces(tuple(chosen[:MOST_PIECES]) if len(chosen) > 1 else (), len(found))


def _numbered(text: str) -> list[Claim]:
    claims = parse_claims(text)
    numbered = [one for one in claims if one.number is not None and one.number == one.last_number]
    return [one for one in numbered or claims if one.body]


def _limitations(claim: Claim) -> list[Piece]:
    begin = _body_start(claim)
    cut = split_features(claim.body)
    if len(cut) == 1:
        return [Piece(claim.number, 1, claim.start, claim.end)]
    return [
        Piece(claim.number, number, begin + one.start, begin + one.end)
        for number, one in enumerate(cut, start=1)
    ]


def _body_start(claim: Claim) -> int:
    """Return where ``claim.body`` begins in the claim set."""
    return claim.end - len(claim.text[claim.body_offset :].lstrip())


def without(text: str, piece: Piece) -> str:
    """Return the text without one of its pieces."""
    return text[: piece.start] + text[piece.end :]


@dataclass(frozen=True)
class Occluded:
    """A reference P and one candidate B, or two, B and C: what is left out, and what is scored.

    The number that is looked at is f = s(B|P), or f = s(B|P) - s(C|P).
    """

    reference: str
    candidates: tuple[str, ...]
    of_reference: Pieces
    of_candidates: tuple[Pieces, ...]

    @property
    def pairs(self) -> list[Pair]:
        """The pairs that ``explain_by_occlusion`` needs scores of, whole ones first.

        With r and b pieces, and c of a second candidate, these are at most 1 + r + b, or
        2 + 2r + b + c. A text that would be read in another language without a piece keeps it.
        """
        whole = [(self.reference, text) for text in self.candidates]
        cut = [
            (without(self.reference, piece), text)
            for piece in self.of_reference.pieces
            for text in self.candidates
        ]
        cut += [
            (self.reference, without(text, piece))
            for text, found in zip(self.candidates, self.of_candidates, strict=True)
            for piece in found.pieces
        ]
        language = _read_as(whole[0])
        return list(dict.fromkeys([*whole, *(pair for pair in cut if _read_as(pair) == language)]))


def _read_as(pair: Pair) -> str | None:
    """Return the language of a pair; a short one in Latin letters is read as English."""
    language = pair_language(*pair)
    return "en" if language == LATIN else language


def occlude(reference: str, candidates: Sequence[str]) -> Occluded:
    """Return what is left out of a reference and of one or two candidates of it."""
    of_candidates = tuple(map(pieces_of, candidates))
    return Occluded(reference, tuple(candidates), pieces_of(reference), of_candidates)


@dataclass(frozen=True, slots=True)
class Counterpart:
    """What a piece is matched with in the text ``of`` another name; ``piece`` None is nothing.

    ``similarity`` is the Dice coefficient of the content words of both, in (0, 1]; 0 of nothing.
    """

    of: Name
    piece: Piece | None
    similarity: float


@dataclass(frozen=True, slots=True)
class Move:
    """A piece of the text ``of`` a name: ``change`` is f with it minus f without it.

    Above 0 it speaks for the candidate that is explained, below 0 against it.
    """

    of: Name
    piece: Piece
    change: float
    counterparts: tuple[Counterpart, ...]


@dataclass(frozen=True)
class Occlusion:
    """How far each limitation moves f, the strongest first; what moves nothing is left out.

    ``candidate`` and ``against`` are numbers from 1, or letters; ``against`` is None where f is
    the score of one candidate. ``whole`` is f of the whole texts, ``tried`` how many pieces were
    left out, ``notes`` what was not tried.
    """

    candidate: int | str
    against: int | str | None
    whole: float
    tried: int
    moves: tuple[Move, ...]
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        beside = "" if self.against is None else f" beside {_name(self.against)}"
        return f"What moved the score of {_name(self.candidate)}{beside}"

    @property
    def strongest(self) -> tuple[Move, ...]:
        return self.moves[:SHOWN]

    @property
    def rest(self) -> tuple[Move, ...]:
        return self.moves[SHOWN:]

    def sentence(self, move: Move) -> str:
        """Return what a move says, with positions and no text."""
        what = "the score" if self.against is None else "the difference"
        way = "falls" if move.change > 0 else "rises"
        where = f"{move.piece.label} of {_name(move.of)}"
        return f"without {where} {what} {way} by {abs(move.change):.3f}"

    def lines(self) -> list[str]:
        """Return what a command prints of it."""
        moves = [
            f"{move.change:+8.3f}  {self.sentence(move)}; "
            f"matched with {'; '.join(map(matched, move.counterparts))}"
            for move in self.moves
        ]
        tried = f"{self.tried} limitations were left out, one at a time"
        return [f"{self.title}: {tried}", *moves, *self.notes]

    def as_json(self) -> dict[str, Any]:
        """Return the numbers and positions, JSON-ready; no text."""
        return {
            "candidate": self.candidate,
            "against": self.against,
            "difference" if self.against is not None else "score": self.whole,
            "tried": self.tried,
            "limitations": [
                {"sentence": self.sentence(move), **_move_json(move)} for move in self.moves
            ],
            "notes": list(self.notes),
        }


def matched(counterpart: Counterpart) -> str:
    """Return in words what a piece is matched with."""
    if counterpart.piece is None:
        return f"nothing in {_name(counterpart.of)}"
    alike = f"{100 * counterpart.similarity:.0f} % of content words alike"
    return f"{counterpart.piece.label} of {_name(counterpart.of)}, {alike}"


def _move_json(move: Move) -> dict[str, Any]:
    return {
        "of": _key(move.of),
        **asdict(move.piece),
        "change": move.change,
        "matched": [
            {
                "of": _key(one.of),
                **(asdict(one.piece) if one.piece else {}),
                "similarity": one.similarity,
            }
            for one in move.counterparts
        ],
    }


def _key(of: Name) -> int | str:
    return "reference" if of is None else of


def _opening(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _name(of: Name) -> str:
    return "the reference" if of is None else f"candidate {of}"


def explain_by_occlusion(
    texts: Occluded, scores: Mapping[Pair, float], names: Sequence[int | str] = (1, 2)
) -> Occlusion:
    """Explain f of a candidate, or of two, by leaving out each limitation in turn.

    Input: what ``occlude`` gave; s(Q|P) in (0, 1) of its ``pairs``, of one model; the numbers or
    letters of the candidates. Output: for each piece x of a text its change f - f without x, in
    (-2, 2). A piece of the reference is left out for both candidates. Pieces are matched one to one
    as claims and limitations stand side by side on the pages. Changes do not sum to f: limitations
    say things together, and a text without one of them is a text that nobody wrote.
    Source: occlusion of Zeiler and Fergus, ECCV 2014, section 4.2; of words, Li, Monroe and
    Jurafsky, arXiv 1612.08220, section 3 (importance as the change in log-likelihood, ours in s).
    """
    named: tuple[int | str, ...] = tuple(names[: len(texts.candidates)])
    reference, candidates = texts.reference, texts.candidates
    whole = _signed(scores, [(reference, text) for text in candidates])
    assert whole is not None, "the whole pairs are scored"
    found: list[tuple[Name, Piece, float | None]] = [
        (None, piece, _signed(scores, [(without(reference, piece), text) for text in candidates]))
        for piece in texts.of_reference.pieces
    ]
    for at, own in enumerate(texts.of_candidates):
        for piece in own.pieces:
            pairs = [(reference, text) for text in candidates]
            pairs[at] = reference, without(candidates[at], piece)
            found.append((named[at], piece, _signed(scores, pairs)))
    counterparts = _counterparts(texts, named)
    moves = [
        Move(of, piece, whole - rest, counterparts[of, piece])
        for of, piece, rest in found
        if rest is not None and rest != whole
    ]
    sides = zip((None, *named), (texts.of_reference, *texts.of_candidates), strict=True)
    return Occlusion(
        candidate=named[0],
        against=named[1] if len(named) > 1 else None,
        whole=whole,
        tried=sum(rest is not None for _, _, rest in found),
        moves=tuple(sorted(moves, key=lambda move: -abs(move.change))),
        notes=tuple(_opening(f"{_name(of)} {own.note}") for of, own in sides if own.note),
    )


def _signed(scores: Mapping[Pair, float], pairs: Sequence[Pair]) -> float | None:
    """Return s of the one pair, or of the first minus the second; None where one has no score."""
    found = [scores.get(pair) for pair in pairs]
    known = [score for score in found if score is not None]
    if len(known) < len(found):
        return None
    return known[0] - known[1] if len(known) > 1 else known[0]


def _counterparts(
    texts: Occluded, names: Sequence[int | str]
) -> dict[tuple[Name, Piece], tuple[Counterpart, ...]]:
    """Match the pieces of the reference with those of each candidate, and those with it."""
    left = texts.of_reference.pieces
    found: dict[tuple[Name, Piece], list[Counterpart]] = {(None, piece): [] for piece in left}
    for name, text, own in zip(names, texts.candidates, texts.of_candidates, strict=True):
        pairs = _match((texts.reference, left), (text, own.pieces))
        to_right = {i: (j, alike) for i, j, alike in pairs}
        to_left = {j: (i, alike) for i, j, alike in pairs}
        for i, piece in enumerate(left):
            j, alike = to_right.get(i, (None, 0.0))
            other = None if j is None else own.pieces[j]
            found[None, piece].append(Counterpart(name, other, alike))
        for j, piece in enumerate(own.pieces):
            i_or_none, alike = to_left.get(j, (None, 0.0))
            other = None if i_or_none is None else left[i_or_none]
            found[name, piece] = [Counterpart(None, other, alike)]
    return {key: tuple(value) for key, value in found.items()}


def _match(
    left: tuple[str, Sequence[Piece]], right: tuple[str, Sequence[Piece]]
) -> list[tuple[int, int, float]]:
    """Return the pieces that correspond, each once: (i, j, Dice coefficient of content words).

    Pieces correspond if they lie in claims that `align_claims` pairs or, where both texts were cut
    into limitations, in a limitation and in where it stands by the claim chart, as on the pages. If
    several pieces lie there, the most similar ones are paired first.
    """
    contents = [
        [frozenset(content_words(text[one.start : one.end])) for one in pieces]
        for text, pieces in (left, right)
    ]
    is_cut = all(piece.limitation is not None for piece in (*left[1], *right[1]))
    found = sorted(
        (-_dice(contents[0][i], contents[1][j]), i, j)
        for here, there in _aligned_spans(left[0], right[0], is_cut=is_cut)
        for i in _pieces_in(left[1], here)
        for j in _pieces_in(right[1], there)
    )
    pairs: dict[int, tuple[int, float]] = {}
    taken: set[int] = set()
    for negative, i, j in found:
        if negative and i not in pairs and j not in taken:
            pairs[i] = j, -negative
            taken.add(j)
    return [(i, j, alike) for i, (j, alike) in sorted(pairs.items())]


def _aligned_spans(reference: str, candidate: str, *, is_cut: bool) -> Iterator[tuple[Span, Span]]:
    """Yield the spans of claims that correspond, or of a limitation and where it stands."""
    if is_cut:
        for row in read_chart(reference, candidate).rows:
            if row.side == REFERENCE and row.verdict is not Verdict.SIMILAR:
                yield from (((row.start, row.end), place) for place in row.places)
        return
    left, right = parse_claims(reference), parse_claims(candidate)
    for pair in align_claims(left, right):
        if pair.reference is not None and pair.candidate is not None:
            one, other = left[pair.reference], right[pair.candidate]
            yield (one.start, one.end), (other.start, other.end)


def _pieces_in(pieces: Sequence[Piece], span: Span) -> list[int]:
    """Return the indices of the pieces that lie in a span, at least in part."""
    return [i for i, one in enumerate(pieces) if one.start < span[1] and span[0] < one.end]


def _dice(left: frozenset[str], right: frozenset[str]) -> float:
    return 2 * len(left & right) / max(1, len(left) + len(right))
