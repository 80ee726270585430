"""Draws marks of the reading with their context, for a person to judge: is what each says true?

    PYTHONPATH=. .venv/bin/python benchmarks/mark_precision.py PATENT_CE_FILE PATENTEVAL_FILE \
        [--seed 1] [--most 150] [--kind no-antecedent ...]

Reads a published Patent-CE JSON, reference and both candidates of each item, and the annotations of
PatentEval's next-claim task, each claim with either answer as a claim set, and the second answer
beside the first. Prints how many different marks of each kind there are, then up to `--most` of
each, drawn with the seed. A mark that stands in the same words in several texts counts once. What
is printed holds the claims of those files, whose licence (CC BY-NC 4.0) does not allow us to
include them.
"""

import argparse
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from annotator.claims.comparing import CANDIDATE, REFERENCE, claim_body
from annotator.claims.limitations import Standing, align_features
from annotator.claims.mark_kinds import FOREIGN, LIKELY_BASIS, NO_ANTECEDENT
from annotator.claims.pairing import align_claims
from annotator.claims.reading import (
    ClaimView,
    Finding,
    Reading,
    SideView,
    read_pair,
)
from core.claim_text import find_markers, parse_claims
from core.limitations import split_features

# Characters shown on either side of a mark.
CONTEXT = 160
LONGEST_STEM = 6
SHORTEST_STEM = 3
MOST_PLACES = 8
STANDINGS = (Standing.NARROWED, Standing.BROADENED)


class Drawn(NamedTuple):
    """One mark: its kind, what it says, and the text around it."""

    kind: str
    words: str
    context: str


def read_pairs(
    patent_ce: Path, patent_eval: Path, others: Sequence[Path], *, between: bool
) -> Iterator[tuple[str, str]]:
    """Yield each pair of reference and candidate once."""
    pairs: dict[tuple[str, str], None] = {}
    candidates: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for row in json.loads(patent_ce.read_text(encoding="utf-8")):
        candidates[row["gold_claim"]].update(dict.fromkeys((row["A"], row["B"])))
    for reference, own in candidates.items():
        pairs.update(
            dict.fromkeys(combinations(own, 2) if between else ((reference, c) for c in own))
        )
    for row in json.loads(patent_eval.read_text(encoding="utf-8")):
        first, second = (_continued(row["input_claim"], row[f"output{n}"]) for n in (1, 2))
        pairs[first, second] = None
    for path in others:
        text = path.read_text(encoding="utf-8")
        pairs[text, text] = None
    yield from pairs


def _continued(claims: str, answer: str) -> str:
    """Return claims and the next one, with its number where the answer has none."""
    if not find_markers(answer):
        last = max((marker.number for marker in find_markers(claims)), default=1)
        answer = f"{last + 1}. {answer.lstrip()}"
    return f"{claims}\n{answer}"


def marks_of(reading: Reading, texts: dict[str, str]) -> Iterator[Drawn]:
    """Yield the marks of both sides, and the limitations that are narrower or broader."""
    for side, view in ((REFERENCE, reading.reference), (CANDIDATE, reading.candidate)):
        yield from _findings(view, texts[side], texts[REFERENCE])
    yield from _unions(reading)
    yield from _standings(texts)


def _findings(view: SideView, text: str, reference: str) -> Iterator[Drawn]:
    for finding in view.findings:
        start = max(0, finding.start - CONTEXT)
        before = text[start : finding.start]
        after = text[finding.start : finding.start + CONTEXT]
        context = f"{before}>>>{after}"
        if finding.kind in (NO_ANTECEDENT, LIKELY_BASIS):
            context += f"\n    the noun before: {_earlier(finding, text)}"
        if finding.kind == FOREIGN:
            context += f"\n    like it in the reference: {_alike(finding.words, reference)}"
        yield Drawn(finding.kind, f"claim {finding.claim}: {finding.words}", context)


def _earlier(finding: Finding, text: str) -> str:
    """Return where the noun of a term without antecedent stands before it, in the same stem."""
    noun = finding.words.split("”")[0].split()[-1].strip("“")[:LONGEST_STEM]
    places = [m.start() for m in re.finditer(re.escape(noun), text[: finding.start], re.IGNORECASE)]
    return " | ".join(text[max(0, at - 50) : at + 20] for at in places[:MOST_PLACES]) or "nowhere"


def _alike(words: str, reference: str) -> str:
    """Return the words of a reference that begin as a word of a term, or a part of one, does."""
    starts = {part[:SHORTEST_STEM].lower() for part in re.split(r"[\s-]+", words) if part}
    found = {
        word.lower()
        for word in re.findall(r"[^\W\d_]+", reference)
        if word[:SHORTEST_STEM].lower() in starts
    }
    return ", ".join(sorted(found)) or "nothing"


def _unions(reading: Reading) -> Iterator[Drawn]:
    """Yield the claims without counterpart that are part of another one, with those beside it."""
    rows = [(left, right) for left, right in reading.rows if (left or right).sharing]
    for left, right in rows:
        alone = right if left is None else left if right is None else None
        if alone:
            beside = [
                f"{side} {claim.number}: {words_of(claim)}"
                for row in rows
                for side, claim in zip((REFERENCE, CANDIDATE), row, strict=True)
                if all(row) and claim.sharing == alone.sharing
            ]
            yield Drawn(alone.sharing, f"{alone.share}: {words_of(alone)}", " | ".join(beside))


def words_of(claim: ClaimView) -> str:
    """Return the text of a claim behind its number."""
    return "".join(one.text for entry in claim.limitations for one in entry.segments).strip()


def _standings(texts: dict[str, str]) -> Iterator[Drawn]:
    """Yield the limitations of the candidate that are narrower or broader."""
    left, right = parse_claims(texts[REFERENCE]), parse_claims(texts[CANDIDATE])
    for row in align_claims(left, right):
        if row.reference is None or row.candidate is None:
            continue
        own, other = claim_body(left[row.reference]), claim_body(right[row.candidate])
        for pair in align_features(split_features(own), split_features(other)):
            if pair.standing in STANDINGS and pair.reference and pair.candidate:
                words = own[pair.reference.start : pair.reference.end]
                given = other[pair.candidate.start : pair.candidate.end]
                yield Drawn(pair.standing, given, f"in the reference: {words}")


def main() -> None:
    """Print the counts and the drawn marks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("patent_ce", type=Path)
    parser.add_argument("patent_eval", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=150)
    parser.add_argument("--kind", nargs="*", default=[])
    parser.add_argument("--text", nargs="*", type=Path, default=[])
    parser.add_argument("--between", action="store_true")
    asked = parser.parse_args()
    found: defaultdict[str, dict[Drawn, None]] = defaultdict(dict)
    for reference, candidate in read_pairs(
        asked.patent_ce, asked.patent_eval, asked.text, between=asked.between
    ):
        reading = read_pair(reference, candidate)
        for mark in marks_of(reading, {REFERENCE: reference, CANDIDATE: candidate}):
            found[mark.kind][mark] = None
    for kind, marks in sorted(found.items()):
        print(f"{kind}: {len(marks)} different marks")
    for kind, marks in sorted(found.items()):
        if asked.kind and kind not in asked.kind:
            continue
        rng = random.Random(asked.seed)
        for place, mark in enumerate(rng.sample([*marks], min(asked.most, len(marks))), start=1):
            print(f"\n{kind} {place}. {mark.words}\n    {' '.join(mark.context.split())}")


if __name__ == "__main__":
    main()
