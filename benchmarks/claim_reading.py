"""Measures how long it takes to read a reference and a candidate: parse, align, compare, mark.

    PYTHONPATH=. .venv/bin/python benchmarks/claim_reading.py [--rounds 15]

The pairs are demo references with one candidate of each, joined and renumbered until both sides
have 20 or 100 claims; sizes are printed. Times are of one warm process, in milliseconds: words
met before are folded once, as in a server, but every round parses and compares anew.

Then fifteen shapes of nasty text, at 1, 2 and 4 times the size, up to what the reading of a pair
allows: seconds of processor time for the whole reading, the growth from one size to the
next, and the most memory that the reading of the largest held. Beyond the budget a text is shown
as it is; the last column says whether it was.
"""

import argparse
import os
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

from annotator.claims import reading
from annotator.claims.antecedents import missing_antecedents
from annotator.claims.edits import Edit, apply_edits
from annotator.claims.limitations import align_features
from annotator.claims.pairing import align_claims
from annotator.claims.reading import read_pair
from annotator.claims.term_changes import foreign_terms, renamed_terms
from annotator.claims.tree import build_tree
from annotator.claims.word_diff import diff_words
from annotator.demo import make_candidates, read_sources
from core.claim_text import find_markers, find_references, parse_claims
from core.limitations import split_features

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
        "limitations of pairs": lambda: [align_features(*map(split_features, p)) for p in rows],
        "antecedents of both": lambda: (
            missing_antecedents(reference),
            missing_antecedents(candidate),
        ),
        "foreign terms": lambda: foreign_terms(reference, candidate),
        "renamed terms": lambda: renamed_terms(candidate),
    }


def parse_anew(*texts: str) -> list[object]:
    """Parse without what earlier rounds left in the cache."""
    forget()
    return [parse_claims(text) for text in texts]


def forget() -> None:
    """Forget the texts that were cut before."""
    parse_claims.cache_clear()
    find_markers.cache_clear()


# Characters of both texts together.
LARGEST = reading.CHARACTERS.most
NOUNS = [
    "valve",
    "pump",
    "housing",
    "controller",
    "sensor",
    "rotor",
    "shaft",
    "lid",
    "spring",
    "plate",
    "nozzle",
    "chamber",
]


def noun(place: int) -> str:
    """Return a noun, another one for the next place."""
    return NOUNS[place * 7919 % len(NOUNS)]


# Phrases that are repeated on one side, and repeated with their letters in reverse on the other.
MIRRORED = (
    "lever (10) ",
    "and/or ",
    "of the ",
    "and ",
    "the lever ",
    ", wherein the lever",
    "said plurality of levers ",
)


def _mirrored(phrase: str) -> Callable[[int, int], str]:
    sides = (phrase, phrase[::-1])
    return lambda _, side: sides[side]


# What is repeated, with its place and the side (0 or 1) that it stands on; what stands before it.
SHAPES: dict[str, tuple[str, Callable[[int, int], str]]] = {
    "one number again and again": ("", lambda _, side: f"\n1. {'AB'[side]}"),
    "one claim of limitations": ("1. A pump: ", lambda n, side: f"a {noun(n)} {n % 997 + side}; "),
    "tiny limitations": ("1. A pump: ", lambda _, side: f"{'ab'[side]}; "),
    "terms never introduced": (
        "1. A pump with ",
        lambda n, side: f"the {noun(n)} {chr(97 + n % 26)}{chr(97 + n // 26 % 26)}q{side} ",
    ),
    "claims that cite all before": (
        "",
        lambda n, side: (
            f"\n{n + 1}. The {noun(n)} of any preceding claim, wherein the {noun(n + side)} holds "
            f"a {noun(n + 5)} of the {noun(n * 3)} and a further {noun(n + 7)} beside it, the "
            f"{noun(n * 5)} being set on the {noun(n + 2)} of the {noun(n + 9)}."
        ),
    ),
    "citations": ("1. A\n2. The x of claims ", lambda n, side: f"{n % 3000 + 1 + side}, "),
    "two names for everything": (
        "1. ",
        lambda n, side: (
            f"a {noun(n)} controller unit ({n % 90 + 10}), the {noun(n + side)} control unit "
            f"({n % 90 + 11}), "
        ),
    ),
    "characters that nobody sees": ("1. A pump ", lambda _, side: "a\u200b"[side:]),
    # Hardly a word of one side stands on the other, so that every word is looked up there.
    **{f"{phrase!r}, reversed": ("1. A ", _mirrored(phrase)) for phrase in MIRRORED},
}


def nasty(name: str, characters: int) -> tuple[str, str]:
    """Return a reference and a candidate of a shape, so many characters together or a few less."""
    head, piece = SHAPES[name]
    return tuple(_repeated(head, piece, side, characters // 2) for side in (0, 1))  # type: ignore[return-value]


def _repeated(head: str, piece: Callable[[int, int], str], side: int, characters: int) -> str:
    pieces = [head]
    size, place = len(head), 0
    while size < characters:
        pieces.append(piece(place, side))
        size += len(pieces[-1])
        place += 1
    return "".join(pieces)[:characters]


def seconds(pair: tuple[str, str], rounds: int) -> float:
    """Return the least processor time of a reading: what else the machine does only adds."""
    times = []
    for _ in range(rounds):
        forget()
        start = time.process_time()
        read_pair(*pair)
        times.append(time.process_time() - start)
    return min(times)


def most_memory(pair: tuple[str, str]) -> float:
    """Return the most memory, in MB, that a reading held beyond its texts."""
    forget()
    tracemalloc.start()
    read_pair(*pair)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def print_growth(rounds: int) -> None:
    """Print what each shape costs at one, two and four times the size."""
    sizes = [LARGEST // 4, LARGEST // 2, LARGEST]
    print("\nnasty texts; s of processor time by characters of both texts, growth, most memory:")
    print("  " + f"{'shape':30}" + "".join(f"{size:>9,}" for size in sizes) + "   x2   x2    MB")
    for name in SHAPES:
        pairs = [nasty(name, size) for size in sizes]
        one, two, four = (seconds(pair, rounds) for pair in pairs)
        print(
            f"  {name:30}{one:9.3f}{two:9.3f}{four:9.3f}{two / one:5.1f}{four / two:5.1f}"
            f"{most_memory(pairs[-1]):6.0f}"
            + ("  shown as it is" if read_pair(*pairs[-1]).is_plain else "")
        )


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
        sizes = f"{len(reference.split())} and {len(candidate.split())} words"
        print(f"\n{count} claims a side, {sizes}; ms over {rounds} rounds:")
        print(f"  {'step':22}{'median':>8}{'least':>8}{'most':>8}")
        total = 0.0
        for name, step in steps(reference, candidate).items():
            times = milliseconds(step, rounds)
            total += statistics.median(times)
            print(f"  {name:22}{statistics.median(times):8.2f}{min(times):8.2f}{max(times):8.2f}")
        print(f"  {'sum of medians':22}{total:8.2f}")
    print_growth(min(rounds, 3))


if __name__ == "__main__":
    main()
