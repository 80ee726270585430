"""Command line: ``python -m scoring.patclaimeval train|score`` on JSONL files."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from scoring.patclaimeval.config import (
    BATCHINGS,
    METHODS,
    OVER_LENGTH,
    PRECISIONS,
    PRESETS,
    TrainingSettings,
)
from scoring.patclaimeval.data import Progress, read_pairs, read_quadruplets
from scoring.patclaimeval.errors import PatClaimEvalError


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns 0, or 1 after printing the reason to standard error."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "train":
            _train(options)
        else:
            _score(options)
    except (PatClaimEvalError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _train(options: argparse.Namespace) -> None:
    from scoring.patclaimeval.train import train_model

    names = (
        *("criterion", "method", "preset", "encoder", "epochs", "seed", "device"),
        *("batching", "over_length", "precision"),
    )
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    held_out = options.validation
    result = train_model(
        training=read_quadruplets(options.training, options.criterion),
        validation=read_quadruplets(held_out, options.criterion) if held_out else [],
        settings=TrainingSettings(**given),
        directory=options.model,
        cache_directory=options.cache,
        on_progress=_show,
        state_directory=options.state,
    )
    print(json.dumps(asdict(result), indent=1))


def _score(options: argparse.Namespace) -> None:
    from scoring.patclaimeval.score import load_scorer

    scorer = load_scorer(options.model, options.cache, options.encoder)
    rows = read_pairs(options.pairs)
    scores = scorer.score([(row["reference"], row["candidate"]) for row in rows])
    for row, score in zip(rows, scores, strict=True):
        print(json.dumps({**row, "score": score}, ensure_ascii=False))


def _show(progress: Progress) -> None:
    if progress.note:
        print(progress.note, file=sys.stderr)
    elif progress.step == progress.steps:
        print(f"{progress.stage}: {progress.step} of {progress.steps}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="patclaimeval")
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="train a model from rows reference_id, A, B, C, y")
    train.add_argument("training", type=Path)
    train.add_argument("model", type=Path, help="directory to make")
    train.add_argument("--validation", type=Path)
    train.add_argument("--criterion", required=True)
    train.add_argument("--method", choices=METHODS)
    train.add_argument("--preset", choices=PRESETS)
    train.add_argument("--batching", choices=BATCHINGS)
    train.add_argument("--over-length", choices=OVER_LENGTH)
    train.add_argument("--state", type=Path, help="directory to save to, and to go on from")
    train.add_argument("--precision", choices=PRECISIONS)
    train.add_argument("--encoder")
    train.add_argument("--epochs", type=int)
    train.add_argument("--seed", type=int)
    train.add_argument("--device")
    score = commands.add_parser("score", help="score rows reference, candidate")
    score.add_argument("model", type=Path)
    score.add_argument("pairs", type=Path)
    score.add_argument("--encoder", help="where a probe's encoder lies, if it was moved")
    for command in (train, score):
        command.add_argument("--cache", type=Path, help="directory for feature vectors")
    return parser


if __name__ == "__main__":
    sys.exit(main())
