"""`manage.py restore PATH`: a backup brought back on a host without data."""

import getpass
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotator.backups.sealing import Key, KeyFile, Passphrase
from annotator.management.house_command import HouseCommand
from annotator.refusals import Refused
from annotator.services.restores import restore_backup


class Command(HouseCommand):
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

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        key: Key = KeyFile(options["identity"]) if options["identity"] else _passphrase()
        return asdict(restore_backup(source=options["path"], key=key, say=self.say))

    def sentence(self, document: dict[str, Any]) -> str:
        return (
            f"Restored {document['rows']:,} rows and {document['files']:,} files as of "
            f"{document['made_at']}.\nErase again what was erased after that moment; everybody "
            "signs in anew."
        )


def _passphrase() -> Key:
    given = os.environ.get("BACKUP_PASSPHRASE")
    if given is None and not sys.stdin.isatty():
        raise Refused(
            "Set BACKUP_PASSPHRASE, or name a key file with --identity, or run this on a terminal."
        )
    return Passphrase(given if given is not None else getpass.getpass("Passphrase: "))
