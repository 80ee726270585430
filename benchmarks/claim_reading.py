"""Measures how long it takes to read a reference and a candidate: parse, align, compare, mark.

    PYTHONPATH=. .venv/bin/python benchmarks/claim_reading.py [--rounds 15]

The pairs are demo references with one candidate of each, joined and renumbered until both sides
have 20 or 100 claims; sizes are printed. Times are of one warm process, in milliseconds: words
met before are folded once, as in a server, but every round parses and compares anew.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from annotator.claims.alignment import align_claims
from annotator.claims.antecedents import missing_antecedents
from annotator.claims.dependencies import find_references
from annotator.claims.edits import Edit, apply_edits
from annotator.claims.foreign_terms import foreign_terms
from annotator.claims.limitations import align_limitations
from annotator.claims.parsing import parse_claims
from annotator.claims.renamed_terms import renamed_terms
from annotator.claims.tree import build_tree
from annotator.claims.word_diff import diff_words
from annotator.demo.candidates import make_candidates
from annotator.demo.sources import read_sources

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "demo"
SIZES = (20, 100)
SEED = 1


def joined(texts: Iterator[str], count: int) -> str:
    """Return the first `count` claims of the texts as one claim set, numbers moved on."""
    claims: list[str] = []
    for text in texts:
        before = len(claims)
        for claim in parse_claims(text):
            body = claim.text[claim.body_offset :]
            edits = [
                Edit(item.start, item.end, str(item.number + before))
                for item in find_references(body)
            ]
            claims.append(f"{len(claims) + 1}.{apply_edits(body, edits)}")
        if len(claims) >= count:
            break
    return "".join(claims[:count])


def claim_pair(count: int) -> tuple[str, str]:
    """Return a reference and a candidate of `count` claims each."""
    references = read_sources(FIXTURES).references
    rounds = range(count)
    reference = joined((item.text + "\n\n" for _ in rounds for item in references), count)
    candidate = joined(
        (
            # Lightly and heavily damaged ones in turn.
            make_candidates(item, SEED)[(turn + place + 3) % 5].text + "\n\n"
            for turn in rounds
            for place, item in enumerate(references)
        ),
        count,
    )
    return reference, candidate


def steps(reference: str, candidate: str) -> dict[str, Callable[[], object]]:
    """Return what is measured, by name; each step starts from what the earlier ones found."""
    left, right = parse_claims(reference), parse_claims(candidate)
    rows = [
        (left[row.reference].text, right[row.candidate].text)
        for row in align_claims(left, right)
        if row.reference is not None and row.candidate is not None
    ]
    return {
        "parse both": lambda: parse_anew(reference, candidate),
        "trees of both": lambda: (build_tree(left), build_tree(right)),
        "align claims": lambda: align_claims(left, right),
        "diff aligned pairs": lambda: [diff_words(*pair) for pair in rows],
        "limitations of pairs": lambda: [align_limitations(*pair) for pair in rows],
        "antecedents of both": lambda: (
            missing_antecedents(reference),
            missing_antecedents(candidate),
        ),
        "foreign terms": lambda: foreign_terms(reference, candidate),
        "renamed terms": lambda: renamed_terms(candidate),
    }


def parse_anew(*texts: str) -> list[object]:
    """Parse without what earlier rounds left in the cache."""
    parse_claims.cache_clear()
    return [parse_claims(text) for text in texts]


def milliseconds(step: Callable[[], object], rounds: int) -> list[float]:
    """Return the time of each round."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        step()
        times.append(1_000 * (time.perf_counter() - start))
    return times


def main() -> None:
    """Print one table for each size, with the load of the machine, which moves the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for count in SIZES:
        reference, candidate = claim_pair(count)
        words = f"{len(reference.split())} and {len(candidate.split())} words"
        print(f"\n{count} claims a side, {words}; ms over {rounds} rounds:")
        print(f"  {'step':22}{'median':>8}{'least':>8}{'most':>8}")
        total = 0.0
        for name, step in steps(reference, candidate).items():
            times = milliseconds(step, rounds)
            total += statistics.median(times)
            print(f"  {name:22}{statistics.median(times):8.2f}{min(times):8.2f}{max(times):8.2f}")
        print(f"  {'sum of medians':22}{total:8.2f}")


if __name__ == "__main__":
    main()
