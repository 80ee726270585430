"""`manage.py score_claims`: s(Q given P) of a model, for files of claims or JSON Lines of pairs."""

import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Final

from django.core.management.base import CommandError, CommandParser

from annotator.management.base import WorkbenchCommand, refuse_unwritable
from core.errors import Refused
from patclaimeval.files import open_atomic
from patclaimeval.models.data import Pair, read_claims
from patclaimeval.models.errors import PatClaimEvalError
from patclaimeval.models.explanation import Explanation, Parts, explain_scores, leading
from patclaimeval.models.occlusion import Occlusion, explain_by_occlusion, occlude
from patclaimeval.models.pair_scores import CachedScorer, PairScore
from patclaimeval.models.stream import Tally, score_lines
from patclaimeval.plurals import counted
from patclaimeval.text_io.streams import FormatError
from scoring.management.base import progress_bar, standard_output
from scoring.scores.scorers import ScoringModel, cached_scorer, scoring_model

STANDARD: Final = "-"


class Command(WorkbenchCommand):
    help = (
        "Score candidates against a reference (0 to 1, higher is better), or pairs from JSON "
        "Lines with reference and candidate, or candidates. Nothing is cut; what was scored "
        "before comes from the cache."
    )

    _explanation: Sequence[str] = ()
    """What is printed of it behind the scores."""

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--model",
            required=True,
            metavar="ID",
            help="or a criterion: its promoted model, or else PatClaimEval-0",
        )
        parser.add_argument("--reference", type=Path, metavar="FILE")
        parser.add_argument("--candidate", type=Path, nargs="+", metavar="FILE")
        parser.add_argument(
            "--explain",
            action="store_true",
            help="with --candidate: why the best leads the next; an encoder scores them some "
            "hundred times for it",
        )
        parser.add_argument("--jsonl", metavar="FILE|-", help="pairs, one JSON object a line")
        parser.add_argument("--output", metavar="FILE|-", default=STANDARD, help="with --jsonl")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any] | None:
        is_single = options["reference"] is not None and options["candidate"] is not None
        is_any_single = options["reference"] is not None or options["candidate"] is not None
        if (options["jsonl"] is None) != is_single or (options["jsonl"] and is_any_single):
            raise CommandError("Give --reference and --candidate, or --jsonl.", returncode=2)
        if options["explain"] and not is_single:
            raise CommandError("--explain takes --reference and --candidate.", returncode=2)
        model = scoring_model(options["model"])
        scorer = cached_scorer(model, self.log)
        try:
            if options["jsonl"] is None:
                return self._single(model, scorer, options)
            return self._many(model, scorer, options)
        except PatClaimEvalError as error:
            raise Refused(str(error)) from error
        except FormatError as error:
            raise Refused(f"{options['jsonl']}: {error.sentence}") from error
        except FileNotFoundError as error:
            raise Refused(f"There is no file {error.filename}.") from error
        except IsADirectoryError as error:
            raise Refused(f"{error.filename} is a directory; give a file.") from error

    def _single(
        self, model: ScoringModel, scorer: CachedScorer, options: dict[str, Any]
    ) -> dict[str, Any]:
        candidates = options["candidate"]
        text = read_claims(options["reference"])
        pairs = [(text, read_claims(path)) for path in candidates]
        scored = scorer.score(pairs, with_parts=options["explain"] and model.is_linear)
        scores = _values(scored, candidates)
        document = asdict(model.details) | {
            "validation": model.version.card["validation"] if model.version else None,
            "scores": [
                {"candidate": str(path), "score": score}
                for path, score in zip(candidates, scores, strict=True)
            ],
        }
        if options["explain"]:
            found = _explained(scorer, pairs, scores, [one.parts for one in scored])
            self._explanation = ["", *found.lines()]
            document["explanation"] = found.as_json()
        return document

    def _many(
        self, model: ScoringModel, scorer: CachedScorer, options: dict[str, Any]
    ) -> dict[str, Any] | None:
        target = options["output"]
        if target != STANDARD:
            refuse_unwritable(Path(target))
        if target == STANDARD and options["json"]:
            raise Refused("--json and --output - would both write to stdout; name a file.")
        tally = Tally()
        gone = "Whoever read the scores went away before their end."
        with ExitStack() as stack:
            is_piped, path = options["jsonl"] == STANDARD, Path(options["jsonl"])
            file = sys.stdin.buffer if is_piped else stack.enter_context(path.open("rb"))
            sink = standard_output(gone) if target == STANDARD else open_atomic(Path(target))
            output = stack.enter_context(sink)
            bar = progress_bar(self.log, "Scoring")
            heard = _progress(file, tally, bar)
            for row in score_lines(file, scorer, model.details, tally, heard):
                output.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            bar(1.0)
        if tally.refused:
            scored, refused = (
                "is" if number == 1 else "are" for number in (tally.pairs, tally.refused)
            )
            raise Refused(
                f"{counted(tally.pairs, 'pair')} {scored} scored and {tally.refused} {refused} "
                f"not; their lines of the output say why. The first: {tally.first}"
            )
        if target == STANDARD:
            return None
        return asdict(model.details) | {"pairs": tally.pairs, "output": target}

    def sentence(self, document: dict[str, Any]) -> str:
        if "scores" not in document:
            return super().sentence(document)
        threshold = document["tie_threshold"]
        lines = [f"{row['score']:.4f}  {row['candidate']}" for row in document["scores"]]
        lines.append(
            f"model {document['model']}, {document['criterion']}; scores that differ by "
            f"{threshold:.4f} or less are a tie"
        )
        return "\n".join([*lines, *self._explanation])


def _values(scored: Sequence[PairScore], candidates: Sequence[Path]) -> list[float]:
    refused = [
        f"{path}: {score.reason}"
        for path, score in zip(candidates, scored, strict=True)
        if score.value is None
    ]
    if refused:
        raise Refused(" ".join(refused))
    return [score.value for score in scored if score.value is not None]


def _explained(
    scorer: CachedScorer,
    pairs: Sequence[Pair],
    scores: Sequence[float],
    parts: Sequence[Parts | None],
) -> Explanation | Occlusion:
    if known := [one for one in parts if one is not None]:
        return explain_scores(scores, known)
    places = leading(scores)
    texts = occlude(pairs[0][0], [pairs[place][1] for place in places])
    scored = zip(texts.pairs, scorer.score(texts.pairs), strict=True)
    found = {pair: score.value for pair, score in scored if score.value is not None}
    return explain_by_occlusion(texts, found, [place + 1 for place in places])


def _progress(file: IO[bytes], tally: Tally, bar: Callable[[float], None]) -> Callable[[int], None]:
    """Return what turns scored pairs into the share of the file that is done."""
    size = os.fstat(file.fileno()).st_size if file.seekable() else 0
    done = 0

    def on_step(count: int) -> None:
        nonlocal done
        done += count
        if size and tally.read:
            bar(file.tell() / size * done / tally.read)

    return on_step
