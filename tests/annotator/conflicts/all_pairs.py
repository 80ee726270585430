"""The rules restated over every pair of candidates, without regard to speed."""

from collections.abc import Sequence
from itertools import combinations, pairwise, permutations

from annotator.conflicts.rules import ConflictRules, Finding, find_flips, find_gaps
from annotator.rating_values import RatedScores
from annotator.rubric import CRITERIA, OVERALL, overall_numerator

NOBODY: frozenset[str] = frozenset()


def rated(annotator: str, candidate: str, *values: int) -> RatedScores:
    scores = dict(zip(CRITERIA, values or (5, 5, 5, 5), strict=True))
    return RatedScores(annotator, candidate, scores | {OVERALL: overall_numerator(scores)})


def find_conflicts(ratings: Sequence[RatedScores], rules: ConflictRules) -> list[Finding]:
    return sorted([*find_gaps(ratings, rules), *find_flips(ratings, rules)])


def restated(ratings: Sequence[RatedScores], rules: ConflictRules) -> set[Finding]:
    """The rules once more over every pair, as they are worded, without regard to speed."""
    table = {(r.annotator, r.candidate): r for r in ratings}
    people = sorted({r.annotator for r in ratings})
    candidates = sorted({r.candidate for r in ratings})
    found = set()
    for candidate in candidates:
        own = [table[p, candidate] for p in people if (p, candidate) in table]
        for criterion in ("", *CRITERIA):
            values = sorted(r.scores[criterion] if criterion else r.overall for r in own)
            limit = rules.criterion_gap if criterion else rules.overall_gap_numerator
            steps = [high - low for low, high in pairwise(values)]
            widest = values[-1] - values[0]
            # No two agree where each is the gap away from the next of them.
            measured = min(steps, default=-1) if rules.has_ladder else widest
            if len(own) > 1 and widest >= limit and measured >= limit:
                kind = "criterion_gap" if criterion else "overall_gap"
                found.add(Finding(kind, candidate, "", criterion, widest))
    for left, right in combinations(candidates, 2):
        both = [p for p in people if (p, left) in table and (p, right) in table]
        apart = [table[p, left].overall - table[p, right].overall for p in both]
        up = max((d for d in apart if d > 0), default=0)
        down = max((-d for d in apart if d < 0), default=0)
        gap = min(up, down)
        share = max(sum(d > 0 for d in apart), sum(d < 0 for d in apart))
        is_decided = rules.has_ladder and len(both) >= 3 and share > len(both) / 2
        if gap and gap >= rules.flip_gap_numerator and not is_decided:
            found.add(Finding("order_flip", left, right, "", gap))
    return found


def touched(flips: set[Finding]) -> set[str]:
    return {candidate for one in flips for candidate in (one.candidate, one.other_candidate)}


def stand_for_all(
    flips: set[Finding], ruled: frozenset[str], asked: frozenset[str]
) -> set[Finding]:
    """Of each candidate its widest flip, as `widest_flips` words it."""
    left = {f for f in flips if not {f.candidate, f.other_candidate} <= ruled}
    chosen = set()
    for one in touched(left):
        partners = {
            other: f
            for f in left
            for me, other in permutations((f.candidate, f.other_candidate))
            if me == one
        }
        free = {c: f for c, f in partners.items() if c not in asked} if one not in asked else {}
        choice = free or partners
        chosen.add(choice[min(choice, key=lambda c: (-choice[c].gap, c))])
    return chosen
