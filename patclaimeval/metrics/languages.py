"""In which languages metrics read, and the pairs that one cannot read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from patclaimeval.claims.languages import language_name, pair_language
from patclaimeval.metrics.base import Metric, Missing, Pair, Score

NOT_TRAINED: Final = "The model was fine-tuned on no claims in "
_TWO: Final = "Reference and candidate are written in different "
TWO_LANGUAGES: Final = f"{_TWO}languages, and their words cannot be compared."


_NOT_READ: Final = " does not read "


def language_of_pair(pair: Pair) -> str | None:
    """Return the language of both texts, a code of `languages`; None where they have two."""
    return pair_language(pair.reference, pair.candidate, pair.language)


def not_read(name: str, language: str) -> str:
    """Return why a metric gives no score of claims in a language."""
    return f"{name}{_NOT_READ}{language_name(language)}."


def is_about_language(reason: str) -> bool:
    """Return whether a score is missing for the language of its texts."""
    return reason.startswith((_TWO, NOT_TRAINED)) or _NOT_READ in reason


def version_in(metric: Metric, languages: Iterable[str]) -> str:
    """Return the version of a metric with how it cuts texts of the languages that it scored.

    It is `metric.version` alone where all of them are cut as that says: English, and what else is.
    """
    cuts = {one: metric.reading(one) for one in sorted(set(languages))}
    return "; ".join(
        [metric.version, *(f"{language}: {cut}" for language, cut in cuts.items() if cut)]
    )


def score_by_language(
    metric: Metric,
    pairs: Sequence[Pair],
    score: Callable[[str, Sequence[Pair]], Sequence[Score]],
) -> list[Score]:
    """Score pairs language by language; Missing where the metric reads neither or the pair has two.

    `score` gets a language that the metric reads and some pairs in it, and gives their scores.
    """
    found: list[Score] = [Missing(TWO_LANGUAGES)] * len(pairs)
    places: dict[str, list[int]] = {}
    for place, pair in enumerate(pairs):
        language = language_of_pair(pair)
        if language is not None:
            places.setdefault(language, []).append(place)
    for language, own in places.items():
        scores: Sequence[Score]
        if metric.reading(language) is None:
            scores = [Missing(not_read(metric.name, language))] * len(own)
        else:
            scores = score(language, [pairs[place] for place in own])
        for place, one in zip(own, scores, strict=True):
            found[place] = one
    return found


def texts_of(pairs: Collection[Pair]) -> set[str]:
    """Return the distinct texts of pairs, drafts among them."""
    return {
        text
        for pair in pairs
        for text in (pair.reference, pair.candidate, pair.draft)
        if text is not None
    }
