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
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]
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
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        import django

        django.setup()
        step, *how = options.child
        print(json.dumps(STEPS[step](*how)))
        return
    databases = ["SQLite", *(["PostgreSQL"] if os.environ.get("DATABASE_URL") else [])]
    failed = [name for name in databases if not measure(name, options)]
    sys.exit(1 if failed else 0)


def measure(database: str, options: argparse.Namespace) -> bool:
    """Fill, back up under load, restore, compare; print what it took, return whether all held."""
    with tempfile.TemporaryDirectory(prefix="backup.") as folder:
        here, there = (environment(database, Path(folder) / name) for name in ("here", "there"))
        sealed, stop = Path(folder) / "all.backup", Path(folder) / "stop"
        run(here, "manage.py", "migrate", "--verbosity", "0")
        child(here, "fill", options.ratings, options.quadruplets, options.model_mb)
        load = os.getloadavg()[0]
        crowd = begin(here, "crowd", options.writers, stop)
        # Until the crowd is at work.
        crowd.stdout.readline()
        begun = time.monotonic()
        run(here, "manage.py", "backup", str(sealed))
        backup_seconds = time.monotonic() - begun
        stop.touch()
        wrote = json.loads(crowd.communicate()[0])
        share_the_key(here, there)
        begun = time.monotonic()
        run(there, "manage.py", "restore", str(sealed))
        restore_seconds = time.monotonic() - begun
        saved = child(here, "contents", sealed)
        differing = differences(saved, child(there, "host"))
        rows = sum(count for count, _ in saved["tables"].values())
        print(
            f"{database}: {options.ratings:,} ratings, {rows:,} rows, {len(saved['files'])} files; "
            f"sealed {sealed.stat().st_size / 1e6:.0f} MB\n"
            f"  backup {backup_seconds:.1f} s, while {options.writers} annotators submitted "
            f"{wrote['acknowledged']:,} ratings ({wrote['failed']} failed)\n"
            f"  restore {restore_seconds:.1f} s (line: {LINE_SECONDS} s), load before {load:.1f}\n"
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


def environment(database: str, data: Path) -> dict[str, str]:
    """Return the environment of an empty host."""
    env = os.environ | {"DATA_DIR": str(data), "PYTHONPATH": str(ROOT)}
    env |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    env |= {"BACKUP_PASSPHRASE": "a phrase that nobody else knows"}
    if database == "PostgreSQL":
        env["DATABASE_URL"] = fresh_database(os.environ["DATABASE_URL"])
    else:
        env.pop("DATABASE_URL", None)
    return env


def fresh_database(url: str) -> str:
    """Make an empty database on the server and return its address."""
    import psycopg2

    name = f"backup_{time.time_ns()}"
    connection = psycopg2.connect(url)
    connection.autocommit = True
    connection.cursor().execute(f"CREATE DATABASE {name} TEMPLATE template0")
    connection.close()
    return url.rsplit("/", 1)[0] + "/" + name


def share_the_key(here: dict[str, str], there: dict[str, str]) -> None:
    """Bring the key of local mode along, as the guide asks."""
    key = Path(here["DATA_DIR"]) / "secret_key"
    if key.exists():
        other = Path(there["DATA_DIR"])
        other.mkdir(mode=0o700, exist_ok=True)
        (other / "secret_key").write_bytes(key.read_bytes())


def run(env: dict[str, str], *arguments: str) -> None:
    """Run a command of the project; its progress is of no interest."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=env, capture_output=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr.decode()}")


def begin(env: dict[str, str], *arguments: object) -> Any:
    command = [sys.executable, __file__, "--child", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE)


def child(env: dict[str, str], *arguments: object) -> Any:
    """Do a step on a host in a process of its own; return what it prints."""
    process = begin(env, *arguments)
    output, _ = process.communicate()
    if process.returncode:
        sys.exit(1)
    return json.loads(output.splitlines()[-1])


def fill(*sizes: str) -> None:
    """Fill this host."""
    from benchmarks.filled_host import fill_host

    fill_host(*map(int, sizes))


def crowd(writers: str, stop: str) -> dict[str, int]:
    """Have annotators submit, each what was assigned to them, until the file `stop` is there."""
    from django.db import connection

    from annotator.models import Assignment, Campaign, Candidate, Membership, Reference, User
    from annotator.rating.services import submit_rating
    from annotator.rubric import CRITERIA

    campaign = Campaign.objects.create(slug="busy", name="Busy", overlap=int(writers))
    reference = Reference.objects.create(
        campaign=campaign, reference_id="busy", claims="1. A cup.", claims_sha256="x", position=0
    )
    candidates = Candidate.objects.bulk_create(
        Candidate(
            reference=reference,
            campaign=campaign,
            candidate_id=f"c{number}",
            claims=f"1. A mug {number}.",
            places=int(writers),
        )
        for number in range(500)
    )
    counts = {"acknowledged": 0, "failed": 0}
    lock, begun = threading.Lock(), threading.Event()

    def submit(rows: list[Any], person: Any) -> None:
        try:
            for row in rows:
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
        person = User.objects.create(username=f"writer-{number}")
        Membership.objects.create(user=person, campaign=campaign, role="annotator")
        rows = Assignment.objects.bulk_create(
            Assignment(campaign=campaign, annotator=person, candidate=one, label="x")
            for one in candidates
        )
        threads.append(threading.Thread(target=submit, args=(rows, person)))
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
