"""What a reader of a dataset version must mind, in sentences out of its card."""

from collections.abc import Mapping
from typing import Any, Final

from annotator.rubric import NAMES
from scoring.cards.markdown import number

OLD_MAJORITY: Final = (
    "Its labels follow the first rule of the policy majority: the sign of the sum of the "
    "annotators' signs. A candidate that fewer than half of them prefer stands as better where the "
    "others hold both equal. Freeze again for labels by more than half; you get this version again "
    "where no label differs."
)


def follows_old_majority(card: Mapping[str, Any]) -> bool:
    """Say whether labels were made by the rule given up; cards then named no version."""
    return card.get("policy") == "majority" and card.get("policy_version", 1) == 1


def limits(card: Mapping[str, Any]) -> list[str]:
    """Return the cautions that follow from a card's counts; what it does not say is left out."""
    counts = card.get("counts", {})
    return [
        *_of_making(card),
        *_of_texts(counts),
        *_of_labels(card),
        "Ratings and rulings are named by ids that say nothing of a person; annotators, where a "
        "row names one, by a pseudonym that holds within one reference.",
    ]


def _of_making(card: Mapping[str, Any]) -> list[str]:
    said = []
    if card.get("include_unlocked"):
        said.append("It holds ratings that were not locked yet: for trials only.")
    if follows_old_majority(card):
        said.append(OLD_MAJORITY)
    if card.get("split", {}).get("by") == "item":
        said.append(
            "It is split by single items: many test labels follow from training labels, so test "
            "figures are too good."
        )
    return said


def _of_texts(counts: Mapping[str, Any]) -> list[str]:
    said = []
    shared = counts.get("texts_in_several_splits")
    if shared == 0:
        said.append("No claim text stands in more than one split.")
    elif shared:
        said.append(f"{number(shared)} claim texts stand in more than one split: it leaks.")
    if found := counts.get("contain_reference"):
        said.append(
            f"{number(found)} quadruplets have the reference itself as a candidate; report with "
            "and without them."
        )
    if found := counts.get("self_comparisons"):
        said.append(f"{number(found)} quadruplets compare a text with itself.")
    return said


def _of_labels(card: Mapping[str, Any]) -> list[str]:
    said = []
    for key, found in card.get("transitivity", {}).items():
        if violations := found.get("violations"):
            said.append(
                f"{NAMES.get(key, key)}: the labels of {number(violations)} of "
                f"{number(found.get('triples'))} triples of candidates contradict each other."
            )
    if not card.get("agreement"):
        said.append("How far annotators agree is not known.")
    return said
