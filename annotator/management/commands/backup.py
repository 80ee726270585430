"""`manage.py backup PATH`: everything that is stored, in one encrypted file."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotator.management.base import WorkbenchCommand, asked_secret
from annotator.operations.backups.sealing import Seal, seal_by_passphrase, seal_to
from annotator.operations.backups.services import make_backup


class Command(WorkbenchCommand):
    help = (
        "Write database and files as of one moment to PATH, always encrypted: with a passphrase "
        "(BACKUP_PASSPHRASE, or asked for) or to age public keys. May run while people work."
    )

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", metavar="PATH", type=Path)
        parser.add_argument(
            "--recipient",
            action="append",
            default=[],
            metavar="age1...",
            help="a public key of age-keygen; its key file opens the backup; may be repeated",
        )

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        seal = seal_to(options["recipient"]) if options["recipient"] else _passphrase_seal()
        row, manifest = make_backup(target=options["path"], seal=seal, log=self.log)
        return {
            "path": str(options["path"]),
            "made_at": manifest.made_at,
            "bytes": row.file_bytes,
            "sha256": row.file_sha256,
            "delete_by": row.delete_by.isoformat(),
            "tables": {table.name: table.rows for table in manifest.tables},
            "files": len(manifest.files),
        }

    def sentence(self, document: dict[str, Any]) -> str:
        rows = sum(document["tables"].values())
        return (
            f"Wrote {document['path']}: {rows:,} rows and {document['files']:,} files as of "
            f"{document['made_at']}, {document['bytes']:,} bytes.\nKeep SECRET_KEY apart: it is "
            f"not in it. Delete the file by {document['delete_by']}."
        )


def _passphrase_seal() -> Seal:
    return seal_by_passphrase(
        asked_secret(
            "BACKUP_PASSPHRASE",
            "Passphrase",
            absent="A backup is always encrypted: set BACKUP_PASSPHRASE, or name a public key "
            "with --recipient, or run this on a terminal to be asked.",
            differ="The two passphrases differ; no backup was written.",
        )
    )
