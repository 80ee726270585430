"""Command line of the library: ``patclaimeval score|train|agree|chart``, without Django."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from patclaimeval import SPLITS, agree, train
from patclaimeval.claims.chart import read_chart
from patclaimeval.metrics.ngram import NGRAM
from patclaimeval.models.config import BATCHINGS, METHODS, OVER_LENGTH, PRECISIONS, PRESETS
from patclaimeval.models.data import Pair, Progress, read_claims, read_pairs
from patclaimeval.models.errors import DataError, PatClaimEvalError
from patclaimeval.models.explanation import Explanation, explain_scores, leading
from patclaimeval.models.named_scorers import NamedScorer, chosen_scorer, model_scorer, numbers
from patclaimeval.models.occlusion import Occlusion, explain_by_occlusion, occlude


def main(arguments: list[str] | None = None) -> int:
    """Run one command.

    Output: 0; 1 where the work cannot be done, 2 where the input is wrong, each after one sentence
    on standard error.
    """
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (PatClaimEvalError, ValueError, OSError) as error:
        # The errors about input, those of the statistics among them, are ValueErrors.
        print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1
    return 0


def _train(options: argparse.Namespace) -> None:
    names = (
        *("method", "preset", "encoder", "epochs", "seed", "device"),
        *("batching", "over_length", "precision"),
    )
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    result = train(
        options.training,
        options.output,
        criterion=options.criterion,
        validation=options.validation,
        state=options.state,
        on_progress=_show,
        **given,
    )
    print(json.dumps(asdict(result), indent=1))


def _score(options: argparse.Namespace) -> None:
    if options.pairs is not None:
        if options.reference or options.candidate or options.model or options.metric:
            raise DataError("Give either MODEL and PAIRS, or -r and -c.")
        _score_rows(options)
        return
    if options.directory or not (options.reference and options.candidate):
        raise DataError("Give -r FILE and -c FILE ..., or MODEL and PAIRS.")
    if options.model is not None and options.metric is not None:
        raise DataError("Give either --model DIR or --metric NAME.")
    reference = read_claims(options.reference)
    pairs = [(reference, read_claims(path)) for path in options.candidate]
    scorer = chosen_scorer(options.model, options.metric, options.criterion)
    scores = numbers(scorer.score(pairs))
    rows = [
        {"candidate": str(path), "score": score}
        for path, score in zip(options.candidate, scores, strict=True)
    ]
    explained = _explained(options, scorer, pairs, scores) if options.explain else None
    if options.json:
        told = {**scorer.facts, "reference": str(options.reference), "scores": rows}
        if explained is not None:
            told["explanation"] = explained.as_json()
        print(json.dumps(told))
        return
    for row in rows:
        print(f"{row['score']:.4f}  {row['candidate']}")
    if explained is not None:
        print("", *explained.lines(), sep="\n")


def _explained(
    options: argparse.Namespace, scorer: NamedScorer, pairs: list[Pair], scores: list[float]
) -> Explanation | Occlusion:
    if options.metric is not None:
        raise DataError("Only models can be explained: leave out --metric or --explain.")
    if scorer.parts is not None:
        return explain_scores(scores, scorer.parts(pairs))
    places = leading(scores)
    texts = occlude(pairs[0][0], [pairs[place][1] for place in places])
    found = dict(zip(texts.pairs, numbers(scorer.score(texts.pairs)), strict=True))
    return explain_by_occlusion(texts, found, [place + 1 for place in places])


def _score_rows(options: argparse.Namespace) -> None:
    if options.explain:
        raise DataError("--explain takes -r FILE and -c FILE ..., not rows of pairs.")
    rows = read_pairs(options.pairs)
    scorer = model_scorer(options.directory)
    scores = numbers(scorer.score([(row["reference"], row["candidate"]) for row in rows]))
    for row, score in zip(rows, scores, strict=True):
        print(json.dumps({**row, "score": score}, ensure_ascii=False))


def _agree(options: argparse.Namespace) -> None:
    report = agree(
        options.quadruplets,
        _given_scores(options.scores) if options.scores else None,
        models=options.model,
        metrics=options.metric,
        criterion=options.criterion,
        split=options.split,
        tie_threshold=options.tie_threshold,
        resamples=options.resamples,
        seed=options.seed,
    )
    if options.json:
        print(json.dumps(report, ensure_ascii=False))
        return
    checks = report["checks"]
    print(f"{checks['items']} items of {checks['references']} references, {options.criterion}")
    for name, row in (report["scorers"] | report["baselines"]).items():
        reason = row["unavailable"]
        told = reason or f"tau-b {_figure(row['tau_b'])}  accuracy {_figure(row['accuracy'])}"
        print(f"{name}: {told}")


def _chart(options: argparse.Namespace) -> None:
    reference, candidate = read_claims(options.reference), read_claims(options.candidate)
    chart = read_chart(reference, candidate, options.language)
    if options.json:
        print(json.dumps(chart.as_json(), ensure_ascii=False))
    else:
        print(*chart.lines(), sep="\n")


def _given_scores(path: Path) -> dict[tuple[str, str], float]:
    scores = {}
    for number, row in enumerate(read_pairs(path), 1):
        score = row.get("score")
        if isinstance(score, bool) or not isinstance(score, int | float):
            raise DataError(f"row {number} of {path.name}: score must be a number")
        scores[row["reference"], row["candidate"]] = float(score)
    return scores


def _figure(figure: dict[str, Any]) -> str:
    if figure["value"] is None:
        return f"undefined ({figure['reason']})"
    if figure["low"] is None:
        return f"{figure['value']:.3f} [no interval: {figure['reason']}]"
    return f"{figure['value']:.3f} [{figure['low']:.3f}, {figure['high']:.3f}]"


def _show(progress: Progress) -> None:
    if progress.note:
        print(progress.note, file=sys.stderr)
    elif progress.step == progress.steps:
        print(f"{progress.stage}: {progress.step} of {progress.steps}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="patclaimeval", description="Score patent claim sets against a reference."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train", help="train a model from rows reference_id, A, B, C, y")
    training.set_defaults(run=_train)
    training.add_argument(
        "training",
        type=Path,
        help="JSON Lines, or the published JSON array; rows of the split test are not read",
    )
    training.add_argument(
        "--output", type=Path, required=True, metavar="DIR", help="directory to make"
    )
    training.add_argument("--validation", type=Path)
    training.add_argument("--criterion", required=True)
    training.add_argument("--method", choices=METHODS)
    training.add_argument("--preset", choices=PRESETS)
    training.add_argument("--batching", choices=BATCHINGS)
    training.add_argument("--over-length", choices=OVER_LENGTH)
    training.add_argument("--state", type=Path, help="directory to save to, and to go on from")
    training.add_argument("--precision", choices=PRECISIONS)
    training.add_argument("--encoder")
    training.add_argument("--epochs", type=int)
    training.add_argument("--seed", type=int)
    training.add_argument("--device")
    scoring = commands.add_parser("score", help="score claim sets, or rows reference, candidate")
    scoring.set_defaults(run=_score)
    scoring.add_argument("directory", type=Path, nargs="?", metavar="MODEL")
    scoring.add_argument(
        "pairs", type=Path, nargs="?", metavar="PAIRS", help="rows reference, candidate(s)"
    )
    scoring.add_argument("-r", "--reference", type=Path, metavar="FILE", help="a claim set")
    scoring.add_argument("-c", "--candidate", type=Path, nargs="+", metavar="FILE")
    scoring.add_argument(
        "--model", type=Path, metavar="DIR", help="for -r and -c; without it: PatClaimEval-0"
    )
    scoring.add_argument("--metric", choices=tuple(NGRAM), help="for -r and -c")
    scoring.add_argument("--criterion", default="overall_quality", help="of PatClaimEval-0")
    scoring.add_argument(
        "--explain", action="store_true", help="for -r and -c: why the best leads the next"
    )
    agreeing = commands.add_parser("agree", help="scores against labels, with 95 %% intervals")
    agreeing.set_defaults(run=_agree)
    agreeing.add_argument("quadruplets", type=Path, help="as for train, of any split")
    agreeing.add_argument("--scores", type=Path, help="rows reference, candidate, score")
    agreeing.add_argument("--model", type=Path, nargs="+", default=[], metavar="DIR")
    agreeing.add_argument("--metric", choices=tuple(NGRAM), nargs="+", default=[])
    agreeing.add_argument("--criterion", default="overall_quality")
    agreeing.add_argument("--split", choices=SPLITS, default="test")
    agreeing.add_argument("--tie-threshold", type=float, default=1e-4)
    agreeing.add_argument("--resamples", type=int, default=1000)
    agreeing.add_argument("--seed", type=int, default=0)
    charting = commands.add_parser("chart", help="where each limitation stands in a candidate")
    charting.set_defaults(run=_chart)
    for name, whose in (("reference", "the reference"), ("candidate", "the candidate")):
        charting.add_argument(
            f"-{name[0]}", f"--{name}", type=Path, required=True, metavar="FILE", help=whose
        )
    charting.add_argument("--language", default="", help="of both texts, such as en")
    for command in (scoring, agreeing, charting):
        command.add_argument("--json", action="store_true", help="one JSON document")
    return parser
