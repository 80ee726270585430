"""The metric as a library: ``score`` claim sets, ``train`` models, measure how far they ``agree``.

It knows neither Django nor the application. Importing it loads neither torch nor numpy: what a
function needs is imported when it is called. Only what trains or runs an encoder imports torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from patclaimeval.models.data import (
    Pair,
    Progress,
    Quadruplet,
    TrainingResult,
    read_quadruplets,
)
from patclaimeval.models.errors import DataError, PatClaimEvalError

__all__ = ["PatClaimEvalError", "Quadruplet", "agree", "score", "train"]

Quadruplets = Path | str | Sequence[Quadruplet]
"""A file as releases hold it or as Patent-CE is published, or quadruplets in memory."""
SPLITS: Final = ("train", "validation", "test", "all")


def score(
    references: str | Sequence[str],
    candidates: Sequence[str],
    *,
    model: Path | str | None = None,
    metric: str | None = None,
    criterion: str = "overall_quality",
) -> list[float]:
    """Score n candidates, each against its reference or all against one.

    Input: one reference text or n of them; n candidate texts; a model directory, or the name of an
    n-gram metric (bleu-1, bleu-4, rouge-1, rouge-2, rouge-l, meteor), or neither: PatClaimEval-0
    scores, for ``criterion``.
    Output: n numbers in the order given, higher is better: s(Q|P) in (0, 1) of a model, in [0, 1]
    of a metric. Compare candidates of one reference only.
    Raises ``PatClaimEvalError``: ``DataError``, also for a pair in a language that is not read,
    ``MissingExtra``, or what ``load_scorer`` raises.
    Source: Jiang, Scherz, Goetz, ACL 2025, section 4; of the metrics, see their modules.
    """
    from patclaimeval.models.named_scorers import chosen_scorer, numbers

    if model is not None and metric is not None:
        raise DataError("Give either a model directory or the name of a metric.")
    if isinstance(references, str):
        references = [references] * len(candidates)
    if isinstance(candidates, str) or len(references) != len(candidates):
        raise DataError("Give a list of candidates, and one reference or as many as candidates.")
    pairs = list(zip(references, candidates, strict=True))
    for number, (reference, candidate) in enumerate(pairs, start=1):
        if not (reference.strip() and candidate.strip()):
            raise DataError(f"Candidate {number}, or its reference, is empty.")
    return numbers(chosen_scorer(model, metric, criterion).score(pairs))


def train(
    quadruplets: Quadruplets,
    output: Path | str,
    *,
    criterion: str,
    validation: Quadruplets | None = None,
    state: Path | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    **settings: Any,
) -> TrainingResult:
    """Train a model of one criterion and write its directory.

    Input: at least 8 quadruplets of two or more references; the directory to make; quadruplets to
    validate on. Of a file the rows of the split "train" are learnt from, those without a split too,
    and rows of "test" are not read. Rows of "validation" validate a fine-tuning unless
    ``validation`` is given; the default method learns from them, and measures itself on each
    reference left out in turn.
    ``state`` keeps what an interrupted fine-tuning goes on from; ``settings`` are those of
    ``TrainingSettings``.
    Output: what was trained, with its figures on the validation items.
    Raises ``PatClaimEvalError``: ``DataError``, ``SettingsError``, ``MissingExtra``,
    ``EncoderUnavailable``, ``TrainingFailed``.
    Source: Jiang, Scherz, Goetz, ACL 2025, section 4 and appendix C; the default is ours.
    """
    from patclaimeval.models.config import TrainingSettings

    chosen = TrainingSettings(criterion, **settings)
    is_file = isinstance(quadruplets, str | Path)
    if validation is not None:
        learnt = _read(quadruplets, criterion, None, "train")
        held_out = _read(validation, criterion, None, *SPLITS)
    elif chosen.reads_validation:
        learnt = _read(quadruplets, criterion, None, "train")
        held_out = _read(quadruplets, criterion, "validation") if is_file else []
    else:
        learnt, held_out = _read(quadruplets, criterion, None, "train", "validation"), []
    from patclaimeval.models.training import train_model

    return train_model(
        training=learnt,
        validation=held_out,
        settings=chosen,
        directory=Path(output),
        on_progress=on_progress,
        state_directory=state,
    )


def agree(
    quadruplets: Quadruplets,
    scores: Mapping[Pair, float] | None = None,
    *,
    models: Sequence[Path | str] = (),
    metrics: Sequence[str] = (),
    criterion: str = "overall_quality",
    split: str = "test",
    tie_threshold: float = 1e-4,
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, Any]:
    """Measure how far scorers agree with people: the application's agreement report.

    Input: quadruplets; scores by (reference, candidate) text, model directories, names of n-gram
    metrics, beside which PatClaimEval-0 always stands; of a file, rows of ``split`` ("all" for any)
    and those without one. ``tie_threshold`` >= 0 in score units: a smaller difference predicts a
    tie. ``resamples`` from 100 on, and ``seed`` >= 0, are the bootstrap's.
    Output: JSON-ready, what ``build_report`` gives. Under ``scorers``, by name, stand ``tau_b`` in
    [-1, 1] (score differences with labels), ``accuracy`` in [0, 1] and more, each as value, low and
    high of the 95 % interval clustered by reference; None, with a reason, where undefined.
    Raises ``PatClaimEvalError`` as ``score`` does, ``AgreementError`` (a ``ValueError``).
    Source: see ``agreement.correlation`` and ``agreement.figures``.
    """
    from patclaimeval.agreement.items import Question, ScorerScores, distinct_texts
    from patclaimeval.agreement.report import build_report
    from patclaimeval.metrics.base import Missing
    from patclaimeval.models.named_scorers import model_scorer, ngram_scorer, prior_scorer
    from patclaimeval.models.validation import as_items

    if split not in SPLITS:
        raise DataError(f"The split must be one of {', '.join(SPLITS)}.")
    question = Question(
        criterion, split=split, tie_threshold=tie_threshold, resamples=resamples, seed=seed
    )
    named = [prior_scorer(criterion), *(ngram_scorer(name) for name in metrics)]
    named += [model_scorer(Path(place)) for place in models]
    splits = SPLITS if split == "all" else (split,)
    items = as_items(_read(quadruplets, criterion, None, *splits))
    pairs = distinct_texts(items)
    scorers = [] if scores is None else [ScorerScores("scores", "as given", scores)]
    for one in named:
        found = dict(zip(pairs, one.score(pairs), strict=True))
        given = {pair: score for pair, score in found.items() if not isinstance(score, Missing)}
        reasons: dict[tuple[str, ...], str] = {
            pair: score.reason for pair, score in found.items() if isinstance(score, Missing)
        }
        scorers.append(ScorerScores(one.name, one.version, given, reasons))
    return build_report(question, items, scorers)


def _read(quadruplets: Quadruplets, criterion: str, *splits: str | None) -> list[Quadruplet]:
    if isinstance(quadruplets, str | Path):
        return read_quadruplets(Path(quadruplets), criterion, splits)
    return list(quadruplets)
