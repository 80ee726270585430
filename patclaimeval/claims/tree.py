"""The tree of independent and dependent claims, and what is wrong with its numbers."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from patclaimeval.claims.parsing import Citation, Claim, citations


def find_circles(out: list[list[int]]) -> list[int]:
    """Number the groups of nodes that depend on each other.

    Input: for each node the nodes that it links to, as indices. Output: one group number per
    node; two nodes have the same number if and only if each reaches the other: the strongly
    connected components (S. R. Kosaraju, 1978, after Aho, Hopcroft and Ullman, 1983), with stacks
    instead of recursion. Time is linear in nodes and links.
    """
    back: list[list[int]] = [[] for _ in out]
    for place, targets in enumerate(out):
        for target in targets:
            back[target].append(place)
    group = [-1] * len(out)
    for root in reversed(_finishing_order(out)):
        if group[root] >= 0:
            continue
        group[root] = root
        stack = [root]
        while stack:
            for target in back[stack.pop()]:
                if group[target] < 0:
                    group[target] = root
                    stack.append(target)
    return group


def _finishing_order(out: list[list[int]]) -> list[int]:
    """Return the claims in the order in which a depth-first walk leaves them."""
    order: list[int] = []
    visited = [False] * len(out)
    for root in range(len(out)):
        if visited[root]:
            continue
        visited[root] = True
        stack = [(root, iter(out[root]))]
        while stack:
            place, targets = stack[-1]
            target = next((item for item in targets if not visited[item]), None)
            if target is None:
                order.append(place)
                stack.pop()
            else:
                visited[target] = True
                stack.append((target, iter(out[target])))
    return order


class FaultKind(StrEnum):
    """What can be wrong with a number."""

    UNKNOWN = "unknown"
    SELF = "self"
    FORWARD = "forward"
    CIRCULAR = "circular"
    REPEATED_NUMBER = "repeated_number"
    MISSING_NUMBER = "missing_number"
    FALLING_NUMBER = "falling_number"


_OF_NUMBERS = frozenset(
    (FaultKind.REPEATED_NUMBER, FaultKind.MISSING_NUMBER, FaultKind.FALLING_NUMBER)
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: the claim it stands in, the number at fault, and its span in the source text.

    `claim` is an index into the claims, `number` the number that this claim has. `cites` is
    the number cited; for a missing number the first one missing, for a repeated or falling one
    None. The span is that of the citation, or of the claim's own mark.
    """

    kind: FaultKind
    claim: int
    number: int
    cites: int | None
    start: int
    end: int

    @property
    def sentence(self) -> str:
        """The fault in plain English, for the person who reads the claims."""
        if self.kind is FaultKind.MISSING_NUMBER and self.cites == self.number - 1:
            return f"Number {self.cites} is missing before claim {self.number}."
        if self.kind is FaultKind.UNKNOWN and self.cites is None:
            return f"Claim {self.number} cites the claims before it, but there are none."
        return _SENTENCES[self.kind].format(
            own=self.number, cited=self.cites, before=self.number - 1
        )


_SENTENCES = {
    FaultKind.UNKNOWN: "Claim {own} cites claim {cited}, which does not exist.",
    FaultKind.SELF: "Claim {own} cites itself.",
    FaultKind.FORWARD: "Claim {own} cites claim {cited}, which stands after it.",
    FaultKind.CIRCULAR: "Claim {own} cites claim {cited}, which itself depends on claim {own}.",
    FaultKind.REPEATED_NUMBER: "Number {own} is used for more than one claim.",
    FaultKind.MISSING_NUMBER: "Numbers {cited} to {before} are missing before claim {own}.",
    FaultKind.FALLING_NUMBER: "Claim {own} stands after a claim with a higher number.",
}


@dataclass(frozen=True, slots=True)
class Node:
    """One claim in the tree: the claims it cites, by index, and its depth."""

    parents: tuple[int, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class ClaimTree:
    """The tree of a claim set: nodes[i] belongs to claims[i]."""

    nodes: tuple[Node, ...]
    faults: tuple[Fault, ...]


def build_tree(claims: tuple[Claim, ...]) -> ClaimTree:
    """Link each claim with the claims it cites, and list what is wrong with the numbers.

    Input: the claims of one set in order, as `parse_claims` gives them. Output: one node per
    claim. `parents` are the cited claims that stand before it (a repeated number means the
    nearest one before), so the links never form a circle; `depth` is 0 without parents, else one
    more than the deepest parent's. Citations of the claim itself, of later claims and of no claim
    are faults and give no link; a citation of a later claim that depends on this one is circular.
    Faults stand in the order of the text.
    """
    links = _Links(claims)
    faults: list[Fault] = []
    nodes: list[Node] = []
    forward: list[tuple[int, int, Citation]] = []
    for place, (claim, cited) in enumerate(zip(claims, _citations(claims), strict=True)):
        faults.extend(links.number_faults(place, claim))
        own: dict[int, None] = {}
        for citation in cited:
            faults.extend(links.judge(place, citation, own, forward))
        links.add(place, claim)
        nodes.append(Node(tuple(own), max((nodes[parent].depth + 1 for parent in own), default=0)))
    linked = [list(node.parents) for node in nodes]
    for place, target, _ in forward:
        linked[place].append(target)
    circles = find_circles(linked)
    for place, target, citation in forward:
        kind = FaultKind.CIRCULAR if circles[place] == circles[target] else FaultKind.FORWARD
        faults.append(_fault(kind, place, claims[place], claims[target].number, citation))
    faults.sort(key=lambda fault: (fault.start, fault.end))
    return ClaimTree(tuple(nodes), tuple(faults))


# "1. ... is not: 2. The method of claim 1": what looks like the opening of a claim inside of one.
_UNREAD = re.compile(r"[:;,.\s]\s\(?\d{1,3}[.)]\s+[A-Z]")
_CLOSED = (".", "!", "?", "\u3002", ")")


def misread_faults(faults: Iterable[Fault], claims: tuple[Claim, ...]) -> frozenset[Fault]:
    """Return the faults that may be ones of reading: a number of the text taken for a claim's.

    Inputs: the faults of `build_tree`, and its claims. So is one of a claim's number that stands
    behind what is no end of a sentence, and one of a citation that stands, in its claim, behind
    what looks like the number of another claim.
    """
    unread: dict[int, int] = {}
    found: set[Fault] = set()
    for fault in faults:
        place, claim = fault.claim, claims[fault.claim]
        if fault.kind in _OF_NUMBERS:
            before = claims[place - 1].text.rstrip()[-1:] if place else ""
            is_misread = bool(before) and before not in _CLOSED
        else:
            if place not in unread:
                opening = _UNREAD.search(claim.text, claim.body_offset)
                unread[place] = claim.start + opening.end() if opening else claim.end
            is_misread = unread[place] <= fault.start
        if is_misread:
            found.add(fault)
    return frozenset(found)


def _citations(claims: tuple[Claim, ...]) -> Iterator[list[Citation]]:
    """Yield what each claim cites, with spans in the source text."""
    earlier: list[int] = []
    for claim in claims:
        if claim.number is None:
            yield []
            continue
        offset = claim.start + claim.body_offset
        yield [
            Citation(item.numbers, offset + item.start, offset + item.end)
            for item in citations(claim.text[claim.body_offset :], earlier)
        ]
        earlier.append(claim.number)


class _Links:
    """What is known about the numbers of a claim set while its claims are walked in order."""

    def __init__(self, claims: tuple[Claim, ...]) -> None:
        self.claims = claims
        self.highest = 0
        most = max((_numbers(claim).stop for claim in claims), default=0)
        # By number, the place of the claim that has it. Lists, because a cancelled range is
        # one assignment there, and a text may cancel "1-9999" in every line.
        self._seen: list[int | None] = [None] * most
        self._later: list[int | None] = [None] * most
        for place in range(len(claims) - 1, -1, -1):
            _put(self._later, _numbers(claims[place]), place)

    def add(self, place: int, claim: Claim) -> None:
        """Take a claim's numbers as seen, for all claims after it."""
        numbers = _numbers(claim)
        _put(self._seen, numbers, place)
        self.highest = max(self.highest, numbers.stop - 1)

    def number_faults(self, place: int, claim: Claim) -> Iterator[Fault]:
        """Yield what is wrong with a claim's own number."""
        number = claim.number
        if number is None:
            return
        head = claim.text[: claim.body_offset]
        indent = len(head) - len(head.lstrip())
        mark = Citation((), claim.start + indent, claim.start + claim.body_offset)
        if self._seen[number] is not None:
            yield _fault(FaultKind.REPEATED_NUMBER, place, claim, None, mark)
        elif number < self.highest:
            yield _fault(FaultKind.FALLING_NUMBER, place, claim, None, mark)
        gap = range(self.highest + 1, number)
        missing = next((item for item in gap if self._later[item] is None), None)
        if missing is not None:
            yield _fault(FaultKind.MISSING_NUMBER, place, claim, missing, mark)

    def judge(
        self,
        place: int,
        citation: Citation,
        own: dict[int, None],
        forward: list[tuple[int, int, Citation]],
    ) -> Iterator[Fault]:
        """Add the cited claims to `own` or `forward`; yield one fault of a kind per citation."""
        claim = self.claims[place]
        kinds: set[FaultKind] = set()
        for number in citation.numbers:
            target = None
            if number < len(self._seen):
                # The nearest claim before that carries the number, else the first one at all.
                seen = self._seen[number]
                target = self._later[number] if seen is None else seen
            if target is not None and target < place:
                own[target] = None
                continue
            kind = FaultKind.UNKNOWN
            if target is not None:
                kind = FaultKind.SELF if target == place else FaultKind.FORWARD
            if kind in kinds:
                continue
            kinds.add(kind)
            if kind is FaultKind.FORWARD and target is not None:
                forward.append((place, target, citation))
            else:
                yield _fault(kind, place, claim, number, citation)
        if not citation.numbers and not own:
            yield _fault(FaultKind.UNKNOWN, place, claim, None, citation)


def _put(places: list[int | None], numbers: range, place: int) -> None:
    places[numbers.start : numbers.stop] = [place] * len(numbers)


def _numbers(claim: Claim) -> range:
    """Return the numbers that a claim stands for: one, none, or a cancelled range."""
    if claim.number is None:
        return range(0)
    return range(claim.number, (claim.last_number or claim.number) + 1)


def _fault(kind: FaultKind, place: int, claim: Claim, cites: int | None, span: Citation) -> Fault:
    return Fault(kind, place, claim.number or 0, cites, span.start, span.end)
