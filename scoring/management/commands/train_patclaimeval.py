"""`manage.py train_patclaimeval`: the training service of the web, run in this process."""

from typing import Any

from django.core.management.base import CommandParser

from annotator.management.base import WorkbenchCommand
from annotator.management.plain_text import document_lines
from core.errors import Refused
from core.jobs.rows import JobStatus
from patclaimeval.models.config import BATCHINGS, METHODS, OVER_LENGTH, PRECISIONS, PRESETS
from patclaimeval.plurals import counted
from patclaimeval.rubric import ALL_CRITERIA
from scoring.management.base import version_or_refuse
from scoring.models import TrainingRun
from scoring.training.runs.services import ALL, request_trainings
from scoring.training.runs.work import carry_out_training

OPTIONS = (
    ("encoder", str, None),
    ("epochs", int, None),
    ("batch_size", int, None),
    ("learning_rate", float, None),
    ("margin", float, None),
    ("tolerance", float, None),
    ("seed", int, None),
    ("device", str, None),
    ("preset", str, PRESETS),
    ("method", str, METHODS),
    ("batching", str, BATCHINGS),
    ("over_length", str, OVER_LENGTH),
    ("precision", str, PRECISIONS),
)


class Command(WorkbenchCommand):
    help = "Train PatClaimEval for one criterion, or all five, on a dataset version."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dataset", metavar="NAME[@VERSION]")
        parser.add_argument("--criterion", choices=[*ALL_CRITERIA, ALL], required=True)
        for name, kind, choices in OPTIONS:
            parser.add_argument(f"--{name.replace('_', '-')}", type=kind, choices=choices)

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        given = {name: options[name] for name, _, _ in OPTIONS if options[name] is not None}
        is_all = options["criterion"] == ALL
        runs = request_trainings(
            version=version_or_refuse(options["dataset"]),
            criteria=ALL_CRITERIA if is_all else [options["criterion"]],
            options=given,
        )
        for run in runs:
            self.log(f"run {run.pk} on {run.dataset_version}, {run.criterion}")
            carry_out_training(run.pk, self.log)
        documents = {run.criterion: _document(TrainingRun.objects.get(pk=run.pk)) for run in runs}
        return {"models": documents} if is_all else documents[options["criterion"]]

    def sentence(self, document: dict[str, Any]) -> str:
        """Say what was trained and how well it agrees; all other figures are in --json."""
        found = document.get("models")
        if found is None:
            return "\n".join(document_lines(_short(document)))
        named = {criterion: _short(one) for criterion, one in found.items()}
        return "\n".join(document_lines(named))


def _short(document: dict[str, Any]) -> dict[str, Any]:
    unseen, validation = document["chosen"].get("unseen"), document["validation"]
    return {
        "model": document["model"],
        "run": document["run"],
        "trained on": counted(document["n_training"], "item"),
        # Each reference scored by a model that did not learn from it.
        **({"references left out in turn": _agreement(unseen)} if unseen else {}),
        **({"validation": _agreement(validation)} if validation.get("n") else {}),
        "warnings": document["warnings"],
    }


def _agreement(measured: dict[str, Any]) -> str:
    if not measured.get("n"):
        return "no items"
    items = f"{counted(measured['n'], 'item')} of {counted(measured['references'], 'reference')}"
    if measured["tau_b"] is None:
        return f"tau-b is undefined on {items}"
    figure = measured["figures"]["tau_b"]
    if figure["low"] is None:
        return f"tau-b {measured['tau_b']:.3f} on {items}. {figure['reason']}"
    interval = f"[{figure['low']:.3f}, {figure['high']:.3f}]"
    return f"tau-b {measured['tau_b']:.3f} {interval} on {items}"


def _document(run: TrainingRun) -> dict[str, Any]:
    if run.status != JobStatus.SUCCEEDED:
        raise Refused(f"Training {run.status}: {run.message}")
    model = run.model
    assert model is not None
    return {
        "model": str(model.pk),
        "run": str(run.pk),
        "left_out": model.card["chosen"].get("unseen"),
        "validation": model.card["validation"],
        "n_training": model.card["n_training"],
        "n_validation": model.card["n_validation"],
        "chosen": model.card["chosen"],
        "warnings": model.card["warnings"],
    }
