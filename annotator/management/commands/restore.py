"""`manage.py restore PATH`: a backup brought back on a host without data."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotator.management.base import WorkbenchCommand, asked_secret
from annotator.operations.backups.sealing import Key, KeyFile, Passphrase
from annotator.operations.backups.services import restore_backup


class Command(WorkbenchCommand):
    help = (
        "Bring back a backup into an empty database and an empty DATA_DIR; all or nothing. "
        "The passphrase is read from BACKUP_PASSPHRASE or asked for."
    )
    # The tables may not be there yet.
    requires_migrations_checks = False

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", metavar="PATH", type=Path)
        parser.add_argument(
            "--identity", type=Path, metavar="KEYFILE", help="the key file of age-keygen"
        )
        parser.add_argument(
            "--erasures",
            type=Path,
            metavar="FILE",
            help="the record of erasures of the site that made the backup (erasures.jsonl in its "
            "DATA_DIR), where this host has none",
        )
        parser.add_argument(
            "--bring-back-erased",
            action="store_true",
            help="restore although references come back that were erased after the backup was made",
        )

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        key: Key = KeyFile(options["identity"]) if options["identity"] else _passphrase()
        manifest, brought_back = restore_backup(
            source=options["path"],
            key=key,
            erasures=options["erasures"],
            brings_back_erased=options["bring_back_erased"],
            log=self.log,
        )
        return {
            "made_at": manifest.made_at,
            "app_version": manifest.app_version,
            "rows": manifest.rows,
            "files": len(manifest.files),
            "brought_back": [asdict(one) for one in brought_back],
        }

    def sentence(self, document: dict[str, Any]) -> str:
        lines = [
            f"Restored {document['rows']:,} rows and {document['files']:,} files as of "
            f"{document['made_at']}. Everybody signs in anew."
        ]
        if references := document["brought_back"]:
            lines.append(
                "These references were erased after that moment and are back. Erase them again: an "
                "admin of the campaign asks on the page of the reference, a site admin agrees on "
                "Erasures; `doctor` lists them until they are gone."
            )
            lines += [f"  {one['reference']} of campaign {one['campaign']}" for one in references]
        else:
            lines.append("No reference that is on record as erased came back.")
        return "\n".join(lines)


def _passphrase() -> Key:
    absent = "Set BACKUP_PASSPHRASE, or name a key file with --identity, or run this on a terminal."
    return Passphrase(asked_secret("BACKUP_PASSPHRASE", "Passphrase", absent=absent))
