"""What a user of a model must mind, in sentences out of its card and of its data."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from scoring.cards.model_card import overlaps, seen

Card = Mapping[str, Any]
FEWEST_REFERENCES: Final = 10
FEW_TO_LEARN_FROM: Final = 40
CONFIDENTIAL: Final = (
    "A model is as confidential as the claim sets it was trained on. Their licence covers it too."
)


def model_limits(card: Card, data: Card) -> list[str]:
    """Return the cautions of a model.

    Input: what a training left (`TrainingResult` as a mapping) and what is known of its dataset:
    `split`. What an older card does not say is left out.
    """
    return [*_of_texts(card), *_of_data(card, data), *_of_figures(card), *_of_ties(card)]


def _of_texts(card: Card) -> Iterator[str]:
    encoder, settings = card.get("encoder") or {}, card.get("settings") or {}
    if settings.get("encoder") == "default":
        yield (
            "The embedded encoder has read English. Of claim sets in another language only what "
            "the texts share literally counts."
        )
    elif encoder:
        yield (
            "It has learnt the language of its encoder and of its training texts; in others it was "
            "not measured."
        )
    limit, own = encoder.get("limit"), encoder.get("own_positions")
    if limit:
        yield f"A pair of more than {limit:,} tokens is refused; nothing is ever cut."
    if limit and own and own < limit:
        yield (
            f"The encoder's own positions end at {own:,} tokens; beyond, they are repeated, which "
            "it was not trained on."
        )


def _of_data(card: Card, data: Card) -> Iterator[str]:
    trained = (card.get("seen_in_training") or {}).get("train")
    if trained and trained["references"]["of"] < FEW_TO_LEARN_FROM:
        yield (
            f"It has learnt from {trained['references']['of']} references only: expect less of it "
            "on other technical fields."
        )
    leaking = [line.split for line in seen(card) if line.leaks]
    if leaking:
        yield (
            f"Training saw references of {' and '.join(leaking)} (split by "
            f"{(data.get('split') or {}).get('by', 'item')}): figures there tell nothing of "
            "references that are new."
        )


def _of_figures(card: Card) -> Iterator[str]:
    found = card.get("validation") or {}
    if not found.get("n"):
        yield "It was not measured: the dataset version has no validation items."
        return
    if found.get("tau_b") is None:
        yield "Its tau-b is undefined: its validation items are too few, or all alike."
    references = found.get("references")
    if references is not None and references < FEWEST_REFERENCES:
        yield (
            f"Its figures come from {found['n']} items of {references} "
            f"reference{'s' if references != 1 else ''}: intervals over so few mean little, narrow "
            "ones as much as wide ones."
        )
    beaten_by = [line.name for line in overlaps(card) if (line.lead.value or 0) < 0]
    if beaten_by:
        yield f"On its validation items it agrees with people less than {', '.join(beaten_by)}."


def _of_ties(card: Card) -> Iterator[str]:
    rates = (card.get("validation") or {}).get("tie_rates") or {}
    people, scorer = rates.get("people"), rates.get("scorer")
    if people is not None and scorer is not None:
        yield (
            f"It calls {100 * scorer:.0f} % of its validation items a tie, people call "
            f"{100 * people:.0f} %. A score means nothing by itself: compare two candidates of one "
            "reference, and call them equal up to the tie threshold."
        )
    yield CONFIDENTIAL
