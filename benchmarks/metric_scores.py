"""Measures n-gram scoring of many quadruplets that share few candidates.

    PYTHONPATH=. .venv/bin/python benchmarks/metric_scores.py [--sample 60] [--metrics NAME ...]

1,228 quadruplets over 221 candidates of 17 references, about 390 words each, made from a word
list: as many and as long as the published ones. Seconds of processor time on one core, imports
not counted. "once" scores every candidate once, as a report does; "per item" scores both
candidates of every quadruplet anew; "plain library" does the same with what the library offers by
itself (sacrebleu's sentence_bleu, rouge-score's scorer, nltk's meteor, their tokenizers). The two
slow ways run on a sample of quadruplets, and their time is multiplied up.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from scoring.metrics.base import Pair
from scoring.metrics.meteor import ALPHA, BETA, GAMMA, NoSynonyms
from scoring.metrics.registry import READY_NAMES, get_metric

REFERENCES, CANDIDATES, QUADRUPLETS, WORDS_EACH = 17, 13, 1228, 390
NOUNS = """pump valve spring sensor lever motor housing shaft bearing gasket rotor blade signal
    memory processor layer surface channel fluid pressure member portion opening plate seal unit"""
OTHERS = "a the of said wherein comprising configured to connected coupled and at least one"
STEMS, LINKS = NOUNS.split(), OTHERS.split()
# Those whose library `plain` knows.
MEASURED = [name for name in READY_NAMES if name.startswith(("bleu", "rouge", "meteor"))]
Item = tuple[Pair, Pair]
Score = Callable[[Sequence[Pair]], Sequence[Any]]


def claim_text(draw: random.Random, words: int) -> str:
    """Return numbered claims of so many words."""
    found: list[str] = []
    number = 1
    while len(found) < words:
        body = [draw.choice(LINKS if place % 2 else STEMS) for place in range(draw.randint(25, 60))]
        suffix = draw.choice(("", "s", "ing", "ed"))
        found += [f"{number}.", "A", *body[:-1], f"{body[-1]}{suffix}."]
        number += 1
    return " ".join(found[:words])


def changed(draw: random.Random, text: str, share: float) -> str:
    """Return the text with a share of its words replaced, dropped or repeated."""
    found: list[str] = []
    for word in text.split():
        if draw.random() >= share:
            found.append(word)
        elif draw.random() < 0.5:
            found.append(draw.choice(STEMS))
        elif draw.random() < 0.5:
            found += [word, word]
    return " ".join(found)


def make_items(seed: int = 1) -> list[Item]:
    """Return quadruplets as two pairs with one reference each."""
    draw = random.Random(seed)
    items: list[Item] = []
    for place in range(REFERENCES):
        reference = claim_text(draw, WORDS_EACH + (place - REFERENCES // 2) * 18)
        texts = [changed(draw, reference, draw.uniform(0.05, 0.6)) for _ in range(CANDIDATES)]
        items += [(Pair(reference, b), Pair(reference, c)) for b, c in combinations(texts, 2)]
    draw.shuffle(items)
    return items[:QUADRUPLETS]


def plain(name: str) -> Score:
    """Return the same measure by what its library offers by itself, one pair at a time."""
    if name.startswith("rouge"):
        from rouge_score.rouge_scorer import RougeScorer

        variant = name.replace("-l", "L").replace("-", "")
        scorer = RougeScorer([variant])
        return lambda pairs: [scorer.score(pair.reference, pair.candidate) for pair in pairs]
    if name.startswith("bleu"):
        from sacrebleu.metrics.bleu import BLEU

        bleu = BLEU(max_ngram_order=int(name[-1]), smooth_method="none", force=True)
        return lambda pairs: [
            bleu.sentence_score(pair.candidate, [pair.reference]) for pair in pairs
        ]
    from nltk.tokenize import NLTKWordTokenizer
    from nltk.translate.meteor_score import single_meteor_score

    tokenize = NLTKWordTokenizer().tokenize
    return lambda pairs: [
        single_meteor_score(
            tokenize(pair.reference),
            tokenize(pair.candidate),
            wordnet=NoSynonyms(),
            alpha=ALPHA,
            beta=BETA,
            gamma=GAMMA,
        )
        for pair in pairs
    ]


def seconds(score: Score, calls: Sequence[Sequence[Pair]]) -> float:
    """Return the processor time of scoring so many lists of pairs, one call each."""
    start = time.process_time()
    for pairs in calls:
        score(pairs)
    return time.process_time() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=60, help="quadruplets for the slow ways")
    parser.add_argument("--metrics", nargs="+", default=MEASURED, choices=MEASURED)
    options = parser.parse_args()
    # sacrebleu would advise each single sentence to use another recipe.
    logging.disable(logging.WARNING)
    items = make_items()
    sample, factor = items[: options.sample], len(items) / options.sample
    distinct = list(dict.fromkeys(pair for item in items for pair in item))
    mean_words = sum(len(pair.candidate.split()) for pair in distinct) / len(distinct)
    print(f"{len(items):,} quadruplets, {len(distinct)} candidates of {mean_words:.0f} words")
    print(
        f"{'metric':8} {'once':>8} {'per item':>9} {'ratio':>6} {'plain library':>14} {'ratio':>6}"
    )
    whole = 0.0
    for name in options.metrics:
        score, library = get_metric(name).score, plain(name)
        score(sample[0]), library(sample[0])
        once = seconds(score, [distinct])
        each = factor * seconds(score, sample)
        other = factor * seconds(library, sample)
        whole += once
        print(
            f"{name:8} {once:8.2f} {each:9.1f} {each / once:6.1f} {other:14.1f} {other / once:6.1f}"
        )
    print(f"{'all':8} {whole:8.2f}")


if __name__ == "__main__":
    main()
