"""One claim set as the claim chart reads it: its limitations, their words and its tree."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from patclaimeval.claims.coverage import Wanted, WordMasks, bag_of, ordinals_in
from patclaimeval.claims.notes import Note, find_notes, is_cancelled, spans_without_claims
from patclaimeval.claims.pairing import claims_activity, other_category
from patclaimeval.claims.parsing import Claim, parse_claims
from patclaimeval.claims.splitting import split_features
from patclaimeval.claims.tree import ClaimTree, build_tree
from patclaimeval.claims.wording import Wording, neighbours_in, read_wording, rename
from patclaimeval.claims.words import read_unlabelled

REFERENCE: Final = "reference"
CANDIDATE: Final = "candidate"
_LABEL: Final = re.compile(r"[(\[]?(?:[a-z]|\d{1,2}|[ivx]{1,4})[.):\]]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limitation:
    """A limitation of a side: its span in the claim set, and the index of its claim."""

    claim: int
    start: int
    end: int
    text: str
    is_preamble: bool


@dataclass(frozen=True)
class ReadSet:
    """What the chart reads of one claim set, whatever it is compared with.

    `of_claim` has the limitations of each claim, as indices; `above` the claims that a claim
    depends on, directly or not.
    """

    claims: tuple[Claim, ...]
    notes: tuple[Note, ...]
    tree: ClaimTree
    limitations: tuple[Limitation, ...]
    bags: tuple[list[str], ...]
    wordings: tuple[Wording, ...]
    forms: tuple[tuple[str, ...], ...]
    ordinals: tuple[frozenset[str], ...]
    of_claim: tuple[list[int], ...]
    is_independent: tuple[bool, ...]
    is_activity: tuple[bool, ...]
    above: tuple[frozenset[int], ...]


# A reference is read once for its candidates.
@lru_cache(maxsize=8)
def read_set(side: str, text: str) -> ReadSet:
    """Read one claim set; `side` is "reference" or "candidate"."""
    claims, tree = parse_claims(text), build_tree(parse_claims(text))
    notes = find_notes(side, text, claims)
    limitations = tuple(_limitations(claims, spans_without_claims(notes)))
    of_claim: tuple[list[int], ...] = tuple([] for _ in claims)
    for place, one in enumerate(limitations):
        of_claim[one.claim].append(place)
    # "A system that carries out the method of claim 1" is independent in all but form.
    kinds = zip(tree.nodes, other_category(claims), strict=True)
    above: list[frozenset[int]] = []
    for node in tree.nodes:
        above.append(frozenset(node.parents).union(*(above[i] for i in node.parents)))
    return ReadSet(
        claims,
        notes,
        tree,
        limitations,
        tuple(bag_of(one.text) for one in limitations),
        tuple(read_wording(text, one.start, one.end) for one in limitations),
        tuple(_form_of(one.text) for one in limitations),
        tuple(ordinals_in(one.text) for one in limitations),
        of_claim,
        tuple(not node.parents or is_other for node, is_other in kinds),
        tuple(map(claims_activity, claims)),
        tuple(above),
    )


class ClaimSide:
    """One claim set beside another: its limitations, and their words under the reference's names.

    `renamed` has by the stem of a name of the candidate that of the reference's name.
    """

    def __init__(
        self, name: str, text: str, partner: Mapping[int, int], renamed: Mapping[str, str]
    ) -> None:
        self.name = name
        self.text = text
        self.partner = partner
        own = read_set(name, text)
        self.claims, self.limitations, self.of_claim = own.claims, own.limitations, own.of_claim
        self.parents = [node.parents for node in own.tree.nodes]
        self.above, self.is_independent, self.is_activity = (
            own.above,
            own.is_independent,
            own.is_activity,
        )
        self.forms, self.ordinals = own.forms, own.ordinals
        self.bags = [[renamed.get(word, word) for word in bag] for bag in own.bags]
        self.wordings = [rename(one, renamed) for one in own.wordings]

    def keep(self, masks: WordMasks) -> None:
        """Keep the words of the limitations as bits."""
        self.masks = [masks.of(bag) for bag in self.bags]
        self.starts = masks.starts
        self.alike: dict[int, list[int]] = {}
        self._holders: dict[tuple[int, str], list[int]] = {}
        first: dict[tuple[int, int], int] = {}
        for place, one in enumerate(self.limitations):
            if one.is_preamble:
                continue
            found = first.setdefault((one.claim, self.masks[place]), place)
            self.alike.setdefault(found, []).append(place)
            if found == place:
                for word in frozenset(self.bags[place]):
                    self._holders.setdefault((one.claim, word), []).append(place)
        # The first limitation of each claim that has some words; without words it is like no other.
        self.by_form: dict[tuple[int, tuple[str, ...]], int] = {}
        for place, (one, form) in enumerate(zip(self.limitations, self.forms, strict=True)):
            if form:
                self.by_form.setdefault((one.claim, form), place)

    def wanted(self) -> list[Wanted]:
        """Return what is looked for of each limitation."""
        of_claim = [0] * len(self.claims)
        found: list[Wanted] = []
        for place, one in enumerate(self.limitations):
            known = of_claim[one.claim]
            for above in self.above[one.claim]:
                known |= of_claim[above]
            mask = self.masks[place]
            # A limitation that only relates what is known is looked for by all of its words.
            new = mask & ~known or mask
            found.append(Wanted(new, mask & ~new, self.starts))
            of_claim[one.claim] |= mask
        return found

    def holders(self, claim: int, words: Iterable[str]) -> list[int]:
        """Return the limitations of a claim, its preamble aside, that have one of some words.

        Of several with the same words it is the first: `alike` has the others.
        """
        lists = (self._holders.get((claim, word), ()) for word in words)
        return sorted(set[int]().union(*lists))

    def with_preamble(self, claim: int, words: Iterable[str]) -> list[int]:
        """Return what `holders` does, behind the preamble of the claim."""
        return [*self.of_claim[claim][:1], *self.holders(claim, words)]

    def number(self, claim: int) -> int:
        """Return the number of a claim, 0 where it has none."""
        return self.claims[claim].number or 0

    @cached_property
    def neighbours(self) -> list[frozenset[tuple[str, str]]]:
        """The pairs of neighbouring words of each claim."""
        return [
            frozenset(pair for place in places for pair in neighbours_in(self.wordings[place]))
            for places in self.of_claim
        ]

    def names(self, claims: Iterable[int]) -> str:
        """Return "claim 1" or "claims 1, 2" for some claims."""
        numbers = sorted(map(self.number, claims))
        return f"claim{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"

    def root_of(self, claim: int) -> int:
        """Return the nearest independent claim that a claim depends on, or the claim itself."""
        if self.is_independent[claim]:
            return claim
        return max((i for i in self.above[claim] if self.is_independent[i]), default=claim)

    def are_related(self, one: int, other: int) -> bool:
        """Return whether one of two claims depends on the other, directly or not."""
        return one == other or one in self.above[other] or other in self.above[one]


def _limitations(
    claims: Sequence[Claim], remarks: Sequence[tuple[int, int]]
) -> Iterator[Limitation]:
    for index, claim in enumerate(claims):
        if is_cancelled(claim):
            continue
        begin = claim.start + claim.body_offset
        # What a model says behind a claim is none of its limitations.
        close = min((low for low, _ in remarks if begin < low < claim.end), default=claim.end)
        if any(low <= begin < high for low, high in remarks):
            continue
        features = split_features(claim.text[claim.body_offset : close - claim.start])
        start: int | None = None
        for place, one in enumerate(features):
            text = one.text.strip()
            if not text:
                continue
            if start is None:
                start = begin + one.start + len(one.text) - len(one.text.lstrip())
            # "wherein:" and "b." belong to what follows.
            is_empty = _LABEL.fullmatch(text) is not None or not bag_of(text)
            if place + 1 < len(features) and is_empty:
                continue
            end = begin + one.end - len(one.text) + len(one.text.rstrip())
            whole = claim.text[start - claim.start : end - claim.start]
            yield Limitation(index, start, end, whole, place == 0 and len(features) > 1)
            start = None


def _form_of(text: str) -> tuple[str, ...]:
    """Return the words of a limitation by which it equals another, word for word."""
    return tuple(
        key for key in read_unlabelled(text) if key.isalnum() and key not in ("the", "said")
    )
