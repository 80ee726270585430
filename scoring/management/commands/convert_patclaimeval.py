"""`manage.py convert_patclaimeval`: the authors' published weights as a native model directory."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotator.management.base import WorkbenchCommand
from core.errors import Refused
from patclaimeval.models.errors import PatClaimEvalError
from patclaimeval.rubric import ALL_CRITERIA, OVERALL


class Command(WorkbenchCommand):
    help = (
        "Convert a published PatClaimEval (Longformer with a linear layer, Hugging Face layout, "
        "safetensors) to a model directory that `patclaimeval score --model` reads. Nothing is "
        "fetched, and no code of the directory is run."
    )

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", type=Path, metavar="DIR")
        parser.add_argument("--output", type=Path, required=True, metavar="DIR")
        parser.add_argument("--criterion", choices=ALL_CRITERIA, default=OVERALL)

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        # torch loads here.
        from patclaimeval.models.convert import convert

        try:
            encoder = convert(options["directory"], options["output"], options["criterion"])
        except PatClaimEvalError as error:
            raise Refused(str(error)) from error
        return {
            "directory": str(options["output"]),
            "criterion": options["criterion"],
            "encoder": encoder,
        }
