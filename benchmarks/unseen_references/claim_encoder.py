"""A small encoder that reads claim by claim, pre-trained on claim sets that were rewritten."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any, Final, cast
from zipfile import ZipFile

import torch
from torch import Tensor, nn

from annotator.claims.rewriting import rewrite
from core.claim_text import parse_claims
from scoring.patclaimeval.claims import read_claims
from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Pair, Quadruplet, distinct_pairs
from scoring.patclaimeval.encoder import Encoder, load_encoder
from scoring.patclaimeval.encoder_training import NO_CLIP, own_random_state
from scoring.patclaimeval.features import match_claims
from scoring.patclaimeval.finetune import finetune
from scoring.patclaimeval.network import LinearHead, PairScorer
from scoring.patclaimeval.training_state import StateStore

DOCUMENTS: Final = "patent_client/_async/uspto/public_search/fixtures/doc_output.json"
FEWEST, MOST = 3, 8
"""Claims of a text that is rewritten: its first so many."""
STEPS: Final = 4
MOST_GROWTH: Final = 2
"""What is rewritten again and again may double each time: so many times the first is enough."""


def documents(package: Path) -> list[str]:
    """Return the claims of each document of the package that has enough of them."""
    with ZipFile(package) as archive:
        found = json.loads(archive.read(DOCUMENTS))
    texts = [one["document"]["claims_text"] or "" for one in found]
    return [text for text in texts if len(parse_claims(text)) >= FEWEST]


def rewritings(texts: Sequence[str], each: int, seed: int) -> list[Quadruplet]:
    """Return comparisons of texts that were rewritten again and again: the earlier is better."""
    rng, items = random.Random(seed), []
    for place, text in enumerate(texts):
        claims = [claim for claim in parse_claims(text) if claim.number is not None]
        sizes = range(FEWEST, min(len(claims), MOST) + 1)
        for size in rng.sample(sizes, min(each, len(sizes))):
            first = "\n".join(f"{c.number}. {' '.join(c.body.split())}" for c in claims[:size])
            found = [first]
            while len(found) < STEPS:
                other = texts[(place + rng.randrange(1, len(texts))) % len(texts)]
                again = rewrite(found[-1], other, rng.randrange(2**32))
                if len(again) <= MOST_GROWTH * len(first):
                    found.append(again)
            for better, worse in combinations(found, 2):
                y = rng.choice((1, -1)) * (better != worse)
                b, c = (worse, better) if y < 0 else (better, worse)
                items.append(Quadruplet(f"{place}/{size}", first, b, c, y))
    return items


@lru_cache(maxsize=4096)
def rows(reference: str, candidate: str) -> tuple[list[Pair], list[float]]:
    """Return the claims side by side, "" where there is no counterpart, and the share of each."""
    left, right = read_claims(reference), read_claims(candidate)
    one, two = ([" ".join(claim.words) for claim in side] for side in (left, right))
    matched = match_claims(left, right).pairs
    found = [(one[i], two[j]) for i, j in matched]
    found += [(words, "") for i, words in enumerate(one) if i not in {i for i, _ in matched}]
    found += [("", words) for j, words in enumerate(two) if j not in {j for _, j in matched}]
    lengths = [len(f"{a} {b}".split()) + 2 for a, b in found]
    return found, [length / sum(lengths) for length in lengths]


class ByClaims(nn.Module):
    """An encoder whose vector of a pair is the mean over its rows, longer ones counting more."""

    def __init__(self, layers: int) -> None:
        """Take the embedded encoder; its last ``layers`` can learn."""
        super().__init__()
        self.encoder = load_encoder("default", max_tokens=4096).requires_grad_(False)
        self.encoder.use_precision("auto", "cpu")
        self.encoder.config.attention_probs_dropout_prob = 0.0
        for part in self.encoder.modules():
            if isinstance(part, nn.Dropout):
                part.p = 0.0
        model: Any = self.encoder.model
        for layer in model.encoder.layer[self.encoder.layers - layers :]:
            layer.requires_grad_(True)

    def pooled_pairs(self, pairs: Sequence[Pair], pooling: str, **budget: Any) -> Tensor:
        """Return the vectors of n pairs, shape [n, width]; equal rows are encoded once."""
        parts = [rows(*pair) for pair in pairs]
        known = list(dict.fromkeys(row for found, _ in parts for row in found))
        at = {row: place for place, row in enumerate(known)}
        vectors = self.encoder.pooled_pairs(known, pooling, None)
        return torch.stack([torch.tensor(s) @ vectors[[at[r] for r in f]] for f, s in parts])


def pretrained(
    training: list[Quadruplet], validation: list[Quadruplet], layers: int, epochs: int
) -> PairScorer:
    """Return the encoder with a head, both trained on the comparisons by the project's own loop."""
    settings = TrainingSettings(
        "overall_quality", "finetune", epochs=epochs, batch_size=STEPS * (STEPS - 1) // 2,
        learning_rate=1e-4, batching="by-reference", device="cpu", precision="fp32",
    ).resolved()  # fmt: skip
    with own_random_state(0):
        encoder = ByClaims(layers)
        head = LinearHead(encoder.encoder.width, clip=NO_CLIP)
        network = PairScorer(cast(Encoder, encoder), head, "mean")
        tokens = {
            pair: sum(map(len, pair)) // 16 for pair in distinct_pairs([*training, *validation])
        }
        finetune(
            network, no_features, training, validation, settings, tokens,
            lambda told: print(f"  {told.step} of {told.steps}: {told}", flush=True)
            if told.ends_epoch else None,
            StateStore(None, {}),
        )  # fmt: skip
    return network


def no_features(pairs: Sequence[Pair]) -> Tensor:
    """Return no numbers beside the encoder's, shape [n, 0]."""
    return torch.zeros((len(pairs), 0))


def log_odds(network: PairScorer, pair: Pair) -> float:
    """Return the logit of a pair's score."""
    head = network.head
    with torch.inference_mode():
        vector = network.encoder.pooled_pairs([pair], "mean")[0]
        return float(head.standardise(vector) @ head.weight)
