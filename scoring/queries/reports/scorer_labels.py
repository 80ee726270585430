"""What the scorers of a report are called on screen."""

from typing import Final

LABELS: Final = {
    "bleu-1": "BLEU-1",
    "bleu-4": "BLEU-4",
    "rouge-1": "ROUGE-1",
    "rouge-2": "ROUGE-2",
    "rouge-l": "ROUGE-L",
    "meteor": "METEOR",
    "sari": "SARI",
    "bertscore": "BERTScore",
    "bartscore": "BARTScore",
    "moverscore": "MoverScore",
    "simcse": "SimCSE",
    "unieval": "UniEval",
    "alignscore": "AlignScore",
    "g-eval": "G-Eval",
    "llmscore": "LLMScore",
    "majority": "Most frequent label",
    "random": "Random numbers",
    "identity": "Is it the reference?",
    "length": "Number of words",
    "claim-count": "Number of claims",
}


def scorer_label(name: str) -> str:
    """Return how a scorer is called on screen; a model by the first digits of its id."""
    prefix, _, model = name.partition(":")
    if prefix == "model" and model:
        return f"PatClaimEval {model[:8]}"
    return LABELS.get(name, name)
