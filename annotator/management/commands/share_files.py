"""`manage.py share_files`: put every file that the rows name into the artefact store."""

from typing import Any

from annotator.management.base import WorkbenchCommand
from annotator.operations.shared import share_files
from core.artefacts.store import is_shared, where
from core.errors import Refused


class Command(WorkbenchCommand):
    help = (
        "Put every file that the rows name into the artefact store, and the encoders and weights "
        "of metrics that are installed here: once, where a site begins to share files, where the "
        "store has lost some, and after one was installed. It may be run again at any time."
    )

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        if not is_shared():
            raise Refused("There is no artefact store; set ARTEFACT_STORE first.")
        return {"files": share_files(self.log), "store": where()}

    def sentence(self, document: dict[str, Any]) -> str:
        return f"The {document['store']} has the {document['files']:,} files that are needed."
