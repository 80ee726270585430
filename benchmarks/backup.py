"""Times a backup made while twenty annotators submit, and its restore on an empty host.

    benchmarks/backup.py [--ratings 100000] [--quadruplets 10000] [--model-mb 90] [--writers 20]

On SQLite; and on PostgreSQL too where DATABASE_URL is set (scripts/with-services sets it). Claim
sets have 3,200 characters; two annotators rated each of three candidates a reference. A dataset
version and the files of a registered model lie beside them. The commands are those of
docs/admin.md. After the restore every table is counted and digested anew on the new host, and every
file, and compared with what the backup holds. Ends with 1 where anything differs, or
where the restore takes longer than five minutes.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from filled_host import fill_host
from shared.hosts import begin, databases, empty_host, in_child, manage, parse
from shared.measuring import load, seconds

LINE_SECONDS = 300
# What the restore itself adds to the trail, and what seals it.
BY_THE_RESTORE = ("annotator_auditevent", "annotator_auditseal")


def main() -> None:
    """Measure on each database that is at hand; end with 1 where a limit was not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=int, default=100_000)
    parser.add_argument("--quadruplets", type=int, default=10_000)
    parser.add_argument("--model-mb", type=int, default=90)
    parser.add_argument("--writers", type=int, default=20)
    options = parse(parser, STEPS)
    os.environ["BACKUP_PASSPHRASE"] = "a phrase that nobody else knows"
    failed = [name for name in databases() if not measure(name, options)]
    sys.exit(1 if failed else 0)


def measure(database: str, options: argparse.Namespace) -> bool:
    """Fill, back up under load, restore, compare; print what it took, return whether all held."""
    with (
        tempfile.TemporaryDirectory(prefix="backup.") as folder,
        empty_host(database) as here,
        empty_host(database, has_tables=False) as there,
    ):
        sealed, stop = Path(folder) / "all.backup", Path(folder) / "stop"
        in_child(here, "fill", options.ratings, options.quadruplets, options.model_mb)
        load_before = load()
        crowd = begin(here, "crowd", options.writers, stop)
        # Until the crowd is at work.
        crowd.stdout.readline()
        backup_seconds = seconds(lambda: manage(here, "backup", str(sealed)))
        stop.touch()
        wrote = json.loads(crowd.communicate()[0])
        share_the_key(here, there)
        restore_seconds = seconds(lambda: manage(there, "restore", str(sealed)))
        saved = in_child(here, "contents", sealed)
        differing = differences(saved, in_child(there, "host"))
        rows = sum(count for count, _ in saved["tables"].values())
        print(
            f"{database}: {options.ratings:,} ratings, {rows:,} rows, {len(saved['files'])} files; "
            f"sealed {sealed.stat().st_size / 1e6:.0f} MB\n"
            f"  backup {backup_seconds:.1f} s, while {options.writers} annotators submitted "
            f"{wrote['acknowledged']:,} ratings ({wrote['failed']} failed)\n"
            f"  restore {restore_seconds:.1f} s (line: {LINE_SECONDS} s), load before "
            f"{load_before:.1f}\n"
            f"  tables that differ: {', '.join(differing) or 'none'} of {len(saved['tables'])}",
            flush=True,
        )
        has_passed = not differing and not wrote["failed"] and restore_seconds <= LINE_SECONDS
        print(f"  {'PASS' if has_passed else 'FAIL'}", flush=True)
        return has_passed


def differences(saved: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Return the tables and files of which the new host differs from the backup."""
    wrong = [name for name in saved["files"] if found["files"].get(name) != saved["files"][name]]
    for name, (count, digest) in saved["tables"].items():
        rows, of_rows = found["tables"][name]
        if name in BY_THE_RESTORE:
            wrong += [name] if rows != count + 1 else []
        elif (rows, of_rows) != (count, digest):
            wrong.append(name)
    return wrong


def share_the_key(here: dict[str, str], there: dict[str, str]) -> None:
    """Bring the key of local mode along, as the guide asks."""
    key = Path(here["DATA_DIR"]) / "secret_key"
    if key.exists():
        (Path(there["DATA_DIR"]) / "secret_key").write_bytes(key.read_bytes())


def fill(*sizes: str) -> None:
    """Fill this host."""
    fill_host(*map(int, sizes))


def crowd(writers: str, stop: str) -> dict[str, int]:
    """Have annotators submit, each what was assigned to them, until the file `stop` is there."""
    from django.db import connection
    from shared.campaigns import RatedRows, member

    from annotator.models import Campaign
    from annotator.rating.services import submit_rating
    from annotator.rubric import CRITERIA

    rows = RatedRows(Campaign.objects.create(slug="busy", name="Busy", overlap=int(writers)))
    reference = rows.reference(0, "1. A cup.")
    candidates = [
        rows.candidate(reference, n, f"1. A mug {n}.", places=int(writers), has_room=True)
        for n in range(500)
    ]
    counts = {"acknowledged": 0, "failed": 0}
    lock, begun = threading.Lock(), threading.Event()

    def submit(given: list[Any], person: Any) -> None:
        try:
            for row in given:
                if Path(stop).exists():
                    break
                try:
                    scores = dict.fromkeys(CRITERIA, 5)
                    submit_rating(assignment_id=row.pk, annotator=person, scores=scores)
                    name = "acknowledged"
                except Exception as error:  # noqa: BLE001 - counted, whatever it is
                    print(type(error).__name__, file=sys.stderr)
                    name = "failed"
                with lock:
                    counts[name] += 1
                begun.set()
                time.sleep(0.05)
        finally:
            connection.close()

    threads = []
    for number in range(int(writers)):
        person = member(rows.campaign, f"writer-{number}")
        given = [rows.assignment(one, person) for one in candidates]
        threads.append(threading.Thread(target=submit, args=(given, person)))
    rows.store()
    for thread in threads:
        thread.start()
    begun.wait()
    print("at work", flush=True)
    for thread in threads:
        thread.join()
    return counts


def contents(sealed: str) -> dict[str, Any]:
    """Return what a backup holds of tables and files."""
    from annotator.operations.backups.archives import check_archive
    from annotator.operations.backups.sealing import Passphrase, open_sealed

    with Path(sealed).open("rb") as source, tempfile.TemporaryFile() as plain:
        open_sealed(source, plain, Passphrase(os.environ["BACKUP_PASSPHRASE"]))
        manifest = check_archive(plain).manifest
    return {
        "tables": {table.name: (table.rows, table.plain_sha256) for table in manifest.tables},
        "files": {file.name: file.sha256 for file in manifest.files},
    }


def host() -> dict[str, Any]:
    """Return the tables and files of this host, counted and digested anew."""
    from django.conf import settings

    from annotator.operations.backups.tables import (
        applied_migrations,
        models_after,
        plain_digest_of,
    )

    models = models_after(applied_migrations())
    data = Path(settings.DATA_DIR)
    return {
        "tables": {
            model._meta.db_table: (model._base_manager.count(), plain_digest_of(model))
            for model in models
        },
        "files": {
            path.relative_to(data).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for folder in ("datasets", "models")
            for path in (data / folder).rglob("*")
            if path.is_file()
        },
    }


STEPS = {"fill": fill, "crowd": crowd, "contents": contents, "host": host}


if __name__ == "__main__":
    main()
