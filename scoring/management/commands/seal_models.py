"""`manage.py seal_models`: takes the registered models for ours again, after looking at them."""

from typing import Any

from annotator.management.base import WorkbenchCommand
from core.errors import Refused
from scoring.models import ModelVersion
from scoring.training.model_versions.files import seal_model


class Command(WorkbenchCommand):
    help = (
        "Seal every model whose files are whole with the SECRET_KEY of today. Needed after the key "
        "was changed, or a backup was restored beside another one; refused models score again."
    )

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        sealed, wrong = 0, []
        models = ModelVersion.objects.select_related("run__dataset_version__dataset__campaign")
        for model in models.order_by("created_at"):
            try:
                sealed += seal_model(model=model)
            except Refused as refusal:
                wrong.append(f"{model.pk}: {refusal.sentence}")
        if wrong:
            raise Refused("\n".join([f"{sealed} sealed; these were not:", *wrong]))
        return {"models": models.count(), "sealed": sealed}
