"""Measures scoring: a stream of distinct pairs, new and known, and the answers of POST score/.

    benchmarks/score_claims.py [--pairs 20000] [--times 50]

The model is a random two-layer encoder of width 32 with a linear head, trained for a moment: what
is measured is the way around a model, not a model. Texts have some 20 words and are all distinct.
Each stream runs in a process of its own; growth is its peak memory less what it had when the first
window of 4,096 pairs was scored. Answers are whole requests through every middleware on SQLite,
without the HTTP server; "a worker's" is the job itself, which loads the model each time.
"""

import argparse
import json
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shared.hosts import in_child, parse
from shared.measuring import machine, print_row, seconds, spread

WORDS = (
    *("pump", "valve", "spring", "sensor", "lever", "motor"),
    *("housing", "lid", "shaft", "gear", "plate", "wheel"),
)
CRITERION = "overall_quality"
CANDIDATES = 10


def main() -> None:
    """Print a line for each stream and each kind of answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=50)
    options = parse(parser, {"stream": stream}, needs_django=False)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train(folder)
        print(machine())
        print_row("stream", "pairs", "wall s", "CPU s", "pairs/s", "growth MB", "cache MB")
        for count in (options.pairs // 10, options.pairs):
            for what in ("new", "known"):
                took = in_child(os.environ, "stream", folder, count)
                print_row(
                    what,
                    f"{count:,}",
                    *(f"{took[key]:.1f}" for key in ("wall", "cpu")),
                    f"{count / took['wall']:,.0f}",
                    *(f"{took[key]:.1f}" for key in ("growth", "cache")),
                )
        answers(folder, options.times)


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

    from scoring.patclaimeval.config import TrainingSettings
    from scoring.patclaimeval.data import Quadruplet
    from scoring.patclaimeval.training import train_model

    names = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        *WORDS,
        *["A", "a", "device", "with", "and", "bolts", "nuts", "1", ".", ","],
    ]
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


def stream(place: str, pairs: str) -> dict[str, float]:
    """Score a file of so many pairs, and return seconds and megabytes."""
    from scoring.patclaimeval.pair_scores import CachedScorer, ScoreCache
    from scoring.patclaimeval.scorer import load_scorer
    from scoring.patclaimeval.stream import ModelDetails, Tally, score_lines

    folder, count = Path(place), int(pairs)
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


def answers(folder: Path, times: int) -> None:
    """Print how long POST score/ takes for one candidate, known and not, and a worker's part."""
    os.environ |= {"DATA_DIR": str(folder / "data"), "DJANGO_SETTINGS_MODULE": "config.settings"}
    import django

    django.setup()
    from django.core.management import call_command
    from django.test import Client

    call_command("migrate", verbosity=0)
    from scoring.models import ScoreRequest
    from scoring.scores.services import carry_out_scores

    client = Client(headers={"Host": "127.0.0.1"})
    client.force_login(researcher(folder))
    numbers = iter(range(10**6))

    def ask(candidate: str) -> int:
        ScoreRequest.objects.all().delete()
        sent = {"reference": "1. A device with a pump.", "candidates": [candidate]}
        status: int = client.post(
            "/api/v1/score/", sent, content_type="application/json"
        ).status_code
        return status

    def new() -> None:
        assert ask(f"1. A device with {next(numbers)} bolts.") == 202

    def work() -> None:
        new()
        carry_out_scores(ScoreRequest.objects.get().pk)

    work()
    assert ScoreRequest.objects.get().status == "succeeded"
    print_row("answer", "ms p50 / p95 / max")
    print_row("job queued (202)", spread([seconds(new) for _ in range(times)]))
    few = max(5, times // 5)
    print_row("job queued and a worker's", spread([seconds(work) for _ in range(few)]))
    candidate = ScoreRequest.objects.get().candidate_texts[0]

    def known() -> None:
        assert ask(candidate) == 200

    print_row("known (200)", spread([seconds(known) for _ in range(times)]))


def researcher(folder: Path) -> Any:
    """Return a researcher in whose scope the model is promoted."""
    from hashlib import sha256

    from annotator.models import Campaign, Membership, User
    from scoring import files as scoring_files
    from scoring.models import Dataset, DatasetVersion, ModelVersion, Promotion, TrainingRun
    from scoring.training.model_versions.files import seal_of

    (folder / "model").rename(scoring_files.models_directory() / "model")
    manifest = (scoring_files.models_directory() / "model" / "MANIFEST.json").read_bytes()
    user = User.objects.create(username="rita")
    campaign = Campaign.objects.create(slug="cups", name="Cups")
    Membership.objects.create(user=user, campaign=campaign, role="researcher")
    version = DatasetVersion.objects.create(
        dataset=Dataset.objects.create(name="cups", campaign=campaign),
        number=1,
        sha256="0" * 64,
        items=0,
        card={"split": {"by": "reference"}, "counts": {}},
    )
    run = TrainingRun.objects.create(dataset_version=version, criterion=CRITERION, settings={})
    model = ModelVersion(
        run=run,
        criterion=CRITERION,
        directory="model",
        manifest_sha256=sha256(manifest).hexdigest(),
        dataset_sha256=version.sha256,
        code_version="1",
        card={"validation": {"n": 0, "tau_b": None}, "tie_threshold": 0.1},
    )
    model.seal = seal_of(model)
    model.save()
    Promotion.objects.create(
        act="agreed", model=model, criterion=CRITERION, campaign=campaign, actor=user, reason="-"
    )
    return user


if __name__ == "__main__":
    main()
