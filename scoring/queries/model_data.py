"""What a model's card says of the dataset version that the model was trained on."""

from dataclasses import asdict
from typing import Any

from scoring.cards.model_card_markdown import model_card_markdown
from scoring.models import DatasetVersion
from scoring.patclaimeval.results import TrainingResult


def model_data(version: DatasetVersion) -> dict[str, Any]:
    """Return name, digest, licence and split of a version, for the parts of a model's card."""
    return {
        "dataset": str(version),
        "sha256": version.sha256,
        "licence": version.licence or version.card.get("licence", ""),
        "split": version.card.get("split"),
    }


def readme_of(version: DatasetVersion, result: TrainingResult) -> str:
    """Write the README.md of a model that a training on the version has made."""
    return model_card_markdown(asdict(result), model_data(version))
