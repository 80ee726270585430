"""A small classifier that reads all an annotator is shown and guesses which system made what."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

# Drawn anew for each answer, whatever it is about.
OF_THE_MOMENT: Final = re.compile(
    r'name="(?:csrfmiddlewaretoken|key)" value="[\w-]+"|"X-CSRFToken": "\w+"|csrftoken=\w+'
    r"|Expires \w{3}, [\w :]+ GMT"
)
PATTERN: Final = re.compile(r"[A-Za-z_][A-Za-z_-]+")
NUMBER: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9]+")
MOST_NUMBERS: Final = 150
FOLDS: Final = 5


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of one candidate at one place, and what the guesser has to find out."""

    text: str
    reference: str
    is_first_system: bool


def facts_of(shown: Shown, place: int) -> dict[str, float]:
    """Return every word and number of a text, its length, and when it was met."""
    text = OF_THE_MOMENT.sub("", shown.text)
    facts = {f"word {word}": 1.0 for word in PATTERN.findall(text)}
    for nth, found in enumerate(NUMBER.findall(text)[:MOST_NUMBERS]):
        value = int(found[:8], 16) if "-" in found else int(found[:15])
        facts[f"number {nth}"] = float(value)
        facts[f"odd {nth}"] = float(value % 2)
    return facts | {"number length": float(len(text)), "number place": float(place)}


def beside_its_siblings(facts: Sequence[dict[str, float]], references: Sequence[str]) -> None:
    """Add to each whether its numbers are above those of the others of its reference."""
    for reference in set(references):
        group = [one for one, of in zip(facts, references, strict=True) if of == reference]
        for key in {key for one in group for key in one if key.startswith("number")}:
            middle = sum(one.get(key, 0.0) for one in group) / len(group)
            for one in group:
                one[f"above {key}"] = float(np.sign(one.get(key, 0.0) - middle))


def share_guessed(shown: Iterable[Shown]) -> float:
    """Return the share of systems that are guessed right, each by one who learnt from the others.

    What is met comes in its order. References are kept whole: the guesser knows the systems of
    some of them, and guesses those of the rest.
    """
    rows = list(shown)
    facts = [facts_of(one, place) for place, one in enumerate(rows)]
    references = [one.reference for one in rows]
    beside_its_siblings(facts, references)
    guesser = make_pipeline(
        DictVectorizer(), MaxAbsScaler(), LogisticRegression(C=1.0, max_iter=2000)
    )
    truth = np.array([one.is_first_system for one in rows])
    folds = GroupKFold(FOLDS)
    guessed = cross_val_predict(guesser, facts, truth, groups=references, cv=folds)
    return float((guessed == truth).mean())
