"""`manage.py export_model`: a fine-tuned model as a directory that plain transformers loads."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotator.management.base import WorkbenchCommand
from scoring.training.model_versions.queries import MODEL_PREFIX, find_model
from scoring.training.model_versions.services import export_model


class Command(WorkbenchCommand):
    help = (
        "Export a fine-tuned model to a directory that plain transformers loads, with its head, "
        "a README that computes its score, and SHA256SUMS."
    )

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--model", required=True, metavar="ID")
        parser.add_argument("--output", required=True, metavar="DIRECTORY")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        model = find_model(options["model"].removeprefix(MODEL_PREFIX))
        directory = Path(options["output"])
        files = export_model(model=model, directory=directory)
        return {"model": str(model.pk), "directory": str(directory), "files": files}
