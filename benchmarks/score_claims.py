"""Measures scoring of a stream of distinct pairs, new ones and then known ones.

    benchmarks/score_claims.py [--pairs 2000]

The model is a random two-layer encoder of width 32 with a linear head, trained for a moment: the
program measures what surrounds a model, not a model. Texts have about 20 words, all distinct. Each
stream runs in a process of its own; growth is its peak memory less what it had when the first
window of 4,096 pairs was scored. Loading the model counts. Set OMP_NUM_THREADS=1 on a busy machine,
where two threads of torch spend more time waiting for each other than working.
"""

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from shared.measuring import machine, print_row

WORDS = (
    *("pump", "valve", "spring", "sensor", "lever", "motor"),
    *("housing", "lid", "shaft", "gear", "plate", "wheel"),
)
CRITERION = "overall_quality"
CANDIDATES = 10


def main() -> None:
    """Print a row for each stream."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=2_000)
    pairs = parser.parse_args().pairs
    with (
        tempfile.TemporaryDirectory() as name,
        # A new process each time, whose peak memory says nothing about an earlier stream.
        ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as processes,
    ):
        folder = Path(name)
        train(folder)
        print(machine())
        print_row("stream", "pairs", "wall s", "CPU s", "pairs/s", "growth MB", "cache MB")
        for what in ("new", "known"):
            took = processes.submit(stream, folder, pairs).result()
            print_row(
                *(what, f"{pairs:,}", f"{took['wall']:.1f}", f"{took['cpu']:.1f}"),
                f"{pairs / took['wall']:,.0f}",
                *(f"{took[key]:.1f}" for key in ("growth", "cache")),
            )


def texts(count: int) -> Iterator[dict[str, Any]]:
    """Yield lines with ten candidates each, no text twice."""
    for line in range(-(-count // CANDIDATES)):
        parts = [WORDS[(line // 12**n) % 12] for n in range(5)]
        reference = f"1. A device with a {', a '.join(parts)} and {line} bolts."
        yield {
            "reference": reference,
            "candidates": [
                f"1. A device with a {', a '.join(parts[: 2 + n % 4])}, {line} bolts and {n} nuts."
                for n in range(min(CANDIDATES, count - line * CANDIDATES))
            ],
        }


def train(folder: Path) -> None:
    """Make a tiny encoder and train a model on it: the directory `model` in the folder."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    from patclaimeval.models.config import TrainingSettings
    from patclaimeval.models.data import Quadruplet
    from patclaimeval.models.training import train_model

    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS]
    names += ["A", "a", "device", "with", "and", "bolts", "nuts", "1", ".", ","]
    backend = Tokenizer(models.WordLevel({w: n for n, w in enumerate(names)}, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    torch.manual_seed(1)
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    BertModel(BertConfig(vocab_size=len(names), intermediate_size=64, **shape)).save_pretrained(
        folder / "encoder"
    )
    PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="[PAD]", unk_token="[UNK]"
    ).save_pretrained(folder / "encoder")
    rows = list(texts(100))
    train_model(
        training=[
            Quadruplet(str(n), row["reference"], *row["candidates"][:2], (-1) ** n)
            for n, row in enumerate(rows)
        ],
        validation=[],
        settings=TrainingSettings(
            CRITERION, method="finetune", encoder=str(folder / "encoder"), epochs=1, device="cpu"
        ),
        directory=folder / "model",
        on_progress=lambda progress: None,
    )


def stream(folder: Path, count: int) -> dict[str, float]:
    """Score a file of so many pairs, and return seconds and megabytes."""
    from patclaimeval.models.pair_scores import CachedScorer, ScoreCache
    from patclaimeval.models.scorer import load_scorer
    from patclaimeval.models.stream import ModelDetails, Tally, score_lines

    path = folder / f"pairs-{count}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in texts(count)))
    store = folder / f"{count}.sqlite3"
    scorer = CachedScorer(lambda: load_scorer(folder / "model"), "a" * 64, ScoreCache(store))
    began, cpu, peak, tally = time.monotonic(), time.process_time(), 0.0, Tally()
    with path.open("rb") as file:
        for number, _ in enumerate(
            score_lines(file, scorer, ModelDetails("m", CRITERION, 0.1), tally)
        ):
            if number == 0:
                peak = peak_megabytes()
    assert (tally.pairs, tally.refused) == (count, 0)
    return {
        "wall": time.monotonic() - began,
        "cpu": time.process_time() - cpu,
        "growth": peak_megabytes() - peak,
        "cache": store.stat().st_size / 2**20,
    }


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
